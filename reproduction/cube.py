"""Draw Figure 1 of Lindström et al. (2024): codewords as corners of a cube inside a sphere."""

from collections.abc import Sequence
from itertools import combinations, product
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from protosphere.bounds.bound import short_cosine
from protosphere.constructions import construct
from protosphere.plots.figure_files import save_figure, save_table
from protosphere.plots.style import new_figure, styled
from protosphere.spherical.spherical_code import SphericalCode

TitledCode = tuple[str, SphericalCode]


def draw_cube(folder: Path) -> tuple[Path, ...]:
    """Write cube.png, cube.pdf and cube.csv into `folder` and return their paths."""
    panels = (
        ("one-hot", construct("one_hot", num_classes=3, dim=3)),
        ("repetition code", construct("bch", num_classes=2, dim=3)),
        ("even-weight code", construct("bch", num_classes=4, dim=3, modify=True)),
    )
    figure = cube_figure(panels)
    pictures = [
        save_figure(figure, folder / f"cube{suffix}") for suffix in (".png", ".pdf")
    ]
    table = save_table(cube_records(panels), folder / "cube.csv")
    return (*pictures, table)


def cube_figure(panels: Sequence[TitledCode]) -> Any:
    """Return a matplotlib figure with a panel for each code of R^3.

    A panel shows the points of the code on a sphere, with the edges of a cube inside the sphere.
    """
    count = len(panels)
    with styled():
        figure = new_figure(7.0, 2.5)
        figure.set_layout_engine("none")  # it leaves room for axes that are not drawn
        for i, (title, code) in enumerate(panels):
            box = (i / count, -0.09, 1 / count, 1.02)
            ax = figure.add_axes(box, projection="3d", computed_zorder=False)
            _draw_sphere(ax)
            _draw_cube_edges(ax)
            _draw_points(ax, code)
            text = f"{title}\nK = {code.num_classes}, max cosine {short_cosine(code.max_cosine)}"
            figure.text((i + 0.5) / count, 0.98, text, ha="center", va="top")
    return figure


def cube_records(panels: Sequence[TitledCode]) -> list[dict[str, Any]]:
    """Return a dict for every point of every panel, with the maximum cosine of the panel's code."""
    rows: list[dict[str, Any]] = []
    for title, code in panels:
        for i in range(code.num_classes):
            x, y, z = code[i].tolist()
            row: dict[str, Any] = {
                "panel": title,
                "num_classes": code.num_classes,
                "point": i,
                "x": x,
                "y": y,
                "z": z,
                "max_cosine": float(code.max_cosine),
                "exact": str(code.max_cosine),
            }
            rows.append(row)
    return rows


def _draw_sphere(ax: Any) -> None:
    longitudes = np.linspace(0, 2 * np.pi, 61)
    colatitudes = np.linspace(0, np.pi, 31)
    u, v = np.meshgrid(longitudes, colatitudes)
    x = np.cos(u) * np.sin(v)
    y = np.sin(u) * np.sin(v)
    z = np.cos(v)
    ax.plot_surface(
        x, y, z, color="#BFD7EA", alpha=0.16, linewidth=0, shade=False, zorder=0
    )
    turn = np.linspace(0, 2 * np.pi, 121)
    ax.plot(np.cos(turn), np.sin(turn), 0 * turn, color="#9DB8CC", linewidth=0.5)
    ax.view_init(elev=18, azim=-60)
    ax.set_box_aspect((1, 1, 1), zoom=1.4)
    ax.set_axis_off()


def _draw_cube_edges(ax: Any) -> None:
    corners = product((-1, 1), repeat=3)
    for one, other in combinations(corners, 2):
        differing = sum(a != b for a, b in zip(one, other, strict=True))
        if differing == 1:
            edge = np.array([one, other]) / sqrt(3)
            ax.plot(*edge.T, color="#555555", linewidth=0.7, zorder=1)


def _draw_points(ax: Any, code: SphericalCode) -> None:
    for point in code.points:
        ray = np.outer([0, 1], point)
        ax.plot(*ray.T, color="#0072B2", linewidth=1.4, zorder=2)
    dots = {"s": 42, "color": "#D55E00", "edgecolors": "black", "linewidths": 0.6}
    ax.scatter(*code.points.T, **dots, depthshade=False, zorder=3)
