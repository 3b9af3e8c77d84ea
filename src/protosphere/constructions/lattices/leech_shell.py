"""Shells of the Leech lattice: its minimal vectors, and the vectors in the second shell around a hole of type 3.

The minimal vectors are the shortest nonzero lattice vectors. A hole is a point whose distance from the lattice is a
local maximum. A hole of type 3 is half of a lattice vector of squared norm 6, in the scale in which the minimal vectors
have squared norm 4. The second shell around a hole has the lattice vectors at the second smallest distance from it.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from protosphere.constructions.families import Member, family
from protosphere.constructions.lattices.construction_b import SmallIntegers
from protosphere.constructions.lattices.leech import (
    LEAST_NORM,
    leech_basis,
    leech_minimal_vectors,
)
from protosphere.constructions.traits import Traits
from protosphere.spherical.structures import LatticePoints

TYPE_3 = (5, *(1,) * 23)
"""A lattice vector c of squared norm 48 (6 in the usual scale of the lattice), for which c / 2 is a hole of type 3."""

THEOREM = "the Leech lattice has as shortest vectors those of norm 4"


@family(
    summary="shells of the Leech lattice, n = 24, K up to 22356 (max cosine 3/7) or 196560 (1/2, optimal)",
    reference="Leech (1967); Conway & Sloane, SPLAG, chapters 4.11, 10 and 13",
    traits=Traits(closed_form=True, quick_certificate=True),
)
def leech_shell() -> Iterator[Member]:
    """Yield two codes in R^24: the 196,560 minimal vectors of the Leech lattice, and 22,356 points around a hole.

    The hole is half a lattice vector of squared norm 6, and the minimal vectors have squared norm 4. The 22,356 points
    are the directions from the hole to the lattice vectors at squared distance 7/2.
    """
    yield Member(
        dim=24,
        size=22_356,
        max_cosine=Fraction(3, 7),
        id="leech-hole",
        description="Leech lattice, second shell around a type 3 hole",
        structure=partial(_shell, hole_vectors, 2),
    )
    yield Member(
        dim=24,
        size=196_560,
        max_cosine=Fraction(1, 2),
        id="leech-minimal",
        description="Leech lattice, minimal vectors",
        structure=partial(_shell, leech_minimal_vectors, 1),
    )


def _shell(
    vectors: Callable[[], SmallIntegers], scale: int, count: int
) -> LatticePoints:
    return LatticePoints.shell(
        vectors()[:count], scale * leech_basis(), scale**2 * LEAST_NORM, THEOREM
    )


def hole_vectors() -> SmallIntegers:
    """Return vectors from a hole of the Leech lattice to lattice vectors, times 2, as integer rows.

    The hole is c / 2 for the lattice vector c = (5, 1, ..., 1). In these coordinates, the minimal vectors of the
    lattice have squared norm 32, and c has squared norm 48. The rows belong to the lattice vectors in the second shell
    around the hole: those at the second smallest distance. The first half of the rows are the vectors 2v - c for all
    minimal vectors v that have inner product 16 with c. The other rows are their negatives.
    """
    vectors = leech_minimal_vectors().astype(np.int64)
    halves = 2 * vectors[vectors @ TYPE_3 == 16] - TYPE_3
    return np.concatenate([halves, -halves]).astype(np.int8)
