"""Words sorted into cosets of a small linear code, if they are such."""

from __future__ import annotations

from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from protosphere.codes.linear import pack
from protosphere.nn.projections.hadamard_layout import HadamardLayout
from protosphere.nn.projections.sign_rows import SignRows
from protosphere.types import Indices, PackedBits

FEWEST_BITS = 2
SMALLEST_SHARE = 0.75
"""Of the words so many must lie in whole cosets: the others become rows of a matrix."""

CHUNK_COSETS = 1 << 12


def found_layout(rows: SignRows) -> tuple[HadamardLayout, Indices] | None:
    """The cosets of the largest small code that serves, with about sqrt(n) words, and which rows they are in order."""
    for bits in range(ceil(log2(rows.length) / 2 - 0.5), FEWEST_BITS - 1, -1):
        for antipodal in (True, False):
            found = whole_cosets(rows, bits, antipodal)
            if found is not None and 2 * (found[0].largest_bin + (1 << bits)) <= rows.length:
                return found
    return None


def whole_cosets(rows: SignRows, bits: int, antipodal: bool) -> tuple[HadamardLayout, Indices] | None:
    """The whole cosets of the code of the first `bits` rows, with the all-one word or without, and which rows they are.

    None where few of the words are in such.
    """
    blocks = _whole_blocks(rows.numbers, 1 << (bits + antipodal))
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
    representatives, tail_of = rows.words[blocks[:, 0]], rows.tail_of[blocks[:, 0]]
    layout = HadamardLayout(
        rows.length, rows.coefficient, representatives, generator, antipodal, rows.tails, tail_of
    )  # fmt: skip
    return layout, blocks.reshape(-1)


def _whole_blocks(numbers: Indices, size: int) -> Indices:
    """Rows with the numbers jw, ..., jw + w - 1, one j a row, for all j for which all w = `size` are there."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    starts = np.flatnonzero(ordered % size == 0)
    starts = starts[starts + size <= len(ordered)]
    starts = starts[ordered[starts + size - 1] == ordered[starts] + size - 1]
    return order[starts[:, None] + np.arange(size)]


def _linear(words: PackedBits) -> bool:
    """Whether word i is the sum of the words number 2^j, j the bits of i."""
    summed = words[:1]
    while len(summed) < len(words):
        summed = np.vstack([summed, summed ^ words[len(summed)]])
    return np.array_equal(summed, words)


def _alike(rows: SignRows, blocks: Indices, small: PackedBits) -> NDArray[np.bool_]:
    """Which blocks are cosets of the small code, with one tail."""
    alike = np.empty(len(blocks), dtype=np.bool_)
    for start in range(0, len(blocks), CHUNK_COSETS):
        chunk = blocks[start : start + CHUNK_COSETS]
        words, tails = rows.words[chunk], rows.tail_of[chunk]
        same = (words == (words[:, :1] ^ small)).all(axis=(1, 2)) & (tails == tails[:, :1]).all(axis=1)
        alike[start : start + CHUNK_COSETS] = same
    return alike
