"""Compute points of codes in two and three dimensions, which the atlas page draws."""

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
    """Return the points of the codes in two and three dimensions that the atlas page draws.

    A family is a scheme that consists of a list of codes, which are called its members. Two kinds of codes are
    returned:

    - For each member of a family, the code with the largest number of classes for which `ps.construct` uses the member.
      Members with more than 1,000 points are left out.
    - Codes of other schemes, for 2 to 8 classes. A scheme is included if the scripts of the page compute its maximum
      cosine but not its points.

    Returns:
        A mapping from texts 'scheme|K|n', where K is the number of points and n is the dimension, to flat lists of
        coordinates: all coordinates of the first point, then those of the second point, and so on.
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
    rounded = points.round(DIGITS) + 0.0  # 0 instead of -0
    return rounded.ravel().tolist()
