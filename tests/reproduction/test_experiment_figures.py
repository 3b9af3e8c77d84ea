"""The figures of an experiment: the paper's own two, what it leaves out, and the numbers of codes."""

from __future__ import annotations

import numpy as np
import pytest

from protosphere.experiments import load_config
from protosphere.experiments.record import RunRecord
from reproduction.experiment_figures import draw_experiment, way_of
from reproduction.number_panels import Panel, numbers_figure

pytest.importorskip("matplotlib")


def finished(**settings):
    if settings.get("head", "prototypes") == "prototypes":
        settings = {"preset": "lindstrom"} | settings
    config = load_config("quick-features").changed(**settings)
    rng = np.random.default_rng(config.dim + config.seed)
    accuracy = float(rng.uniform(0.5, 0.7))
    energy = float(rng.uniform(1, 2))
    cosine = None if config.head != "prototypes" else 1 / config.dim
    if cosine is None:
        metrics = {}
    else:
        metrics = {"code_energy": energy, "code_mean_square": 0.1 * energy}
    return RunRecord(
        config, "done", test_accuracy=accuracy, max_cosine=cosine, metrics=metrics
    )


PAPERS = [
    finished(scheme=scheme, dim=dim, seed=seed)
    for scheme in ("bch", "log_sum_exp", "mean_row_max")
    for dim in (31, 63)
    for seed in (0, 1)
]
LEARNED = [
    finished(head="bottleneck", dim=dim, seed=seed)
    for dim in (31, 63)
    for seed in (0, 1)
]


def test_what_the_runs_can_show_is_drawn(tmp_path):
    whole = draw_experiment(
        [*PAPERS, *LEARNED], tmp_path / "whole", "cifar100", "CIFAR-100"
    )
    kinds = {"accuracy", "cosine", "beyond", "numbers"}
    assert {path.stem.removeprefix("cifar100-") for path in whole} == kinds
    assert all(path.stat().st_size > 100 for path in whole)
    plain = draw_experiment(PAPERS, tmp_path / "plain", "cifar100", "CIFAR-100")
    assert {path.stem.removeprefix("cifar100-") for path in plain} == kinds - {"beyond"}


def test_learned_heads_have_no_mapping():
    assert way_of(LEARNED[0].config) == "learned bottleneck"
    assert way_of(finished(scheme="one_hot", dim=100).config) == "one-hot, fixed"
    assert (
        way_of(finished(scheme="best", dim=31, mapping="align").config)
        == "best, aligned"
    )


def test_a_panel_has_every_cell_and_panels_left_over_are_empty():
    points = [("bch", "fixed", 0.1, 50.0), ("bch", "random", 0.2, 40.0)]
    figure = numbers_figure([Panel(name, "", points) for name in "abc"], "three")
    panels = [ax for ax in figure.axes if ax.axison]
    assert len(panels) == 3
    assert all(
        len([line for line in ax.lines if len(line.get_xdata())]) == 2 for ax in panels
    )
