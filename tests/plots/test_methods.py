"""Legends of figures that compare training methods."""

from __future__ import annotations

from protosphere.plots.methods import legend_names


def test_a_legend_leaves_out_settings_that_all_methods_can_do_without():
    names = ["best, align, seen, soft_cap", "best, random, soft_cap"]
    assert list(legend_names(names).values()) == [
        "best, aligned",
        "best, randomly assigned",
    ]


def test_a_legend_keeps_a_setting_that_distinguishes_two_methods():
    names = ["best, align, seen, soft_cap", "best, align, seen, lindstrom"]
    legends = list(legend_names(names).values())
    assert len(set(legends)) == 2
    assert all(legend.startswith("best, aligned") for legend in legends)
