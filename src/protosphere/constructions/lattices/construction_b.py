"""Shells of lattices made from binary codes by Construction B.

The lattice of a binary code C has all integer vectors x of n entries with two properties: x modulo 2 is in C, and the
sum of the entries of x is a multiple of 4. The code must be doubly even: the number of ones of each codeword is a
multiple of 4.

The repetition code of length 8 gives E8, and RM(1,4) gives the Barnes-Wall lattice of dimension 16. In this scale, the
minimum squared norm of both lattices is 8 (Conway & Sloane, SPLAG, chapter 5, section 3). A shell has all lattice
vectors at one squared distance R from a center. Two of them differ by a lattice vector, so the cosines of the
directions from the center to these vectors are at most 1 - 4/R.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.linear import codewords, unpack
from protosphere.constructions.families import Member
from protosphere.geometry.lattice_coset import integer_basis
from protosphere.spherical.structures import LatticePoints
from protosphere.types import PackedBits

SmallIntegers = NDArray[np.int8]
LEAST_NORM = 8


def shell_member(
    code: PackedBits,
    center: tuple[int, ...],
    norm: int,
    size: int,
    id: str,
    description: str,
) -> Member:
    """Return a shell of the Construction B lattice of a binary code as a member of a family of codes.

    The lattice has all integer vectors x that are congruent to a codeword modulo 2 and whose entries have a sum
    divisible by 4. The shell has the vectors x - center of squared norm `norm`. Vectors whose x is congruent to the
    same codeword are consecutive.

    Args:
        code: Rows of a generator matrix, packed eight bits to a byte. The number of ones of each codeword must be a
            multiple of 4.
        center: Integer point from which distances are measured.
        norm: Squared norm of the vectors x - center.
        size: Number of vectors in the shell.
        id: Identifier of the member in its family.
        description: Text that says what the shell is.
    """

    def structure(count: int) -> LatticePoints:
        vectors = shell_vectors(code, center, norm, count)
        return LatticePoints.shell(
            vectors, lattice_basis(code), LEAST_NORM, "Construction B has least norm 8"
        )

    max_cosine = 1 - Fraction(LEAST_NORM, 2 * norm)
    return Member(len(center), size, max_cosine, id, description, structure)


def shell_vectors(
    code: PackedBits, center: tuple[int, ...], norm: int, count: int | None = None
) -> SmallIntegers:
    """Return the vectors x - center of squared norm `norm` as rows, for all x in the Construction B lattice of a code.

    The lattice has all integer vectors x that are congruent to a codeword modulo 2 and whose entries have a sum
    divisible by 4.

    Args:
        code: Rows of a generator matrix, packed eight bits to a byte. The number of ones of each codeword must be a
            multiple of 4.
        center: Integer point from which distances are measured.
        norm: Squared norm of the vectors x - center.
        count: Number of vectors to return. If it is None, all vectors are returned.
    """
    found: list[SmallIntegers] = []
    num_found = 0
    for block in _blocks(code, np.array(center), norm):
        found.append(block)
        num_found += len(block)
        if count is not None and num_found >= count:
            break
    return np.concatenate(found)[:count]


def lattice_basis(code: PackedBits) -> NDArray[np.int64]:
    """Return a basis of the Construction B lattice of a code, as the rows of a triangular integer matrix.

    The lattice has all integer vectors that are congruent to a codeword modulo 2 and whose entries have a sum divisible
    by 4.

    Args:
        code: Rows of a generator matrix, packed eight bits to a byte. The number of ones of each codeword must be a
            multiple of 4.
    """
    n = 8 * code.shape[1]  # every code here has a multiple of 8 as its length
    # The codewords, the vector 4 e_0 and the vectors 2 e_0 + 2 e_i for i > 0 generate the lattice.
    evens = 2 * np.eye(n, dtype=np.int64)
    evens[:, 0] += 2
    words = unpack(code, n).astype(np.int64)
    return integer_basis(np.concatenate([words, evens]))


def _blocks(
    code: PackedBits, center: NDArray[np.int64], norm: int
) -> Iterator[SmallIntegers]:
    words = unpack(codewords(code, 1 << len(code)), len(center)).astype(np.int64)
    rest = int(-center.sum()) % 4
    # One block for each codeword and each squared norm of the odd entries.
    for residues in (words + center) % 2:
        odd = np.flatnonzero(residues)
        even = np.flatnonzero(residues == 0)
        for odd_norm in range(len(odd), norm + 1, 8):
            left = vectors(1, len(odd), odd_norm)
            right = vectors(0, len(even), norm - odd_norm)
            left_sums = left.sum(axis=1, dtype=np.int64)
            right_sums = right.sum(axis=1, dtype=np.int64)
            totals = left_sums[:, None] + right_sums
            i, j = np.nonzero(totals % 4 == rest)
            block = np.empty((len(i), len(center)), dtype=np.int8)
            block[:, odd] = left[i]
            block[:, even] = right[j]
            yield block


@lru_cache(maxsize=4096)
def vectors(parity: int, length: int, norm: int) -> SmallIntegers:
    """Return every integer vector of a given length and squared norm with only odd or only even entries, as rows.

    Args:
        parity: 1 for odd entries, 0 for even entries.
        length: Number of entries.
        norm: Squared norm.

    >>> vectors(1, 2, 10).tolist()
    [[-1, -3], [-1, 3], [1, -3], [1, 3], [-3, -1], [-3, 1], [3, -1], [3, 1]]
    """
    if length == 0:
        return np.zeros((int(norm == 0), 0), dtype=np.int8)
    if length == 1:
        root = isqrt(norm)
        entries: list[int] = []
        if root * root == norm and root % 2 == parity:
            entries = sorted({-root, root})
        return np.array(entries, dtype=np.int8).reshape(-1, 1)
    # the squared length is divided between the halves in all possible ways
    half = length // 2
    found = [np.zeros((0, length), dtype=np.int8)]
    for share in range(half * parity, norm + 1, 8 if parity else 4):
        left = vectors(parity, half, share)
        right = vectors(parity, length - half, norm - share)
        lefts = np.repeat(left, len(right), axis=0)
        rights = np.tile(right, (len(left), 1))
        found.append(np.concatenate([lefts, rights], axis=1))
    return np.concatenate(found)
