"""Compute points of codes in two and three dimensions, which the page draws."""

from contextlib import suppress
from itertools import product
from typing import Any

from protosphere.atlas_page.serving import serving_members
from protosphere.constructions.construct import construct
from protosphere.constructions.registry import available, constructions_with, describe
from protosphere.errors import InfeasibleError

MOST_PLAIN = 8
"""Largest number of classes for which points of a scheme that is not a family are drawn."""

DIGITS = 7
"""Number of decimal places of coordinates."""

MOST_DRAWN_POINTS = 1000


def small_points() -> dict[str, list[float]]:
    """Return the points of codes in two and three dimensions.

    The result has two kinds of codes:

    - For each member of a family, the code with the largest number of classes for which `ps.construct` uses the member.
      Members with more than `MOST_DRAWN_POINTS` points are left out.
    - Codes of other schemes, for 2 to `MOST_PLAIN` classes. A scheme is included if the scripts of the page compute its
      maximum cosine but not its points.

    Returns:
        A mapping from texts 'scheme|K|n' to flat lists of coordinates: all coordinates of the first point, then those
        of the second point, and so on.
    """
    found: dict[str, list[float]] = {}
    for name in available():
        for serving in serving_members(describe(name)):
            member = serving.member
            if member.dim in (2, 3) and member.size <= MOST_DRAWN_POINTS:
                count = serving.last
                points = member.place(count).unit_rows(0, count)
                found[f"{name}|{count}|{member.dim}"] = _rounded(points)
    plain = constructions_with(
        lambda traits: traits.page_formula and not traits.page_points
    )
    for name, K, dim in product(plain, range(2, MOST_PLAIN + 1), (2, 3)):
        with suppress(InfeasibleError):
            code = construct(name, num_classes=K, dim=dim)
            found[f"{name}|{K}|{dim}"] = _rounded(code.points)
    return found


def _rounded(points: Any) -> list[float]:
    """Return all coordinates as a flat list of numbers, rounded to `DIGITS` decimal places, with 0 instead of -0."""
    rounded = points.round(DIGITS) + 0.0
    return rounded.ravel().tolist()
