"""Codes of vectors with four entries +-1, or one entry +-2, in 9 to 14 dimensions.

The four coordinates with entries +-1 are called a quadruple. Any two of the chosen quadruples share at most two
coordinates, and a quadruple is used with all 16 sign patterns. The vectors have squared norm 4. Two different vectors
have an inner product of at most 2, because two vectors on the same quadruple differ in at least one sign. The largest
number of such quadruples of n coordinates is called A(n, 4, 4). This number of quadruples gives 16 A(n, 4, 4) + 2n
points. A group of permutations of the coordinates maps the quadruples to each other. An orbit is the set of all images
of one quadruple. The package stores the group and one quadruple of each orbit, which were found by a computer search.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from protosphere.constructions.families import Member, dense_member, family
from protosphere.constructions.lattices.signed_vectors import all_signs, at_places
from protosphere.geometry.sphere import normalized
from protosphere.types import Points

Permutation = tuple[int, ...]

SEVENTH_DOUBLED = (0, 2, 4, 6, 1, 3, 5, 7, 9, 11, 13, 8, 10, 12)
"""The permutation i -> 2i mod 7 on each of two sets of seven coordinates."""


def _cycles(*lengths: int) -> Permutation:
    # each cycle consists of consecutive numbers
    starts = np.cumsum((0, *lengths))
    return tuple(
        int(start) + (i + 1) % length
        for start, length in zip(starts, lengths, strict=False)
        for i in range(length)
    )


ORBITS: dict[int, tuple[tuple[Permutation, ...], tuple[str, ...]]] = {
    10: ((_cycles(10),), ("0247", "0134", "0126")),
    11: (
        (_cycles(6, 3, 2),),
        ("018a", "0689", "026a", "0127", "0378", "0249", "039a", "0134"),
    ),
    12: (
        (_cycles(6, 6),),
        (
            "0378",
            "018b",
            "019a",
            "029b",
            "028a",
            "067b",
            "0127",
            "0369",
            "679a",
            "0134",
        ),
    ),
    14: (
        (_cycles(7, 7), SEVENTH_DOUBLED),
        ("01bc", "019a", "0178", "0acd", "013d", "789b", "0125"),
    ),
}
"""For each number n of coordinates: permutations that generate a group, and one quadruple of each orbit.

A quadruple is written as four hexadecimal digits, the indices of its coordinates.
"""

COUNTS = {9: 18, 10: 30, 11: 35, 12: 51, 13: 65, 14: 91}
"""A(n, 4, 4) by n: the sizes of optimal constant weight codes (Brouwer, Shearer, Sloane & Smith 1990)."""


@lru_cache
def quadruples(n: int) -> tuple[tuple[int, ...], ...]:
    """Return as many quadruples as possible, any two of which share at most two coordinates.

    A quadruple is a set of four of the coordinates 0, ..., n - 1. The number of returned quadruples is called A(n, 4,
    4).

    Args:
        n: Number of coordinates, from 9 to 14.
    """
    if n not in ORBITS:  # the quadruples of n + 1 coordinates without the last one
        return tuple(one for one in quadruples(n + 1) if n not in one)
    generators, representatives = ORBITS[n]
    first = [[int(place, 16) for place in one] for one in representatives]
    return images_of_sets(first, [by.__getitem__ for by in generators])


def images_of_sets(
    sets: Iterable[Iterable[int]], maps: Sequence[Callable[[int], int]]
) -> tuple[tuple[int, ...], ...]:
    """Return all images of sets of coordinates under a group of permutations.

    An image is a tuple of coordinates in ascending order. The images are sorted.

    Args:
        sets: Sets of coordinates.
        maps: Permutations that generate the group. Each is a function from a coordinate to its image.
    """
    found = set(map(frozenset, sets))
    fresh = found
    while fresh:
        fresh = {frozenset(map(image, one)) for one in fresh for image in maps} - found
        found = found | fresh
    return tuple(sorted(tuple(sorted(one)) for one in found))


@family(
    summary="vectors with four entries +-1 or one entry +-2, K up to 306 (n = 9) to 1484 (n = 14); max cosine 1/2",
    reference="Leech & Sloane (1971), Construction A; Brouwer, Shearer, Sloane & Smith (1990) for the quadruples",
)
def signed_quadruples() -> Iterator[Member]:
    """Yield a code of points at angles of at least 60 degrees in each of the spaces R^9 to R^14.

    The codes have more points than the minimal vectors of the best known lattices of these dimensions.
    """
    for n, count in COUNTS.items():
        yield dense_member(
            dim=n,
            size=16 * count + 2 * n,
            max_cosine=Fraction(1, 2),
            id=f"quadruples-{n}",
            description=f"{count} quadruples of {n} places with 16 signs each, and the axes",
            points=partial(_points, n),
            step=Fraction(1, 4),
        )


def _points(n: int, count: int) -> Points:
    signed = at_places(quadruples(n), all_signs(4), n)
    return normalized(np.concatenate([signed, 2 * np.eye(n), -2 * np.eye(n)])[:count])
