"""Legends of figures that compare training methods."""

from __future__ import annotations

from protosphere.plots.methods import legend_names, methods_figure
from protosphere.statistics.intervals import Compared, Mean


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


def _colors(*methods):
    """Return the color of each method in a figure of two dimensions, by its legend."""
    rows = [
        Compared(method, dim, 0.1, 2, Mean(50.0, 1.0), None)
        for method in methods
        for dim in (8, 16)
    ]
    (ax,) = methods_figure(rows, "test accuracy").axes
    return {bars.get_label(): bars.lines[0].get_color() for bars in ax.containers}


def test_a_method_has_the_same_color_in_every_figure():
    first = _colors("bch, random", "best, align", "learned bottleneck")
    second = _colors("learned bottleneck", "best, align")
    assert first["best, aligned"] == second["best, aligned"]
    assert first["learned bottleneck"] == second["learned bottleneck"]
    assert len(set(first.values())) == 3
