"""Binary linear codes as packed generator matrices, the words they span, and the distances between those.

MacWilliams & Sloane, The Theory of Error-Correcting Codes, chapter 1.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from protosphere.errors import InfeasibleError, InvalidArgumentError, as_integer
from protosphere.types import Indices, PackedBits

LARGEST_MESSAGE_BITS = 62
CHUNK_BYTES = 1 << 20
CHUNK_WORDS = 1 << 16
TABLE_BITS = 10
"""Rows of a generator whose sums are a table: of 1024 words, which a processor's second cache holds."""


def packed_length(n: int) -> int:
    """How many bytes hold n bits."""
    return (n + 7) // 8


def pack(bits: ArrayLike) -> PackedBits:
    """Rows of zeros and ones, packed eight to a byte, first bit highest."""
    return np.packbits(np.ascontiguousarray(bits, dtype=np.uint8), axis=-1)


def unpack(packed: PackedBits, n: int) -> NDArray[np.uint8]:
    """The first n bits of every row, one per byte."""
    return np.unpackbits(packed, axis=-1, count=n)


def codewords(generator: PackedBits, count: int, start: int = 0) -> PackedBits:
    """The words number start, ..., start + count - 1 of the span; `start` is a multiple of a power of two >= `count`.

    Word number j is the sum of the rows i for which bit i of j is set, the least significant bit being row 0. The
    words grow by doubling, so each costs one pass over its bytes.

    >>> unpack(codewords(pack([[1, 1, 0], [0, 1, 1]]), 4), 3).tolist()
    [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]]
    """
    start = as_integer("start", start, minimum=0)
    count = as_integer("count", count, minimum=0)
    k, num_bytes = generator.shape
    stop = start + count
    if stop > 1 << k:
        raise InfeasibleError(
            f"'count' asks for words up to number {stop}, but k = {k} rows span fewer"
        )
    doublings = (max(count, 1) - 1).bit_length()
    block = 1 << doublings
    if start % block:
        raise InvalidArgumentError(
            f"'start' must be a multiple of {block} for {count} words, got {start}"
        )
    spare_bytes = -num_bytes % 8
    rows = np.pad(generator, ((0, 0), (0, spare_bytes))).view(np.uint64)
    words = np.empty((count, rows.shape[1]), dtype=np.uint64)
    set_bits = [i for i in range(start.bit_length()) if start >> i & 1]
    words[:1] = np.bitwise_xor.reduce(rows[set_bits], axis=0)
    for i in range(doublings):
        grown = words[1 << i : 2 << i]
        np.bitwise_xor(words[: len(grown)], rows[i], out=grown)
    as_bytes = words.view(np.uint8)
    return np.ascontiguousarray(as_bytes[:, :num_bytes])


def encode(generator: PackedBits, messages: ArrayLike) -> PackedBits:
    """The words whose numbers, as in `codewords`, are `messages`; for k <= 62."""
    k = len(generator)
    numbers = np.asarray(messages, dtype=np.int64).reshape(-1)
    if k > LARGEST_MESSAGE_BITS:
        raise InvalidArgumentError(
            f"'generator' must have at most 62 rows here, got {k}; use encode_bits"
        )
    if numbers.size and (numbers.min() < 0 or int(numbers.max()) >> k):
        raise InvalidArgumentError(
            f"'messages' must lie in 0, ..., 2**{k} - 1, got {numbers.min()}..{numbers.max()}"
        )
    count = len(numbers)
    if _is_aligned_range(numbers):
        return codewords(generator, count, int(numbers[0]))
    mask = (1 << TABLE_BITS) - 1

    def entry(i: int, words: slice) -> Indices:
        return numbers[words] >> i & mask

    return _sums(generator, TABLE_BITS, entry, count)


def _is_aligned_range(numbers: Indices) -> bool:
    """Whether the numbers are consecutive, from a multiple of a power of two that is no less than their count."""
    count = len(numbers)
    if not count:
        return False
    block = 1 << (count - 1).bit_length()
    return bool(numbers[0] % block == 0 and np.all(np.diff(numbers) == 1))


