"""How the words of a code fall into cosets of a small linear code: found in the words themselves."""

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
SMALLEST_SHARE = 0.75
"""The share of the words that must lie in whole cosets; the others become rows of a matrix."""

ADDITIONS_OF_PRODUCT = 0.5
"""What a multiplication and addition within a product of matrices takes, against an addition of a transform."""

CHUNK_COSETS = 1 << 12


@dataclass(frozen=True, eq=False)
class HadamardLayout:
    """Cosets representatives[c] + span(generator), the all-one word added as the first row where `antipodal`.

    Word number i of a coset is the sum of the rows at the bits of i; as a point it is signs times `coefficient`, and
    then tails[tail_of[c]].
    """

    length: int
    coefficient: float
    representatives: PackedBits
    generator: PackedBits
    antipodal: bool
    tails: Points
    tail_of: Indices

    @property
    def dim(self) -> int:
        """n, with the tail."""
        return self.length + self.tails.shape[1]

    @property
    def per_coset(self) -> int:
        """How many words a coset has."""
        return 1 << (len(self.generator) + self.antipodal)

    @cached_property
    def bins(self) -> Indices:
        """For each coordinate the number whose bits are the generator's rows there."""
        rows = unpack(self.generator, self.length).astype(np.int64)
        return (1 << np.arange(len(rows))) @ rows

    def sliced(self, first: int, last: int) -> HadamardLayout:
        """The cosets number first, ..., last - 1 alone."""
        return replace(
            self,
            representatives=self.representatives[first:last],
            tail_of=self.tail_of[first:last],
        )

    def split(self, bits: int) -> HadamardLayout:
        """The same words in the same order, as cosets of the code of the first rows, `bits` of them at most."""
        kept = self.generator[:bits]
        others = self.generator[bits:]
        spanned = self.representatives[:, None]
        for row in others:
            spanned = np.concatenate([spanned, spanned ^ row], axis=1)
        words = spanned.reshape(-1, spanned.shape[2])
        tail_of = np.repeat(self.tail_of, spanned.shape[1])
        return replace(self, representatives=words, generator=kept, tail_of=tail_of)

    def arrays(self) -> dict[str, NDArray[np.float32] | NDArray[np.float64] | Indices]:
        """The buffers of a HadamardBlock; see there."""
        inner = hadamard(1 << len(self.generator)).astype(np.float32)
        if self.antipodal:
            both = np.stack([inner, -inner], axis=2).reshape(len(inner), -1)
        else:
            both = inner
        columns, flips = self.flips()
        signs = np.ascontiguousarray(flips.T, dtype=np.float32).reshape(
            len(inner), -1, len(flips)
        )
        tail_of = np.ascontiguousarray(self.tail_of)
        return {"signs": signs, "columns": columns, "inner": inner, "words": both.copy(), "tails": self.tails,
                "tail_of": tail_of}  # fmt: skip

    def flips(self) -> tuple[Indices, NDArray[np.int8]]:
        """The coordinates bin by bin, all bins filled up to the size of the largest; each coset's signs there, or 0."""
        sizes = np.bincount(self.bins, minlength=1 << len(self.generator))
        filled = (np.arange(int(sizes.max())) < sizes[:, None]).reshape(-1)
        columns = np.zeros(filled.size, dtype=np.int64)
        columns[filled] = np.argsort(self.bins, kind="stable")
        flips = np.empty((len(self.representatives), columns.size), dtype=np.int8)
        for start in range(0, len(self.representatives), CHUNK_COSETS):
            bits = unpack(
                self.representatives[start : start + CHUNK_COSETS], self.length
            )
            flips[start : start + CHUNK_COSETS] = (2 * bits.astype(np.int8) - 1)[
                :, columns
            ]
        flips *= filled
        return columns, flips


