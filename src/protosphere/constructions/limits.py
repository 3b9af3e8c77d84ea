"""What fits into this machine: asked before anything is built, answered in one sentence."""

import os
from collections.abc import Callable

from protosphere.constructions.registry import Construction
from protosphere.errors import brief

MOST_PRODUCTS = 10**15
"""Multiplications spent on measuring all pairs of dense points: some hours on two cores."""

NUMBER_BITS = 128
"""A packed word comes with its number in the code, and with the numbers it is found by."""

DENSE_ROWS = 4
"""Points of a code that are unpacked together at the least."""


def memory_bytes() -> int:
    """Half of the machine's memory, the share a code may take; 8 GiB where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):
        return 8 << 30


def size_infeasible_reason(
    scheme: Construction, num_classes: int, dim: int
) -> str | None:
    """Why K points of R^n are too many: for memory, or for measuring all their pairs.

    One that chooses among others is asked for the least that any of them takes: it looks for those that fit. However
    a code is held, its points are measured as dense rows, so a few of those must fit as well.
    """
    got = f"got num_classes {brief(num_classes)} and dim {brief(dim)}"
    entries = num_classes * dim
    room = memory_bytes()
    copies = 3
    bits_a_point = dim + NUMBER_BITS if scheme.traits.packed else 64 * dim
    if scheme.traits.numbered or scheme.traits.chooses:
        bits_a_point = NUMBER_BITS
    if max(num_classes * bits_a_point, DENSE_ROWS * 64 * dim) * copies > room * 8:
        most = (
            room
            * 8
            * dim
            // (copies * max(bits_a_point, DENSE_ROWS * 64 * dim // num_classes))
        )
        return f"'{scheme.name}' holds num_classes * dim up to {brief(most)} in this machine's memory, {got}"
    if (
        not (scheme.traits.packed or scheme.traits.numbered or scheme.traits.chooses)
        and num_classes * entries > MOST_PRODUCTS
    ):
        return f"'{scheme.name}' is certified pair by pair: num_classes**2 * dim up to 10**15 is feasible, {got}"
    return None


def dim_infeasible_reason(
    scheme: str, rule: str, least: Callable[[int], int], num_classes: int, dim: int
) -> str | None:
    """Why so few dimensions do not hold K classes, by the scheme's rule; from `least(num_classes)` on they do."""
    if dim >= least(num_classes):
        return None
    got = f"got dim {brief(dim)} for {brief(num_classes)} classes"
    return f"'{scheme}' needs {rule}, {got}; nearest: {brief(least(num_classes))}"


def class_infeasible_reason(num_classes: int, most: int, what: str) -> str | None:
    """Why K classes are too many for what holds a matrix over them."""
    if num_classes <= most:
        return None
    return f"'num_classes' can be at most {most} for {what}, got {brief(num_classes)}"
