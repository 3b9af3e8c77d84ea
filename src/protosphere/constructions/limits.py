"""Reasons why a code is infeasible: too little memory, too much time, or a dimension that is too small."""

import os
from collections.abc import Callable

from protosphere.constructions.registry import Construction
from protosphere.constructions.traits import Traits
from protosphere.errors import brief
from protosphere.spherical.structures.structure import LARGEST_HELD_BYTES

MOST_PRODUCTS = 10**15
"""Largest number of multiplications for comparing all pairs of points: some hours on two cores."""

LARGEST_DENSE_BYTES = 7 << 29
"""Largest size of points that are stored as dense vectors: 3.5 GiB.

It leaves room for the rest of a process of four gigabytes.
"""

NUMBER_BITS = 128
"""Number of bits that the index of a point is assumed to take."""

FLOAT_BITS = 64
"""Number of bits of a coordinate of a point that is stored as a dense vector."""

COPIES = 3
"""Number of copies of a code in memory while it is built and certified."""

DENSE_ROWS = 4
"""Smallest number of points that are unpacked together when a packed code is measured."""


def memory_bytes() -> int:
    """Return the number of bytes that a code may take: half of the machine's memory, or 8 GiB if that is unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):
        return 8 << 30


def dense_points_fit(num_bytes: int) -> bool:
    """Return whether dense vectors of `num_bytes` bytes fit into 3.5 GiB and into half of the machine's memory."""
    return num_bytes <= min(LARGEST_DENSE_BYTES, memory_bytes())


def size_infeasible_reason(
    scheme: Construction, num_classes: int, dim: int
) -> str | None:
    """Return why K points of R^n take too much memory or too much time, or None if they do not.

    Only constructions that store dense vectors can take too much time, because all pairs of their points are measured.
    A construction that chooses among others, such as 'best', is assumed to choose the one that needs the least memory.

    Args:
        scheme: The construction.
        num_classes: Number K of points.
        dim: Dimension n.
    """
    got = f"got num_classes {brief(num_classes)} and dim {brief(dim)}"
    traits = scheme.traits
    room_bits = 8 * memory_bytes()
    # packed codewords are unpacked, a few at a time, to measure their cosines
    dense_bits = DENSE_ROWS * FLOAT_BITS * dim
    held_bits = min(dim, 8 * LARGEST_HELD_BYTES // num_classes)
    point_bits = _bits_per_point(traits, dim, held_bits)
    if COPIES * max(num_classes * point_bits, dense_bits) > room_bits:
        needed_bits = max(point_bits, dense_bits // num_classes)
        most = room_bits * dim // (COPIES * needed_bits)
        return f"'{scheme.name}' holds num_classes * dim up to {brief(most)} in this machine's memory, {got}"
    pairwise = not (traits.packed or traits.numbered or traits.chooses)
    if pairwise and num_classes * num_classes * dim > MOST_PRODUCTS:
        return f"'{scheme.name}' is certified pair by pair: num_classes**2 * dim up to 10**15 is feasible, {got}"
    return None


def _bits_per_point(traits: Traits, dim: int, held_bits: int) -> int:
    # points that are computed from their indices are stored as indices, and packed codewords as indices and bits
    if traits.numbered or traits.chooses:
        return NUMBER_BITS
    if traits.packed:
        return held_bits + NUMBER_BITS
    return FLOAT_BITS * dim


def dim_infeasible_reason(
    scheme: str, rule: str, least: Callable[[int], int], num_classes: int, dim: int
) -> str | None:
    """Return why a dimension is too small for K classes, or None if the dimension is large enough.

    Args:
        scheme: Name of the construction, such as 'simplex'.
        rule: Text of the requirement, for the message, such as "dim >= num_classes / 2".
        least: Function that takes K and returns the smallest dimension that is large enough for K classes.
        num_classes: Number K of classes.
        dim: Dimension that was asked for.
    """
    if dim >= least(num_classes):
        return None
    got = f"got dim {brief(dim)} for {brief(num_classes)} classes"
    return f"'{scheme}' needs {rule}, {got}; nearest: {brief(least(num_classes))}"


def class_infeasible_reason(num_classes: int, most: int, what: str) -> str | None:
    """Return why K classes are too many, or None if they are feasible.

    Args:
        num_classes: Number K of classes.
        most: Largest possible number of classes.
        what: What the limit is for, as text of the message, such as "a search over all pairs".
    """
    if num_classes <= most:
        return None
    return f"'num_classes' can be at most {most} for {what}, got {brief(num_classes)}"
