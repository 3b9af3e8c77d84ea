"""The ticks of every figure: labels do not overlap, and each stands inside its panel."""

from __future__ import annotations

from itertools import pairwise
from math import log10

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from protosphere.constructions.comparison import Cell, Comparison, limits
from protosphere.plots import report
from protosphere.plots.accuracy import Trained, accuracy_figure, averages, cosine_figure
from protosphere.plots.gap_map import gap_map_figure
from protosphere.plots.methods import methods_figure
from protosphere.plots.separation import separation_figure
from protosphere.statistics.intervals import Compared, Mean
from protosphere.tables.atlas import shipped_atlas

DIMENSIONS = [
    [9],
    [99, 100],
    [8, 16, 24, 32, 48, 64, 80, 99, 100],
    [2, 3, 4, 5, 6, 7, 8, 1000, 1023, 1024],
    list(range(10, 60)),
    [15, 16, 31, 32, 63, 64, 127, 128, 4095, 4096, 65535, 65536],
    [2, 2**20],
]
REFERENCES = [None, 5000]


def runs_at(dims, reference):
    """One run in each dimension, and a learned layer of `reference` dimensions as a line across."""
    runs = [
        Trained("bch", dim, "fixed", 0, 1 / (place + 2), 0.5 + 0.4 / dim)
        for place, dim in enumerate(dims)
    ]
    if reference is not None:
        runs.append(Trained("learned layer", reference, "fixed", 0, None, 0.7))
    return runs


def compared(method, dim):
    return Compared(method, dim, 0.1, 1, Mean(50 + 40 / dim, None), None)


def assert_ticks_are_legible(figure):
    """Labels that are drawn do not overlap, and their middles lie inside the panel."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    for ax in figure.axes:
        for axis, side in ((ax.xaxis, 0), (ax.yaxis, 1)):
            labels = [
                label
                for label in axis.get_ticklabels()
                if label.get_visible() and label.get_text()
            ]
            boxes = sorted(
                (label.get_window_extent() for label in labels),
                key=lambda box: box.min[side],
            )
            inside = [box for box in boxes if _shown(box, ax.bbox, side)]
            for first, second in pairwise(inside):
                assert first.max[side] < second.min[side], [
                    label.get_text() for label in labels
                ]
            if axis is ax.xaxis and ax.get_xscale() == "log":
                assert len(inside) == len(boxes) > 0


def _shown(box, panel, side):
    middle = (box.min[side] + box.max[side]) / 2
    return panel.min[side] - 1 <= middle <= panel.max[side] + 1


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("dims", DIMENSIONS, ids=str)
def test_ticks_of_accuracy_figures_are_apart_and_inside(dims, reference):
    runs = runs_at(dims, reference)
    assert_ticks_are_legible(accuracy_figure(averages(runs), ""))
    assert_ticks_are_legible(cosine_figure(runs, ""))


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("dims", DIMENSIONS, ids=str)
def test_ticks_of_comparisons_of_methods_are_apart_and_inside(dims, reference):
    rows = [compared("fixed", dim) for dim in dims]
    if reference is not None:
        rows.append(compared("learned", reference))
    assert_ticks_are_legible(methods_figure(rows, "test accuracy"))


@pytest.mark.parametrize("dims", DIMENSIONS, ids=str)
def test_ticks_of_separation_figures_are_apart_and_inside(dims):
    cells = tuple(Cell("bch", dim, 0.2, None) for dim in dims)
    bounds = tuple(limits(1000, dim) for dim in dims)
    comparison = Comparison(1000, tuple(dims), ("bch",), cells, bounds)
    assert_ticks_are_legible(separation_figure(comparison, bounds))


def test_ticks_of_the_map_are_apart():
    assert_ticks_are_legible(gap_map_figure(shipped_atlas()))


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("dims", DIMENSIONS, ids=str)
def test_ticks_of_the_report_stand_inside_its_panel(dims, reference):
    axis = report._figure_by_dimension(averages(runs_at(dims, reference))).layout.xaxis
    low, high = axis.range
    assert axis.tickvals
    assert all(low <= log10(tick) <= high for tick in axis.tickvals)
    assert all(low <= log10(dim) <= high for dim in dims)
