"""Binary linear codes as packed generator matrices: their codewords and distances.

Packed rows have eight bits in a byte, and the first of the eight bits is the highest bit of the byte.

A generator matrix is a 0/1 matrix of k rows. The codewords are the 2^k sums of rows modulo 2 (XOR). A message is the
index of a codeword: bit i of the message says whether row i belongs to the sum, where bit 0 is the least significant.

See MacWilliams & Sloane, The Theory of Error-Correcting Codes, chapter 1.
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
"""Number of rows of a generator whose sums are tabulated: 1024 codewords fit into the second-level cache."""


def packed_length(n: int) -> int:
    """Return the number of bytes that hold n bits."""
    return (n + 7) // 8


def pack(bits: ArrayLike) -> PackedBits:
    """Return rows of zeros and ones, packed eight bits to a byte, the highest bit first.

    Args:
        bits: Zeros and ones, one row per vector.
    """
    return np.packbits(np.ascontiguousarray(bits, dtype=np.uint8), axis=-1)


def unpack(packed: PackedBits, n: int) -> NDArray[np.uint8]:
    """Return the first n bits of every packed row, one bit per byte.

    Args:
        packed: Rows of bits, packed eight bits to a byte, the highest bit first.
        n: Number of bits of a row.
    """
    return np.unpackbits(packed, axis=-1, count=n)


def codewords(generator: PackedBits, count: int, start: int = 0) -> PackedBits:
    """Return consecutive codewords of a linear code.

    Codeword j is the sum (XOR) of the rows i of the generator matrix for which bit i of j is set; bit 0 is the least
    significant.

    Args:
        generator: Generator matrix, each row packed eight bits to a byte, the highest bit first.
        count: Number of codewords.
        start: Index of the first codeword. It must be a multiple of the smallest power of two that is at least `count`.

    Returns:
        Codewords as rows, packed in the same way.

    Raises:
        InfeasibleError: If the code has fewer than `start + count` codewords.
        InvalidArgumentError: If `start` is not a multiple of this power of two.

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
    """Return the codewords of a linear code with the given indices.

    The codeword with index j is the sum (XOR) of the rows i of the generator matrix for which bit i of j is set; bit 0
    is the least significant.

    Args:
        generator: Generator matrix of k <= 62 rows, each packed eight bits to a byte, the highest bit first.
        messages: Indices of codewords, from 0 to 2**k - 1, in any order.

    Returns:
        Codewords as rows, packed in the same way, in the order of the indices.

    Raises:
        InvalidArgumentError: If the generator has more than 62 rows, or an index is out of range.
    """
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

    def entry(i: int, rows: slice) -> Indices:
        return numbers[rows] >> i & mask

    return _sums(generator, TABLE_BITS, entry, count)


def _is_aligned_range(numbers: Indices) -> bool:
    count = len(numbers)
    if not count:
        return False
    # `codewords` accepts only multiples of this number as its argument `start`
    block = 1 << (count - 1).bit_length()
    return bool(numbers[0] % block == 0 and np.all(np.diff(numbers) == 1))


def encode_bits(generator: PackedBits, message_bits: ArrayLike) -> PackedBits:
    """Return the codewords of a linear code that are the sums of given rows of its generator matrix.

    Args:
        generator: Generator matrix of k rows, each packed eight bits to a byte, the highest bit first.
        message_bits: One row of k bits for each codeword. Entry i of the row is 1 if row i of the generator matrix
            belongs to the sum (XOR) that gives the codeword, otherwise 0.

    Returns:
        Codewords as rows, packed in the same way.

    Raises:
        InvalidArgumentError: If the rows of `message_bits` do not have k bits.
    """
    bits = np.atleast_2d(np.asarray(message_bits, dtype=np.uint8))
    if bits.shape[1] != len(generator):
        raise InvalidArgumentError(
            f"'message_bits' must have {len(generator)} columns, got {bits.shape[1]}"
        )
    packed = np.packbits(bits, axis=1, bitorder="little")
    return _sums(generator, 8, lambda i, rows: packed[rows, i // 8], len(packed))


def weights(words: PackedBits) -> Indices:
    """Return the weight, that is the number of ones, of each codeword.

    Args:
        words: Codewords as rows, packed eight bits to a byte with unused bits 0.
    """
    if words.shape[1] % 8 == 0 and words.flags.c_contiguous:
        counts = np.bitwise_count(words.view(np.uint64))
    else:
        counts = np.bitwise_count(words)
    columns = np.ascontiguousarray(counts.T)  # 4 times as fast as counts.sum(axis=1)
    return columns.sum(axis=0, dtype=np.int64)


def smallest_weight(generator: PackedBits, n: int) -> int:
    """Return the smallest number of ones of a nonzero codeword, which is the minimum distance of the linear code.

    Args:
        generator: Generator matrix with linearly independent rows, packed eight bits to a byte.
        n: Length of the codewords in bits.
    """
    smallest = n
    for i, words in enumerate(_span(generator)):
        nonzero = words[1:] if i == 0 else words
        smallest = min(smallest, int(weights(nonzero).min(initial=n)))
    return smallest


def walsh_hadamard(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the unnormalized Walsh-Hadamard transform of 2**k integers.

    Entry x of the transform is the sum over all y of (-1)^b values[y], where b is the number of ones that x and y have
    in common in binary notation.
    """
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
    """Count, for each x from 0 to 2**k - 1, the ordered pairs of different given integers whose XOR is x.

    The counts are exact if len(messages) * 2**k < 2**63, because then no 64-bit integer overflows.

    Args:
        messages: The given integers from 0 to 2**k - 1, all different.
        k: Number of bits of each integer.

    Returns:
        An array of 2**k counts; entry x is the count for x.
    """
    # the autocorrelation of the set of messages, by two Walsh-Hadamard transforms
    indicator = np.bincount(messages, minlength=1 << k).astype(np.int64)
    spectrum = walsh_hadamard(indicator)
    counts = walsh_hadamard(spectrum * spectrum) >> k
    counts[0] -= len(messages)  # each with itself
    return counts


def pair_distance_counts(generator: PackedBits, messages: Indices) -> dict[int, int]:
    """Count the unordered pairs of the given codewords at each Hamming distance.

    Args:
        generator: Generator matrix, each row packed eight bits to a byte, the highest bit first.
        messages: Different integers, one for each codeword. The codeword is the sum (XOR) of the rows i of the
            generator matrix for which bit i of the integer is set.

    Returns:
        A mapping from each distance that occurs to the count of pairs at this distance.

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
    """Return a generator matrix after Gauss-Jordan elimination on the given columns, and its pivot columns.

    Args:
        generator: Generator matrix, each row packed eight bits to a byte, the highest bit first.
        columns: Indices of columns, in the order in which they are tried as pivots.

    Returns:
        The reduced matrix, and the list of the indices of its pivot columns. Entry i of the list is the pivot column of
        row i. The later rows have no pivots, and are zero in the given columns.
    """
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
    # Table i has the sums of the `bits` rows from row i on. A codeword is the sum of one entry of each table, and
    # entry(i, chunk) has the index of this entry in table i for each codeword in the slice `chunk`.
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
