"""Shells of Barnes-Wall lattices: shells around several centers in dimension 16, minimal vectors in dimension 32.

A shell has all vectors of a lattice at one distance from a center. The minimal vectors of a lattice are its shortest
nonzero vectors. A deep hole is a point with the largest distance from the lattice.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from protosphere.coding.linear import codewords, unpack
from protosphere.coding.reed_muller import generator_rows
from protosphere.constructions.families import Member, family
from protosphere.constructions.lattices.construction_b import (
    SmallIntegers,
    shell_member,
)
from protosphere.constructions.lattices.signed_vectors import at_places
from protosphere.constructions.traits import Traits
from protosphere.geometry.lattice_coset import integer_basis
from protosphere.spherical.structures import LatticePoints

ORIGIN = (0,) * 16
OFF_CENTER = (1, *(0,) * 15)
BENT = tuple((i & i >> 1 & 1) ^ (i >> 2 & i >> 3 & 1) for i in range(16))
"""Values of the bent function x1 x2 + x3 x4.

This point is a deep hole: 512 lattice points are at squared distance 6 from it.
"""

SHELLS = (
    (BENT, 6, 512, "around a deep hole"),
    (OFF_CENTER, 7, 960, "around (1, 0, ..., 0)"),
    (ORIGIN, 8, 4_320, "minimal vectors"),
    (BENT, 10, 18_432, "around a deep hole"),
    (ORIGIN, 12, 61_440, "around the origin"),
    (BENT, 14, 193_536, "around a deep hole"),
    (ORIGIN, 16, 522_720, "around the origin"),
    (BENT, 18, 1_126_400, "around a deep hole"),
    (ORIGIN, 20, 2_211_840, "around the origin"),
)
"""Center, squared radius (8 for the shortest vectors), number of points, and text of each shell.

Every other shell around one of these centers, up to squared radius 20, has fewer points than one of these shells, and
no lower maximum cosine.
"""

SPREAD = 61
"""Step through the minimal vectors of dimension 32: every 61st is enough to span the lattice."""


@family(
    summary="shells of Barnes-Wall lattices, n = 16, K up to 512 (max cosine 1/3), 4320 (1/2), ..., and n = 32",
    reference="Barnes & Wall (1959); Conway & Sloane, SPLAG, chapter 4, section 10",
    traits=Traits(closed_form=True, quick_certificate=True),
)
def barnes_wall_shell() -> Iterator[Member]:
    """Yield shells of Barnes-Wall lattices: directions from a center to all lattice vectors at one distance.

    In dimension 16 the centers are a lattice point, a deep hole (a point with the largest distance from the lattice)
    and the point (1, 0, ..., 0). The scale is chosen so that the minimum squared norm is 8. Since two vectors differ by
    a lattice vector, the maximum cosine of the vectors at squared distance R is 1 - 4/R. In dimension 32 there is one
    shell, the minimal vectors, with maximum cosine 1/2.
    """
    code = generator_rows(1, 4)
    for center, norm, size, where in SHELLS:
        id = f"bw16-{norm}"
        description = (
            f"Barnes-Wall 16, {where}, squared radius {norm}/8 of the shortest"
        )
        yield shell_member(code, center, norm, size, id, description)
    yield Member(
        dim=32,
        size=146_880,
        max_cosine=Fraction(1, 2),
        id="bw32-minimal",
        description="Barnes-Wall 32, minimal vectors",
        structure=_minimal_vectors_32,
    )


def _minimal_vectors_32(count: int) -> LatticePoints:
    vectors = barnes_wall_minimal_vectors(5)
    basis = integer_basis(vectors[::SPREAD].astype(np.int64))
    return LatticePoints.shell(
        vectors[:count],
        basis,
        16,
        "Barnes-Wall 32 has as shortest vectors those of norm 16",
    )


def barnes_wall_minimal_vectors(m: int) -> SmallIntegers:
    """Return the minimal vectors of the Barnes-Wall lattice of dimension 2^m, as rows of integers.

    Each coordinate belongs to a point of GF(2)^m, a vector of m bits. A minimal vector is zero outside of an affine
    subspace of even dimension r. On the subspace all entries have the same absolute value, and their signs are a
    codeword of the second-order Reed-Muller code RM(2, r).

    >>> [len(barnes_wall_minimal_vectors(m)) for m in (2, 3, 4)]  # D4, E8, Barnes-Wall 16
    [24, 240, 4320]
    """
    blocks: list[SmallIntegers] = []
    top = m - m % 2
    for r in range(top, -1, -2):
        rows = generator_rows(min(r, 2), r)
        signs = 1 - 2 * unpack(codewords(rows, 1 << len(rows)), 1 << r).astype(np.int8)
        signs *= np.int8(2 ** ((top - r) // 2))
        blocks.append(at_places(_points_of_affine_subspaces(m, r), signs, 1 << m))
    return np.concatenate(blocks)


def _points_of_affine_subspaces(m: int, r: int) -> Iterator[list[int]]:
    for basis in _bases_of_subspaces(m, r):
        # point i is the sum of the basis vectors j for which bit j of i is 1
        points = [0]
        for vector in basis:
            points += [point ^ vector for point in points]
        leaders = [i for i in range(1 << m) if i == min(i ^ point for point in points)]
        yield from ([leader ^ point for point in points] for leader in leaders)


def _bases_of_subspaces(m: int, r: int) -> Iterator[tuple[int, ...]]:
    # the highest bit of a basis vector is 0 in all other vectors of the basis
    if r == 0:
        yield ()
        return
    for smaller in _bases_of_subspaces(m, r - 1):
        leads = sum(1 << (vector.bit_length() - 1) for vector in smaller)
        first = 1 << (smaller[-1].bit_length() if smaller else 0)
        yield from (
            (*smaller, vector) for vector in range(first, 1 << m) if not vector & leads
        )
