"""How the words of a code fall into cosets of a small linear code: found in the words themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from protosphere.codes.hadamard import hadamard
from protosphere.codes.linear import unpack
from protosphere.types import Indices, PackedBits, Points

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

    @property
    def num_words(self) -> int:
        """How many words there are."""
        return len(self.representatives) * self.per_coset

    @cached_property
    def bins(self) -> Indices:
        """For each coordinate the number whose bits are the generator's rows there."""
        rows = unpack(self.generator, self.length).astype(np.int64)
        return (1 << np.arange(len(rows))) @ rows

    @property
    def largest_bin(self) -> int:
        """The most coordinates in a bin."""
        return int(np.bincount(self.bins).max())

    def sliced(self, first: int, last: int) -> HadamardLayout:
        """The cosets number first, ..., last - 1 alone."""
        return replace(self, representatives=self.representatives[first:last], tail_of=self.tail_of[first:last])

    def split(self, bits: int) -> HadamardLayout:
        """The same words in the same order, as cosets of the code of the first rows, `bits` of them at most."""
        kept, others = self.generator[:bits], self.generator[bits:]
        spanned = self.representatives[:, None]
        for row in others:
            spanned = np.concatenate([spanned, spanned ^ row], axis=1)
        words, tail_of = spanned.reshape(-1, spanned.shape[2]), np.repeat(self.tail_of, spanned.shape[1])
        return replace(self, representatives=words, generator=kept, tail_of=tail_of)

    def arrays(self) -> dict[str, NDArray[np.float32] | NDArray[np.float64] | Indices]:
        """The buffers of a HadamardPart; see there."""
        inner = hadamard(1 << len(self.generator)).astype(np.float32)
        both = np.stack([inner, -inner], axis=2).reshape(len(inner), -1) if self.antipodal else inner
        columns, flips = self.flips()
        signs = np.empty((len(inner), self.largest_bin, len(flips)), dtype=np.float32)
        signs.reshape(len(columns), -1)[:] = flips.T
        tail_of = np.ascontiguousarray(self.tail_of)
        return {"signs": signs, "columns": columns, "inner": inner, "words": both.copy(), "tails": self.tails,
                "tail_of": tail_of}  # fmt: skip

    def flips(self) -> tuple[Indices, NDArray[np.int8]]:
        """The coordinates bin by bin, all bins filled up to the size of the largest; each coset's signs there, or 0."""
        columns, filled = self._columns()
        flips = np.empty((len(self.representatives), columns.size), dtype=np.int8)
        for start in range(0, len(self.representatives), CHUNK_COSETS):
            bits = unpack(self.representatives[start : start + CHUNK_COSETS], self.length)
            flips[start : start + CHUNK_COSETS] = (2 * bits.astype(np.int8) - 1)[:, columns.reshape(-1)]
        flips *= filled.reshape(-1)
        return columns.reshape(-1), flips

    def _columns(self) -> tuple[Indices, NDArray[np.bool_]]:
        """(bins, places): the coordinates of each bin, 0 where it has fewer than the largest; and which are there."""
        count = 1 << len(self.generator)
        order = np.argsort(self.bins, kind="stable")
        sizes = np.bincount(self.bins, minlength=count)
        place = np.arange(self.length) - (np.cumsum(sizes) - sizes)[self.bins[order]]
        columns = np.zeros((count, self.largest_bin), dtype=np.int64)
        columns[self.bins[order], place] = order
        return columns, np.arange(self.largest_bin) < sizes[:, None]
