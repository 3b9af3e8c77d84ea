"""Figures of one dimension or one run: everything that the legend names is to be seen."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb

from protosphere.constructions.comparison import Cell, Comparison, compare, limits
from protosphere.constructions.registry import constructions_with
from protosphere.constructions.traits import FigureStyle
from protosphere.plots.accuracy import (
    REFERENCES,
    Trained,
    accuracy_figure,
    averages,
    cosine_figure,
)
from protosphere.plots.gap_map import gap_map_figure
from protosphere.plots.separation import limit_curve, separation_figure
from protosphere.plots.style import SPARE, own_style, point_look, scheme_styles
from protosphere.tables.atlas import shipped_atlas

STRANGERS = [f"stranger_{number}" for number in range(len(SPARE))]
SCHEMES = list(constructions_with(lambda traits: traits.style is not None))


def pixels(figure):
    """What is inside the first panel, without legends."""
    for legend in [
        *figure.legends,
        *(ax.get_legend() for ax in figure.axes if ax.get_legend()),
    ]:
        legend.remove()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    picture = np.asarray(canvas.buffer_rgba())[..., :3].astype(int)
    left, low, right, high = (round(edge) for edge in figure.axes[0].bbox.extents)
    return picture[
        len(picture) - high + 3 : len(picture) - low - 3, left + 3 : right - 3
    ]


def seen(picture, color, tolerance=12):
    """How many pixels are of that color."""
    wanted = np.rint(255 * np.array(to_rgb(color)))
    return int((np.abs(picture - wanted).max(axis=-1) <= tolerance).sum())


def one_dimension(schemes, K=1000, dim=50):
    """A comparison whose schemes lie apart, so that none hides another."""
    cells = tuple(
        Cell(name, dim, 0.05 + 0.9 * place / len(schemes), None)
        for place, name in enumerate(schemes)
    )
    return Comparison(K, (dim,), tuple(schemes), cells, (limits(K, dim),))


@pytest.mark.parametrize("schemes", [SCHEMES, STRANGERS])
def test_every_scheme_is_seen_at_one_dimension(schemes):
    comparison = one_dimension(schemes)
    picture = pixels(separation_figure(comparison, limit_curve(comparison)))
    empty = pixels(separation_figure(one_dimension([]), limit_curve(comparison)))
    for name, style in scheme_styles(schemes).items():
        assert seen(picture, style.color) > seen(empty, style.color) + 8, name


def test_bounds_are_seen_at_one_dimension():
    comparison = one_dimension([])
    picture = pixels(separation_figure(comparison, limit_curve(comparison)))
    assert seen(picture, "#E8E8E8", 2) > 10_000, "the region where the optimum lies"
    assert seen(picture, "#000000") > 500, "the converse"
    assert seen(picture, "#777777") > 200, "what is achievable"


def test_a_line_is_drawn_as_it_was_where_there_are_more():
    comparison = compare(10, [8, 16], schemes=["uniform", "best"])
    figure = separation_figure(comparison, limit_curve(comparison))
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    assert lines["uniform"].get_linestyle() == ":"
    assert lines["best known (this library)"].get_marker() in ("", "None")


@pytest.mark.parametrize("mapping", ["fixed", "random"])
def test_single_runs_are_seen(mapping):
    names = [*SCHEMES, "learned bottleneck", REFERENCES[0]]
    runs = [
        Trained(name, 10 + 3 * i, mapping, 0, i / len(names), (i + 1) / 20)
        for i, name in enumerate(names)
    ]
    for figure in (accuracy_figure(averages(runs), ""), cosine_figure(runs, "")):
        picture = pixels(figure)
        for name in names:
            assert seen(picture, own_style(name).color, 60) > 8, name


def test_runs_of_one_scheme_are_points_and_no_line():
    runs = [
        Trained("best", 10, "fixed", seed, 0.1 * seed, 0.5 + 0.1 * seed)
        for seed in range(3)
    ]
    points = cosine_figure(runs, "").axes[0].get_lines()[0]
    assert (points.get_linestyle(), points.get_marker()) == ("None", "o")


def test_a_map_of_one_cell_has_its_names():
    for rows in (
        [row for row in shipped_atlas() if row.dim == 10][:1],
        [shipped_atlas()[0]],
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            figure = gap_map_figure(rows)
            pixels(figure)
        assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == [
            str(rows[0].dim)
        ]


def test_a_style_is_a_marker_or_a_ring():
    assert point_look(FigureStyle("x", "#123456", "", "-"))["marker"] == "o"
    assert (
        point_look(FigureStyle("x", "#123456", "x", "-"))["markeredgecolor"]
        == "#123456"
    )
    assert (
        point_look(FigureStyle("x", "#123456", "s", "-"))["markeredgecolor"] == "white"
    )
