"""Shells of the Coxeter-Todd lattice K12, computed with Eisenstein integers.

Let E be the ring of the numbers a + b w, where a and b are integers and w is a third root of unity. A vector x of E^6
is in the lattice if its entries are congruent modulo theta = w - w^2 and their sum is a multiple of 3 (Conway & Sloane,
SPLAG, chapter 4, section 9).

This module measures squared norms in two scales. The Eisenstein norm of a vector is the sum of a^2 - a b + b^2 over its
entries a + b w. The usual squared norm is 2/3 of it. The shortest nonzero vectors have Eisenstein norm 6 and usual
squared norm 4.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from protosphere.constructions.families import Member, family
from protosphere.constructions.traits import Traits
from protosphere.geometry.lattice_coset import integer_basis
from protosphere.spherical.structures import LatticePoints
from protosphere.types import Indices, Points

SIZES = {
    4: 756,
    6: 4_032,
    8: 20_412,
    10: 60_480,
    12: 139_860,
    14: 326_592,
    16: 652_428,
    18: 1_020_096,
}
"""Number of lattice vectors of each usual squared norm. Shells of larger norm have too many vectors to be offered."""

ENTRIES = 6
TO_PLANE = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)]])
"""The Eisenstein integers 1 and w as points of the plane, one per row."""

THEOREM = "the Coxeter-Todd lattice has as shortest vectors those of norm 4"


@family(
    summary="shells of the Coxeter-Todd lattice, n = 12, K up to 756 (max cosine 1/2), 4032 (2/3), 20412 (3/4), ...",
    reference="Coxeter & Todd (1953); Conway & Sloane, SPLAG, chapter 4, section 9 (theta series)",
    traits=Traits(closed_form=True, quick_certificate=True),
)
def coxeter_todd_shell() -> Iterator[Member]:
    """Yield the shells of the Coxeter-Todd lattice in R^12.

    The lattice is scaled so that its shortest nonzero vectors have squared norm 4. A shell has all vectors of one
    squared norm N. The shells with N = 4, 6, 8, ..., 18 are yielded. The smallest squared distance of two vectors of a
    shell is 4, so the maximum cosine is 1 - 2/N.
    """
    for norm, size in SIZES.items():
        yield Member(
            dim=12,
            size=size,
            max_cosine=1 - Fraction(2, norm),
            id=f"k12-{norm}",
            description=f"Coxeter-Todd lattice, the shell of norm {norm}",
            structure=partial(_shell, norm),
        )


def _shell(norm: int, count: int) -> LatticePoints:
    vectors = shell_vectors_k12(norm)[:count]
    basis = integer_basis(shell_vectors_k12(4))
    return LatticePoints.shell(in_the_plane(vectors), in_the_plane(basis), 6, THEOREM)


def in_the_plane(vectors: Indices) -> Points:
    """Return vectors of six Eisenstein integers as points of R^12.

    An Eisenstein integer is a number a + b w with integers a and b, where w is a third root of unity.

    Args:
        vectors: Row i has the integers a_1, b_1, ..., a_6, b_6 of the entries a_j + b_j w of vector i.

    Returns:
        Points as rows, in which each entry a + b w has two coordinates. The squared norm of a point is the sum of a^2 -
        a b + b^2 over the entries of its vector.
    """
    return (vectors.reshape(-1, 2).astype(np.float64) @ TO_PLANE).reshape(
        len(vectors), -1
    )


def shell_vectors_k12(norm: int) -> Indices:
    """Return all vectors of one squared norm in the Coxeter-Todd lattice, as rows of 12 integers.

    The entries of a vector are the Eisenstein integers a_j + b_j w for j = 1, ..., 6, where w is a third root of unity.
    Its row is a_1, b_1, ..., a_6, b_6.

    Args:
        norm: Squared norm of the vectors, an even integer. The lattice is scaled so that its shortest nonzero vectors
            have squared norm 4.

    >>> [len(shell_vectors_k12(norm)) for norm in (2, 4, 6)]
    [0, 756, 4032]
    """
    eisenstein_norm = 3 * norm // 2
    return np.concatenate(
        [_vectors_of_residue(residue, eisenstein_norm) for residue in range(3)]
    )


def _vectors_of_residue(residue: int, norm: int) -> Indices:
    # the entries of a lattice vector have one residue modulo theta, and their sum is a multiple of 3; `norm` is the
    # Eisenstein norm
    choices = _entries_of_residue(residue, norm)
    norms = _norms(choices)
    least = int(_norms(choices).min())
    vectors = np.zeros((1, 0), dtype=np.int64)
    so_far = np.zeros(1, dtype=np.int64)
    for entry in range(ENTRIES):
        room = norm - least * (ENTRIES - 1 - entry)
        if entry < ENTRIES - 1:
            fits = so_far[:, None] + norms <= room
        else:
            fits = so_far[:, None] + norms == norm
        rows, columns = np.nonzero(fits)
        vectors = np.hstack([vectors[rows], choices[columns]])
        so_far = so_far[rows] + norms[columns]
    sums = vectors.reshape(-1, ENTRIES, 2).sum(axis=1)
    return vectors[np.all(sums % 3 == 0, axis=1)]


def _entries_of_residue(residue: int, largest_norm: int) -> Indices:
    # modulo theta, w is 1, so a + b is the residue of a + b w
    reach = np.arange(-largest_norm, largest_norm + 1)
    pairs = np.stack(np.meshgrid(reach, reach, indexing="ij"), axis=-1).reshape(-1, 2)
    return pairs[(_norms(pairs) <= largest_norm) & (pairs.sum(axis=1) % 3 == residue)]


def _norms(pairs: Indices) -> Indices:
    a = pairs[:, 0]
    b = pairs[:, 1]
    return a * a - a * b + b * b
