"""Minimal vectors of laminated lattices, the sections of the Leech lattice with the most of them."""

from collections.abc import Iterator
from fractions import Fraction

from protosphere.constructions.families import Member, family
from protosphere.constructions.lattices.leech import octad_of_first_five
from protosphere.constructions.lattices.sections import LEECH, Section, sparse

SIZES = {23: 93_150, 22: 49_896, 21: 27_720, 20: 17_400, 19: 10_668, 18: 7_398, 17: 5_346}


def _chain() -> tuple[tuple[int, ...], ...]:
    """Minimal vectors spanning A1, A2, A3, D4, D5, E6, E7 (times sqrt 2) in turn, all within one octad."""
    a, b, c, d, e, _, _, last = octad = octad_of_first_five()
    return (
        sparse(24, {a: 4, b: -4}),
        sparse(24, {b: 4, c: -4}),
        sparse(24, {c: 4, d: -4}),
        sparse(24, {a: 4, b: 4}),
        sparse(24, {d: 4, e: -4}),
        sparse(24, dict.fromkeys(octad, 2)),
        sparse(24, {e: 4, last: -4}),
    )


@family(
    summary="minimal vectors of laminated lattices, n = 17 to 23: max cosine 1/2, K <= 5346 (n = 17) to 93150 (n = 23)",
    reference="Conway & Sloane (1982); SPLAG, chapter 6, table 6.3",
)
def laminated() -> Iterator[Member]:
    """The minimal vectors of the Leech lattice orthogonal to a root lattice A1, A2, A3, D4, D5, E6 or E7 in it.

    Those of Lambda_n are orthogonal to those of Lambda_(24-n), for n from 17 to 23.
    """
    for n in sorted(SIZES):
        fixed, products = _chain()[: 24 - n], (0,) * (24 - n)
        yield Section(n, SIZES[n], Fraction(1, 2), LEECH, fixed, products, f"laminated lattice {n}").member
