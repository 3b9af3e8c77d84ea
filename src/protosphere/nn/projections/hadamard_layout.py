"""Functions that find a small linear code whose cosets contain most of the given codewords.

Codewords are rows of bits, packed eight bits to a byte. Sums of codewords are modulo 2. The signs of a codeword are -1
for the bit 0 and +1 for the bit 1. A glue vector has the coordinates of a point that follow the signs of its codeword.
The all-one codeword has the bit 1 at all positions. A bin is a set of coordinates on which every codeword of the small
code is constant. The index of a codeword is its index in the binary code from which it was taken. Let s be the number
of codewords of the small code. A run consists of s codewords with consecutive indices, where the smallest index is a
multiple of s. A run is complete if all of its codewords are given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.hadamard import hadamard
from protosphere.coding.linear import pack, unpack
from protosphere.spherical.structures.sign_rows import SignRows
from protosphere.types import Indices, PackedBits, Points

FEWEST_BITS = 2
"""Smallest number of rows of `HadamardLayout.generator`."""

SMALLEST_SHARE = 0.75
"""Smallest fraction of the codewords that must lie in complete cosets; the other codewords become rows of a matrix."""

ADDITIONS_OF_PRODUCT = 0.5
"""Time of one multiplication and addition in a matrix product, relative to the time of an addition in a transform."""

CHUNK_COSETS = 1 << 12
"""Largest number of cosets that are processed at a time, to limit the memory."""


@dataclass(frozen=True, eq=False)
class HadamardLayout:
    """Description of codewords that are divided into cosets of a small linear code.

    The generators g_0, g_1, ... of the small code are the all-one codeword, if `antipodal` is True, followed by the
    rows of `generator`. Coset c consists of the sums of representatives[c] and the codewords of the small code.
    Codeword i of coset c is the sum of representatives[c] and all generators g_j for which bit j of i is 1.

    The point of a codeword of coset c consists of the codeword's signs times `coefficient`, followed by further
    coordinates, the glue vector glue_vectors[glue_of[c]], which may be empty.

    Attributes:
        length: Length of the codewords.
        coefficient: Factor by which the signs of a codeword are multiplied in a point.
        representatives: For each coset, one of its codewords, with its bits packed into bytes.
        generator: Generators of the small code, one per row, with their bits packed into bytes. If `antipodal` is True,
            the all-one codeword is a further generator, which is not in this array.
        antipodal: If True, the first generator is the all-one codeword. If False, there is no such additional
            generator.
        glue_vectors: Glue vectors, one per row.
        glue_of: For each coset, the index of its glue vector.
    """

    length: int
    coefficient: float
    representatives: PackedBits
    generator: PackedBits
    antipodal: bool
    glue_vectors: Points
    glue_of: Indices

    @property
    def dim(self) -> int:
        """Dimension n: the length of the codewords plus the length of the glue vectors."""
        return self.length + self.glue_vectors.shape[1]

    @property
    def per_coset(self) -> int:
        """Number of codewords of each coset: the number of codewords of the small code."""
        return 1 << (len(self.generator) + self.antipodal)

    @cached_property
    def bins(self) -> Indices:
        """For each coordinate, the index of its bin.

        Bit j of this index is the entry of row j of `generator` at the coordinate. All codewords of the small code are
        constant on a bin, so dot products first add the coordinates of each bin.
        """
        rows = unpack(self.generator, self.length).astype(np.int64)
        return (1 << np.arange(len(rows))) @ rows

    def sliced(self, first: int, last: int) -> HadamardLayout:
        """Return the layout of the cosets first, ..., last - 1.

        Args:
            first: Index of the first coset.
            last: One past the index of the last coset.
        """
        return replace(
            self,
            representatives=self.representatives[first:last],
            glue_of=self.glue_of[first:last],
        )

    def split(self, bits: int) -> HadamardLayout:
        """Return a layout of the same codewords in the same order, divided into cosets of a smaller code.

        The generators of the smaller code are the first `bits` rows of `generator` and, if `antipodal` is True, the
        all-one codeword.

        Args:
            bits: Number of rows of `generator` to keep. If `generator` does not have more rows, the result is equal to
                this layout.
        """
        kept = self.generator[:bits]
        others = self.generator[bits:]
        spanned = self.representatives[:, None]
        for row in others:
            spanned = np.concatenate([spanned, spanned ^ row], axis=1)
        words = spanned.reshape(-1, spanned.shape[2])
        glue_of = np.repeat(self.glue_of, spanned.shape[1])
        return replace(self, representatives=words, generator=kept, glue_of=glue_of)

    def arrays(self) -> dict[str, NDArray[np.float32] | NDArray[np.float64] | Indices]:
        """Return the arrays that a block with the points of this layout stores, by name.

        - "signs" has the shape (b, L, C): the signs of the representatives of the C cosets at the coordinates of each
          of the b bins. A bin is a set of coordinates on which the small code is constant. Each bin is padded with
          zeros to the size L of the largest bin.
        - "columns" has the indices of the coordinates of the first bin, then of the second bin, and so on. The indices
          of each bin are padded with zeros to L indices.
        - "inner" is the b x b Sylvester matrix. "outer" is equal to "inner" if `antipodal` is False. If `antipodal` is
          True, each column of "inner" is followed by its negative in "outer".
        - "glue_vectors" has the glue vectors, and "glue_of" has the index of the glue vector of each coset.
        """
        inner = hadamard(1 << len(self.generator)).astype(np.float32)
        if self.antipodal:
            both = np.stack([inner, -inner], axis=2).reshape(len(inner), -1)
        else:
            both = inner
        columns, flips = self.flips()
        by_column = np.ascontiguousarray(flips.T, dtype=np.float32)
        signs = by_column.reshape(len(inner), -1, len(flips))
        glue_of = np.ascontiguousarray(self.glue_of)
        return {
            "signs": signs,
            "columns": columns,
            "inner": inner,
            "outer": both.copy(),
            "glue_vectors": self.glue_vectors,
            "glue_of": glue_of,
        }

    def flips(self) -> tuple[Indices, NDArray[np.int8]]:
        """Return the indices of the coordinates sorted by bin, and the signs of the representatives in this order.

        A bin is a set of coordinates on which all codewords of the small code are constant.

        Returns:
            A vector of indices and a matrix of signs. The vector has the indices of the coordinates of bin 0, then
            those of bin 1, and so on; each bin is padded with zeros to the size of the largest bin. The matrix has one
            row per coset, with the signs of its representative, and one column per index. In the padding, the signs are
            0.
        """
        sizes = np.bincount(self.bins, minlength=1 << len(self.generator))
        filled = (np.arange(int(sizes.max())) < sizes[:, None]).reshape(-1)
        columns = np.zeros(filled.size, dtype=np.int64)
        columns[filled] = np.argsort(self.bins, kind="stable")
        flips = np.empty((len(self.representatives), columns.size), dtype=np.int8)
        for start in range(0, len(self.representatives), CHUNK_COSETS):
            chunk = slice(start, start + CHUNK_COSETS)
            bits = unpack(self.representatives[chunk], self.length)
            signs = 2 * bits.astype(np.int8) - 1
            flips[chunk] = signs[:, columns]
        flips *= filled
        return columns, flips


def found_layout(rows: SignRows) -> tuple[HadamardLayout, Indices] | None:
    """Return a layout that divides most of the codewords into cosets of a small linear code.

    If several layouts are possible, the result is the one with the lowest estimated cost.

    Args:
        rows: Points that begin with the signs of codewords. Its array `numbers` has the index of each codeword in the
            binary code from which the codeword was taken.

    Returns:
        The layout, and the indices in `rows` of the codewords in its cosets, coset by coset. The result is None if no
        layout is possible, or if the layout needs more than half of the multiplications of a product with the matrix of
        all codewords.
    """
    for bits, antipodal in _cheapest_first(rows):
        found = whole_cosets(rows, bits, antipodal)
        if found is not None:
            return found if _saves_half(found[0]) else None
    return None


def _saves_half(layout: HadamardLayout) -> bool:
    # The multiplications per codeword, compared with those of a dot product of the whole length.
    small = layout.split(split_bits(layout.length))
    largest_bin = int(np.bincount(small.bins).max())
    multiplications = largest_bin + (1 << len(small.generator))
    return 2 * multiplications <= layout.length


def split_bits(length: int) -> int:
    """Return the number m for which a small code of 2^m codewords needs nearly the fewest multiplications.

    With a small code of b codewords, a dot product with a codeword takes length / b + b multiplications on average.

    Args:
        length: Length of the codewords.
    """
    return ceil(log2(length) / 2 - 0.5)


def _cheapest_first(rows: SignRows) -> list[tuple[int, bool]]:
    # The pairs are arguments of `whole_cosets`. The estimate assumes that all complete runs of codewords are cosets.
    ordered = np.sort(rows.numbers)

    def additions(candidate: tuple[int, bool]) -> float:
        bits, antipodal = candidate
        size = 1 << (bits + antipodal)
        covered = len(_complete_run_starts(ordered, size)) * size
        by_transform = covered * (rows.length / (1 << bits) + bits) / (1 + antipodal)
        rest = len(ordered) - covered
        return by_transform + ADDITIONS_OF_PRODUCT * rows.length * rest

    sizes = [
        (b, a)
        for b in range(ceil(log2(rows.length)), FEWEST_BITS - 1, -1)
        for a in (True, False)
    ]
    return sorted(sizes, key=additions)


def whole_cosets(
    rows: SignRows, bits: int, antipodal: bool
) -> tuple[HadamardLayout, Indices] | None:
    """Return a layout of the codewords that form complete cosets of a small linear code.

    Let s be the number of codewords of the small code: 2^bits if `antipodal` is False, or 2^(bits + 1) if it is True.
    The index of a codeword is its index in the binary code from which it was taken. A run consists of s codewords with
    consecutive indices, where the smallest index is a multiple of s. A run is complete if `rows` has all of these
    codewords.

    The first complete run determines the small code: the codewords of the small code are the sums of the first codeword
    of this run and each codeword of this run. A complete run becomes a coset of the layout if it is a coset of the
    small code, and all of its points have the same further coordinates (glue vector) after the signs.

    Args:
        rows: Points that begin with the signs of codewords. Its array `numbers` has the indices of these codewords.
        bits: Number of generators of the small code. If `antipodal` is True, the all-one codeword is a further
            generator.
        antipodal: If True, the first generator is the all-one codeword. If False, there is no such additional
            generator.

    Returns:
        The layout, and the indices in `rows` of the codewords of its cosets, coset by coset. The result is None if the
        small code, in the order of the first complete run, is not a linear code of the form that a `HadamardLayout`
        describes with this `antipodal`, or if less than 75% of the codewords lie in the cosets of the layout.
    """
    order = np.argsort(rows.numbers, kind="stable")
    size = 1 << (bits + antipodal)
    blocks = order[
        _complete_run_starts(rows.numbers[order], size)[:, None] + np.arange(size)
    ]
    if blocks.size < SMALLEST_SHARE * len(rows.words):
        return None
    small = rows.words[blocks[0]] ^ rows.words[blocks[0, 0]]
    opposed = bool((small[1] == pack(np.ones(rows.length, dtype=np.uint8))).all())
    if opposed != antipodal or not _is_ordered_linear_code(small):
        return None
    blocks = blocks[_are_cosets_with_one_glue_vector(rows, blocks, small)]
    if blocks.size < SMALLEST_SHARE * len(rows.words):
        return None
    generator = small[1 << np.arange(antipodal, bits + antipodal)]
    cosets = rows.words[blocks[:, 0]]
    glue_of = rows.glue_of[blocks[:, 0]]
    layout = HadamardLayout(
        rows.length,
        rows.coefficient,
        cosets,
        generator,
        antipodal,
        rows.glue_vectors,
        glue_of,
    )
    return layout, blocks.reshape(-1)


def _complete_run_starts(ordered: Indices, size: int) -> Indices:
    # Positions in `ordered` at which `size` consecutive numbers begin, the first of which is a multiple of `size`.
    starts = np.flatnonzero(ordered % size == 0)
    starts = starts[starts + size <= len(ordered)]
    return starts[ordered[starts + size - 1] == ordered[starts] + size - 1]


def _is_ordered_linear_code(words: PackedBits) -> bool:
    # Word 0 is zero, and word i is the sum of the words 2^j over the bits j of i: i & -i is the lowest of them.
    i = np.arange(1, len(words))
    return not words[0].any() and np.array_equal(
        words[i], words[i & -i] ^ words[i & (i - 1)]
    )


def _are_cosets_with_one_glue_vector(
    rows: SignRows, blocks: Indices, small: PackedBits
) -> NDArray[np.bool_]:
    alike: list[NDArray[np.bool_]] = []
    for start in range(0, len(blocks), CHUNK_COSETS):
        chunk = blocks[start : start + CHUNK_COSETS]
        words = rows.words[chunk]
        glue = rows.glue_of[chunk]
        is_coset = (words == (words[:, :1] ^ small)).all(axis=(1, 2))
        has_one_glue_vector = (glue == glue[:, :1]).all(axis=1)
        alike.append(is_coset & has_one_glue_vector)
    return np.concatenate(alike)
