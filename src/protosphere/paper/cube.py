"""The corners of a cube on the sphere: why words of a code make prototypes (Figure 1 of the paper)."""

from collections.abc import Sequence
from itertools import combinations, product
from math import sqrt
from typing import Any

import numpy as np

from protosphere.bounds.bound import short_cosine
from protosphere.code.spherical_code import SphericalCode
from protosphere.plots.style import new_figure, styled


def cube_figure(panels: Sequence[tuple[str, SphericalCode]]) -> Any:
    """A sphere for each titled code of R^3, the cube's wireframe inside it."""
    count = len(panels)
    with styled():
        figure = new_figure(7.0, 2.5)
        figure.set_layout_engine("none")  # it leaves room for axes that are not drawn
        for i, (title, code) in enumerate(panels):
            ax = figure.add_axes((i / count, -0.09, 1 / count, 1.02), projection="3d", computed_zorder=False)
            _draw_sphere(ax)
            _draw_points(ax, code)
            text = f"{title}\nK = {code.num_classes}, max cosine {short_cosine(code.max_cosine)}"
            figure.text((i + 0.5) / count, 0.98, text, ha="center", va="top")
    return figure


def cube_records(panels: Sequence[tuple[str, SphericalCode]]) -> list[dict[str, Any]]:
    """Tidy rows: every point of every panel, and the panel's largest cosine."""
    return [
        {"panel": title, "num_classes": code.num_classes, "point": i}
        | dict(zip("xyz", code[i].tolist(), strict=True))
        | {"max_cosine": float(code.max_cosine), "exact": str(code.max_cosine)}
        for title, code in panels
        for i in range(code.num_classes)
    ]


def _draw_sphere(ax: Any) -> None:
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 61), np.linspace(0, np.pi, 31))
    x, y, z = np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)
    ax.plot_surface(x, y, z, color="#BFD7EA", alpha=0.16, linewidth=0, shade=False, zorder=0)
    turn = np.linspace(0, 2 * np.pi, 121)
    ax.plot(np.cos(turn), np.sin(turn), 0 * turn, color="#9DB8CC", linewidth=0.5)
    for one, other in combinations(product((-1, 1), repeat=3), 2):
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1:
            edge = np.array([one, other]) / sqrt(3)
            ax.plot(*edge.T, color="#555555", linewidth=0.7, zorder=1)
    ax.view_init(elev=18, azim=-60)
    ax.set_box_aspect((1, 1, 1), zoom=1.4)
    ax.set_axis_off()


def _draw_points(ax: Any, code: SphericalCode) -> None:
    for point in code.points:
        ax.plot(*np.outer([0, 1], point).T, color="#0072B2", linewidth=1.4, zorder=2)
    dots = {"s": 42, "color": "#D55E00", "edgecolors": "black", "linewidths": 0.6}
    ax.scatter(*code.points.T, **dots, depthshade=False, zorder=3)
