"""Unions of cosets of the first-order Reed-Muller code RM(1, m): their codewords, and their largest inner product.

The codewords have length n = 2^m, and RM(1, m) has 2n of them. A coset consists of the sums of one fixed binary vector,
its representative, and each codeword of RM(1, m). Coset c is representatives[c] + RM(1, m). The codeword with index 2nc
+ w is the sum of representative c and codeword w of RM(1, m). Codeword 2a of RM(1, m) is row a of Sylvester's Hadamard
matrix, and codeword 2a + 1 is its complement.

For inner products, bits 0 and 1 are read as +1 and -1. Two cosets have 4n^2 pairs of codewords, but only 2n inner
products: the n values of the Walsh-Hadamard transform of the product of the two representatives, and their negatives.
The transform of 2^m = a b values is computed as two small matrix products, by Sylvester's matrices of order a and of
order b.

If the representatives span few dimensions, many pairs of representatives have the same sum up to an affine function,
which is a codeword of RM(1, m). Then `difference_counts` finds the sums that occur, and each sum is transformed once.
"""

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.hadamard import hadamard
from protosphere.coding.linear import difference_counts, encode, row_reduce, unpack
from protosphere.coding.reed_muller import generator_rows
from protosphere.types import Indices, PackedBits, Progress, ignore

CHUNK_WORDS = 1 << 14
"""Number of codewords encoded together, so that they stay in cache."""

TILE_ENTRIES = 1 << 16
"""Number of values transformed together, so that they stay in cache."""

MOST_SUM_BITS = 22
"""Largest dimension of the span of the representatives for which the different sums of two of them are listed."""


def coset_union_words(
    representatives: PackedBits, m: int, numbers: Indices
) -> PackedBits:
    """Return the codewords with the given indices in a union of cosets of RM(1, m).

    Args:
        representatives: One codeword of each coset, its representative, as rows with eight bits per byte.
        m: Base-2 logarithm of the length of the codewords.
        numbers: Indices of codewords, from 0 through all cosets. The sum of representative c and codeword w of RM(1, m)
            has the index 2^(m+1) * c + w.

    Returns:
        Codewords, as rows with eight bits per byte. In the example, the codewords have four bits, which `>> 4` moves to
        the lower half of the byte.

    >>> import numpy as np
    >>> coset_union_words(np.packbits([[0, 0, 0, 1]], axis=1), 2, np.array([0, 1, 2])) >> 4  # 0001, 1110, 0100
    array([[ 1],
           [14],
           [ 4]], dtype=uint8)
    """
    affine = generator_rows(1, m, m + 1)
    words = np.empty((len(numbers), representatives.shape[1]), dtype=np.uint8)
    for start in range(0, len(numbers), CHUNK_WORDS):
        rows = slice(start, start + CHUNK_WORDS)
        chunk = numbers[rows]
        within_coset = encode(affine, chunk & ((2 << m) - 1))
        coset = representatives[chunk >> (m + 1)]
        np.bitwise_xor(within_coset, coset, out=words[rows])
    return words


def largest_coset_product(
    representatives: PackedBits, m: int, num_words: int, progress: Progress = ignore
) -> int:
    """Return the largest inner product of any two codewords among the first of a union of cosets of RM(1, m).

    Bits 0 and 1 are read as +1 and -1, and the result is exact. If there are two or more representatives, an incomplete
    last coset is treated as if it were complete. This does not change the result, because all codewords of a coset have
    the same set of inner products with the codewords of another coset.

    Args:
        representatives: One codeword, the representative, of each coset that contains compared codewords, as rows with
            eight bits per byte.
        m: Base-2 logarithm of the length of the codewords.
        num_words: Count of the codewords to compare, at least 2, starting with the first. They are ordered coset by
            coset, and each coset has 2^(m+1) codewords.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, as
            cosets are measured.
    """
    if len(representatives) == 1:
        return 0 if num_words > 2 else -(1 << m)
    affine, points = row_reduce(generator_rows(1, m, m + 1), np.arange(1 << m))
    reduced = representatives ^ encode(affine, _bits_at(representatives, m, points))
    basis, pivots = row_reduce(reduced, np.arange(1 << m))
    if len(pivots) > MOST_SUM_BITS or 1 << len(pivots) > len(representatives) ** 2:
        return _largest_of_pairs(_as_blocks(representatives, m), progress)
    messages = _bits_at(reduced, m, pivots)
    return _largest_of_sums(basis[: len(pivots)], m, messages, progress)


def _largest_of_sums(
    basis: PackedBits, m: int, messages: Indices, progress: Progress
) -> int:
    # `messages` has the indices of codewords of the linear code with the packed generator matrix `basis`
    sums = np.flatnonzero(difference_counts(messages, len(basis)))
    largest = 0
    for start in range(0, len(sums), CHUNK_WORDS):
        words = encode(basis, sums[start : start + CHUNK_WORDS])
        blocks = _as_blocks(words, m)
        inner = hadamard(blocks.shape[2]).astype(np.float32)
        largest = max(largest, _largest_transform(blocks, inner))
        progress("measuring cosets", min(start + CHUNK_WORDS, len(sums)), len(sums))
    return largest


def _bits_at(words: PackedBits, m: int, columns: list[int]) -> Indices:
    bits = unpack(words, 1 << m)[:, columns].astype(np.int64)
    return bits @ (1 << np.arange(len(columns), dtype=np.int64))


def _as_blocks(words: PackedBits, m: int) -> NDArray[np.float32]:
    # entry (i, w, j) is 1 if bit i b + j of codeword w is 0, and -1 if it is 1, where 2^m = a b
    a = 1 << m // 2
    bits = unpack(words, 1 << m).reshape(len(words), a, -1)
    blocks = np.ascontiguousarray(bits.transpose(1, 0, 2)).astype(np.float32)
    return blocks * np.float32(-2) + np.float32(1)


def _largest_of_pairs(blocks: NDArray[np.float32], progress: Progress) -> int:
    count = blocks.shape[1]
    inner = hadamard(blocks.shape[2]).astype(np.float32)
    largest = 0
    for i in range(count - 1):
        signed = blocks[:, i, :, None] * inner
        largest = max(largest, _largest_transform(blocks[:, i + 1 :], signed))
        progress("measuring cosets", i + 1, count - 1)
    return largest


def _largest_transform(blocks: NDArray[np.float32], inner: NDArray[np.float32]) -> int:
    # The largest absolute Walsh-Hadamard coefficient of vectors of signs of length a b. `inner` is Hadamard's matrix
    # H of order b, or an array of shape (a, b, b) with the entries s[i b + j] H[j, k], which multiplies each vector
    # by the vector s of signs first.
    # integers of absolute value at most 2^16, which float32 represents exactly
    a, count, b = blocks.shape
    outer = hadamard(a).astype(np.float32)
    tile = max(1, TILE_ENTRIES // (a * b))
    largest = 0.0
    for j in range(0, count, tile):
        rows = np.matmul(blocks[:, j : j + tile], inner)
        transformed = outer @ rows.reshape(a, -1)
        largest = max(largest, float(transformed.max()), -float(transformed.min()))
    return int(largest)
