"""Minimal vectors of the laminated lattices of dimensions 17 to 23, which are sections of the Leech lattice."""

from collections.abc import Iterator
from fractions import Fraction

from protosphere.constructions.families import Member, family
from protosphere.constructions.lattices.sections import LEECH, Section, sparse
from protosphere.constructions.traits import Traits

SIZES = {
    23: 93_150,
    22: 49_896,
    21: 27_720,
    20: 17_400,
    19: 10_668,
    18: 7_398,
    17: 5_346,
}

OCTAD = (0, 1, 2, 3, 4, 15, 17, 20)
"""Coordinates of the ones of the codeword of weight 8 of the Golay code that has ones at the coordinates 0 to 4."""

CHAIN = (
    sparse(24, {0: 4, 1: -4}),
    sparse(24, {1: 4, 2: -4}),
    sparse(24, {2: 4, 3: -4}),
    sparse(24, {0: 4, 1: 4}),
    sparse(24, {3: 4, 4: -4}),
    sparse(24, dict.fromkeys(OCTAD, 2)),
    sparse(24, {4: 4, 20: -4}),
)
"""Minimal vectors of the Leech lattice.

The first 1, 2, ..., 7 of them span the root lattices A1, A2, A3, D4, D5, E6 and E7, multiplied by sqrt(2).
"""


@family(
    summary="minimal vectors of laminated lattices, K up to 5346 (n = 17) to 93150 (n = 23); max cosine 1/2",
    reference="Conway & Sloane (1982); SPLAG, chapter 6, table 6.3",
    traits=Traits(quick_certificate=True),
)
def laminated() -> Iterator[Member]:
    """Yield the minimal vectors of the laminated lattices Lambda_n for n from 17 to 23.

    They are the minimal vectors of the Leech lattice that are orthogonal to a sublattice of dimension 24 - n. For n =
    23, 22, ..., 17, this sublattice is sqrt(2) times the root lattice A1, A2, A3, D4, D5, E6 and E7, respectively.
    """
    for n in sorted(SIZES):
        fixed = CHAIN[: 24 - n]
        products = (0,) * (24 - n)
        yield Section(
            dim=n,
            size=SIZES[n],
            max_cosine=Fraction(1, 2),
            parent=LEECH,
            fixed=fixed,
            products=products,
            id=f"laminated-{n}",
            name=f"laminated lattice {n}",
        ).member