def found_layout(rows: SignRows) -> tuple[HadamardLayout, Indices] | None:
    """The cosets of the linear code that saves most, with at most about n words, and which rows they are in order."""
    for bits, antipodal in _cheapest_first(rows):
        found = whole_cosets(rows, bits, antipodal)
        if found is not None:
            small = found[0].split(split_bits(rows.length))
            largest_bin = int(np.bincount(small.bins).max())
            if 2 * (largest_bin + (1 << len(small.generator))) <= rows.length:
                return found
            return None
    return None


def split_bits(length: int) -> int:
    """log2 of the words of a small code for which n / words + words is small."""
    return ceil(log2(length) / 2 - 0.5)


def _cheapest_first(rows: SignRows) -> list[tuple[int, bool]]:
    """Sizes of small codes, by the additions a vector takes if all that can be whole cosets are."""
    ordered = np.sort(rows.numbers)

    def additions(size: tuple[int, bool]) -> float:
        bits, antipodal = size
        words = len(_whole_starts(ordered, 1 << (bits + antipodal))) << (
            bits + antipodal
        )
        by_transform = words * (rows.length / (1 << bits) + bits) / (1 + antipodal)
        return by_transform + ADDITIONS_OF_PRODUCT * rows.length * (
            len(ordered) - words
        )

    sizes = [
        (b, a)
        for b in range(ceil(log2(rows.length)), FEWEST_BITS - 1, -1)
        for a in (True, False)
    ]
    return sorted(sizes, key=additions)


def whole_cosets(
    rows: SignRows, bits: int, antipodal: bool
) -> tuple[HadamardLayout, Indices] | None:
    """Whole cosets of the code of the first `bits` rows, with the all-one word or not, and their rows; None if few."""
    order = np.argsort(rows.numbers, kind="stable")
    size = 1 << (bits + antipodal)
    blocks = order[_whole_starts(rows.numbers[order], size)[:, None] + np.arange(size)]
    if blocks.size < SMALLEST_SHARE * len(rows.words):
        return None
    small = rows.words[blocks[0]] ^ rows.words[blocks[0, 0]]
    opposed = bool((small[1] == pack(np.ones(rows.length, dtype=np.uint8))).all())
    if opposed != antipodal or not _linear(small):
        return None
    blocks = blocks[_alike(rows, blocks, small)]
    if blocks.size < SMALLEST_SHARE * len(rows.words):
        return None
    generator = small[1 << np.arange(antipodal, bits + antipodal)]
    cosets = rows.words[blocks[:, 0]]
    tail_of = rows.tail_of[blocks[:, 0]]
    layout = HadamardLayout(
        rows.length, rows.coefficient, cosets, generator, antipodal, rows.tails, tail_of
    )
    return layout, blocks.reshape(-1)


def _whole_starts(ordered: Indices, size: int) -> Indices:
    """Where in rising numbers whole stretches jw, ..., jw + w - 1 begin, w being the size."""
    starts = np.flatnonzero(ordered % size == 0)
    starts = starts[starts + size <= len(ordered)]
    return starts[ordered[starts + size - 1] == ordered[starts] + size - 1]


def _linear(words: PackedBits) -> bool:
    """Whether word i is the sum of the words number 2^j, j the bits of i."""
    i = np.arange(1, len(words))
    return not words[0].any() and np.array_equal(
        words[i], words[i & -i] ^ words[i & (i - 1)]
    )


def _alike(rows: SignRows, blocks: Indices, small: PackedBits) -> NDArray[np.bool_]:
    """Which blocks are cosets of the small code, with one tail."""
    alike: list[NDArray[np.bool_]] = []
    for start in range(0, len(blocks), CHUNK_COSETS):
        chunk = blocks[start : start + CHUNK_COSETS]
        words = rows.words[chunk]
        tails = rows.tail_of[chunk]
        alike.append(
            (words == (words[:, :1] ^ small)).all(axis=(1, 2))
            & (tails == tails[:, :1]).all(axis=1)
        )
    return np.concatenate(alike)
