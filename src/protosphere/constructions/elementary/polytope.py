"""Regular polygons, and optimal codes with closed forms in three and four dimensions."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import cos, pi, sin, sqrt, tan

import numpy as np

from protosphere.constructions.families import Member, dense_member, family
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import Traits
from protosphere.errors import brief
from protosphere.geometry.sphere import normalized
from protosphere.spherical.placement import Placement
from protosphere.spherical.structures import LayeredPoints
from protosphere.types import Cosine, Points

MOST_CORNERS = 10**7
GOLDEN = (1 + sqrt(5)) / 2
TRIBONACCI = (1 + (19 + 3 * sqrt(33)) ** (1 / 3) + (19 - 3 * sqrt(33)) ** (1 / 3)) / 3
"""The real zero of t^3 = t^2 + t + 1."""

SEVEN = 1 / (tan(4 * pi / 18) * tan(8 * pi / 18))
"""cot 40 cot 80 degrees, the optimal maximum cosine of seven points in R^3."""


def _polygon_infeasible_reason(num_classes: int, dim: int) -> str | None:
    if dim != 2:
        return f"'polygon' needs dim 2, got {brief(dim)}; nearest: 2"
    if num_classes > MOST_CORNERS:
        return f"'polygon' has up to {MOST_CORNERS} corners, got num_classes {brief(num_classes)}"
    return None


def _polygon_cosine(num_classes: int, dim: int = 2) -> Cosine:
    del dim
    # the cosine is a Fraction for the only K for which it is rational
    rational = {2: Fraction(-1), 3: Fraction(-1, 2), 4: Fraction(0), 6: Fraction(1, 2)}
    return rational.get(num_classes, cos(2 * pi / num_classes))


@construction(
    infeasible_reason=_polygon_infeasible_reason,
    guarantee=_polygon_cosine,
    summary="regular polygon, n = 2, with the optimal max cosine cos(2 pi/K)",
    reference="elementary",
    traits=Traits(quick_guarantee=True, page_formula=True, page_points=True),
)
def polygon(num_classes: int, dim: int) -> Placement:
    """Place the K corners of a regular polygon on the unit circle, counterclockwise from (1, 0).

    Args:
        num_classes: Number K of points.
        dim: Dimension, which must be 2.
    """
    del dim
    angles = 2 * pi * np.arange(num_classes) / num_classes
    cosine = _polygon_cosine(num_classes)
    step = 1 - cosine if isinstance(cosine, Fraction) else None
    points = normalized(np.column_stack([np.cos(angles), np.sin(angles)]))
    corners = LayeredPoints(points, step, angle=2 * pi / num_classes)
    return Placement(f"regular polygon of {num_classes}", corners)


def icosahedron() -> Points:
    """Return the 12 vertices of the icosahedron as unit rows.

    They are the normalized cyclic shifts of (0, +-1, +-g), where g is the golden ratio.
    """
    corners = [(0.0, a, b * GOLDEN) for a, b in product((1, -1), repeat=2)]
    rotated = [np.roll(corner, shift) for shift in range(3) for corner in corners]
    return normalized(np.array(rotated))


def snub_cube() -> Points:
    """Return the 24 vertices of the snub cube as unit rows.

    They are the normalized permutations of (+-1, +-1/t, +-t). The number of plus signs is even if the permutation is
    even, and odd if the permutation is odd. Here t is the tribonacci constant, the real zero of t^3 - t^2 - t - 1.
    """
    entries = (1.0, 1 / TRIBONACCI, TRIBONACCI)
    corners: list[list[float]] = []
    for order in permutations(range(3)):
        for signs in product((1, -1), repeat=3):
            if _parity(order) * np.prod(signs) < 0:
                signed = zip(signs, order, strict=True)
                corners.append([sign * entries[place] for sign, place in signed])
    return normalized(np.array(corners))


def _parity(order: tuple[int, ...]) -> float:
    # positive for an even permutation, and negative for an odd one
    return np.linalg.det(np.eye(len(order))[list(order)])


def six_hundred_cell() -> Points:
    """Return the 120 vertices of the 600-cell as unit rows.

    They are the 24 vertices of a 24-cell and the 96 even permutations of (+-g, +-1, +-1/g, 0)/2, where g is the golden
    ratio.
    """
    axes = np.concatenate([np.eye(4), -np.eye(4)])
    halves = np.array(list(product((0.5, -0.5), repeat=4)))
    signed = [
        (a * GOLDEN / 2, b / 2, c / (2 * GOLDEN), 0.0)
        for a, b, c in product((1, -1), repeat=3)
    ]
    parts = [axes, halves]
    for order in permutations(range(4)):
        if _parity(order) > 0:
            parts.append(np.array(signed)[:, list(order)])
    return normalized(np.concatenate(parts))


def _rings(*rings: tuple[int, float, float]) -> Points:
    corners: list[tuple[float, float, float]] = []
    for (
        count,
        height,
        degrees,
    ) in rings:  # regular polygons around the third axis, rotated
        radius = sqrt(1 - height * height)
        angles = [2 * pi * i / count + degrees * pi / 180 for i in range(count)]
        corners += [
            (radius * cos(angle), radius * sin(angle), height) for angle in angles
        ]
    return np.array(corners)


LOW = -sqrt((2 * SEVEN + 1) / 3)
"""Third coordinate of the lower triangle of the seven points."""

NINE = sqrt(5) / 3
"""Third coordinate of the upper triangle of the nine points."""

ANTIPRISM = 1 / sqrt(1 + 2 * sqrt(2))
"""Third coordinate of the upper square of the square antiprism."""

seven_points = partial(_rings, (1, 1.0, 0.0), (3, SEVEN, 0.0), (3, LOW, 60.0))
square_antiprism = partial(_rings, (4, ANTIPRISM, 0.0), (4, -ANTIPRISM, 45.0))
nine_points = partial(_rings, (3, 0.0, 60.0), (3, NINE, 0.0), (3, -NINE, 0.0))

SHAPES: tuple[
    tuple[int, int, Cosine, str, Callable[[], Points], Fraction | None], ...
] = (
    (3, 7, SEVEN, "seven points", seven_points, None),
    (3, 8, (2 * sqrt(2) - 1) / 7, "square antiprism", square_antiprism, None),
    (3, 9, Fraction(1, 3), "nine points", nine_points, Fraction(1, 18)),
    (3, 12, 1 / sqrt(5), "icosahedron", icosahedron, None),
    (
        3,
        24,
        TRIBONACCI**2 / (1 + TRIBONACCI**2 + TRIBONACCI**-2),
        "snub cube",
        snub_cube,
        None,
    ),
    (4, 120, GOLDEN / 2, "600-cell", six_hundred_cell, None),
)
"""For each code: dimension, number of points, maximum cosine, name, function that builds the points, and cosine step.

The cosine step is a fraction s for which every cosine is 1 minus an integer multiple of s. None if it is not known.
"""


@family(
    summary="optimal codes with closed forms, n = 3 with K = 7, 8, 9, 12 or 24, and the 600-cell, n = 4 with K = 120",
    reference="Schutte & van der Waerden (1951); Fejes Toth (1943); Robinson (1961); Boroczky (1978)",
)
def polytope() -> Iterator[Member]:
    """Yield six codes with closed forms that are proved to have the lowest possible maximum cosine.

    The codes in R^3 have 7, 8 (square antiprism), 9, 12 (icosahedron) and 24 (snub cube) points. The code in R^4 is the
    600-cell with 120 points.
    """
    for n, size, cosine, name, shape, step in SHAPES:
        yield dense_member(
            dim=n,
            size=size,
            max_cosine=cosine,
            id=name.replace(" ", "-"),
            description=name,
            points=lambda count, shape=shape: shape()[:count],
            step=step,
        )