def encode_bits(generator: PackedBits, message_bits: ArrayLike) -> PackedBits:
    """The words of the messages given as rows of k bits, the bit for row 0 first."""
    bits = np.atleast_2d(np.asarray(message_bits, dtype=np.uint8))
    if bits.shape[1] != len(generator):
        raise InvalidArgumentError(
            f"'message_bits' must have {len(generator)} columns, got {bits.shape[1]}"
        )
    packed = np.packbits(bits, axis=1, bitorder="little")
    return _sums(generator, 8, lambda i, words: packed[words, i // 8], len(packed))


def weights(words: PackedBits) -> Indices:
    """The number of ones in every word."""
    if words.shape[1] % 8 == 0 and words.flags.c_contiguous:
        counts = np.bitwise_count(words.view(np.uint64))
    else:
        counts = np.bitwise_count(words)
    columns = np.ascontiguousarray(counts.T)  # 4 times as fast as counts.sum(axis=1)
    return columns.sum(axis=0, dtype=np.int64)


def smallest_weight(generator: PackedBits, n: int) -> int:
    """The smallest weight of a word of the span but zero: the minimum distance, for independent rows."""
    smallest = n
    for i, words in enumerate(_span(generator)):
        nonzero = words[1:] if i == 0 else words
        smallest = min(smallest, int(weights(nonzero).min(initial=n)))
    return smallest


def walsh_hadamard(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The unnormalized Walsh-Hadamard transform of 2**k integers."""
    out = values.copy()
    half = 1
    while half < out.size:
        pairs = out.reshape(-1, 2, half)
        left = pairs[:, 0] + pairs[:, 1]
        pairs[:, 1] = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] = left
        half *= 2
    return out


def difference_counts(messages: Indices, k: int) -> NDArray[np.int64]:
    """For each x < 2**k, how many ordered pairs of messages, none with itself, have the difference (XOR) x.

    This autocorrelation of the set of messages takes two transforms and no look at pairs. Exact in 64 bits while
    len(messages) * 2**k < 2**63 (Parseval bounds every partial sum).
    """
    indicator = np.bincount(messages, minlength=1 << k).astype(np.int64)
    spectrum = walsh_hadamard(indicator)
    counts = walsh_hadamard(spectrum * spectrum) >> k
    counts[0] -= len(messages)  # each with itself
    return counts


def pair_distance_counts(generator: PackedBits, messages: Indices) -> dict[int, int]:
    """How many unordered pairs of the chosen words are at each Hamming distance: the weights of their differences.

    >>> import numpy as np
    >>> pair_distance_counts(np.packbits([[1, 1, 0], [0, 1, 1]], axis=1), np.arange(4))
    {2: 6}
    """
    k = len(generator)
    totals = np.zeros(generator.shape[1] * 8 + 1, dtype=np.int64)
    left = difference_counts(messages, k)
    for words in _span(generator):
        counts, left = np.split(left, [len(words)])
        totals += np.bincount(weights(words), counts, len(totals)).astype(np.int64)
    return {distance: int(count) // 2 for distance, count in enumerate(totals) if count}


def row_reduce(
    generator: PackedBits, columns: ArrayLike
) -> tuple[PackedBits, list[int]]:
    """Gauss-Jordan elimination on the given columns: the reduced matrix and its pivot columns, one each row from 0."""
    reduced = generator.copy()
    pivots: list[int] = []
    for column in np.asarray(columns, dtype=np.int64).tolist():
        byte = column >> 3
        shift = 7 - (column & 7)
        ones = reduced[:, byte] >> shift & 1
        top = len(pivots)
        below = np.flatnonzero(ones[top:])
        if not below.size:
            continue
        found = top + int(below[0])
        reduced[[top, found]] = reduced[[found, top]]
        ones[found] = ones[top]
        ones[top] = 0
        reduced[ones.astype(bool)] ^= reduced[top]
        pivots.append(column)
        if len(pivots) == len(reduced):
            break
    return reduced, pivots


def _span(generator: PackedBits) -> Iterator[PackedBits]:
    """All words in the order of their numbers, some at a time."""
    words_at_once = CHUNK_BYTES // max(1, generator.shape[1])
    bits = words_at_once.bit_length()
    low = generator[:bits]
    high = generator[bits:]
    first = codewords(low, 1 << len(low))
    for word in codewords(high, 1 << len(high)):
        yield first ^ word


def _sums(
    generator: PackedBits,
    bits: int,
    entry: Callable[[int, slice], NDArray[Any]],
    count: int,
) -> PackedBits:
    """Sums of rows, `bits` rows at a time: `entry` says which sum of the rows from i on each word contains."""
    tables: dict[int, PackedBits] = {}
    for i in range(0, len(generator), bits):
        rows = generator[i : i + bits]
        tables[i] = codewords(rows, 1 << len(rows))
    words = np.zeros((count, generator.shape[1]), dtype=np.uint8)
    for start in range(0, count, CHUNK_WORDS):
        chunk = slice(start, start + CHUNK_WORDS)
        for i, table in tables.items():
            words[chunk] ^= table[entry(i, chunk)]
    return words
