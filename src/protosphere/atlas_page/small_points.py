"""Points of the plane and of space that the page can draw: of every scheme that has a formula for them."""

from contextlib import suppress
from itertools import product
from typing import Any

from protosphere.atlas_page.serving import serving_members
from protosphere.constructions.construct import construct
from protosphere.constructions.registry import available, constructions_with, describe
from protosphere.errors import InfeasibleError

MOST_PLAIN = 8
"""No more classes than this have such codes in space: the corners of the cube."""

DIGITS = 7


def small_points() -> dict[str, list[float]]:
    """By 'scheme|K|n' the coordinates of all points, one after the other; of families their largest codes."""
    found: dict[str, list[float]] = {}
    for name in available():
        for one in serving_members(describe(name)):
            if one.member.dim in (2, 3) and one.member.size <= 1000:
                rows = one.member.place(one.last).unit_rows(0, one.last)
                found[f"{name}|{one.last}|{one.member.dim}"] = _flat(rows)
    plain = constructions_with(
        lambda traits: traits.page_formula and not traits.page_points
    )
    for name, K, dim in product(plain, range(2, MOST_PLAIN + 1), (2, 3)):
        with suppress(InfeasibleError):
            found[f"{name}|{K}|{dim}"] = _flat(
                construct(name, num_classes=K, dim=dim).points
            )
    return found


def _flat(points: Any) -> list[float]:
    return (points.round(DIGITS) + 0.0).ravel().tolist()
