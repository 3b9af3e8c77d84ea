"""Compiled loops that process LANES = 16 vectors at a time.

A row has LANES numbers, one for each vector. The position of a number in its row is called a lane, from 0 to LANES - 1,
so each vector has its own lane. Row i of an array has the entries i * LANES, ..., i * LANES + LANES - 1 of the array. A
block is a one-dimensional array of b * LANES numbers that consists of b consecutive rows, where b is at least 4. Every
operation acts on whole rows, so the compiler generates vector instructions. Indices are unsigned, because the compiled
code would check signed indices for negative values.

A coset has b codewords with entries +1 and -1. A bin is a range of consecutive rows. All cosets have the same b bins:
after the division by the signs of one codeword of its coset, each codeword has the same entry in all rows of a bin.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from protosphere.compiled.decorators import compiled_exactly

LANES = 16
"""Number of entries of a row, which fills two vector registers of 8 numbers each.

If a row filled only one register, the compiler would unroll the loops and make them 4 times slower.
"""

Block: TypeAlias = NDArray[np.float32]
Flips: TypeAlias = NDArray[np.int8]

U = np.uint64
W = np.uint64(LANES)

LOG2_E = np.float32(np.log2(np.e))
LOWEST = np.float32(-126)
BIAS = np.float32(127)
MANTISSA = np.float32(1 << 23)
ROUNDER = np.float32(3 << 22)
ONE = np.float32(1)
P1, P2, P3, P4, P5, P6 = (
    np.float32(c)
    for c in np.log(2.0) ** np.arange(1, 7) / np.cumprod(np.arange(1.0, 7.0))
)
"""Coefficients of the polynomial 1 + P1 f + ... + P6 f^6, which differs from 2^f by at most 1.3e-7 for |f| <= 1/2."""


@compiled_exactly
def radix4_butterfly(x: Block, y: Block, b: int) -> None:
    """Apply two steps of the Walsh-Hadamard transform to x, and write the result into y.

    For j = 0, ..., b/4 - 1, the four rows j, j + b/4, j + b/2 and j + 3b/4 of x are transformed together. The result,
    the Walsh-Hadamard transform of these four rows, is written into the rows 4j, ..., 4j + 3 of y.

    Args:
        x: Block of b rows.
        y: Block of b rows, overwritten.
        b: Number of rows.
    """
    step = U(b // 4) * W
    for j in range(U(b // 4)):
        for w in range(W):
            k = j * W + w
            o = j * U(4) * W + w
            p = x[k]
            q = x[k + step]
            r = x[k + step + step]
            s = x[k + step + step + step]
            a = p + q
            c = p - q
            d = r + s
            e = r - s
            y[o] = a + d
            y[o + W] = c + e
            y[o + W + W] = a - d
            y[o + W + W + W] = c - e


@compiled_exactly
def radix2_butterfly(x: Block, y: Block, b: int) -> None:
    """Apply one step of the Walsh-Hadamard transform to x, and write the result into y.

    For j = 0, ..., b/2 - 1, the sum of the rows j and j + b/2 of x is written into row 2j of y. Row j minus row j + b/2
    is written into row 2j + 1 of y.

    Args:
        x: Block of b rows.
        y: Block of b rows, overwritten.
        b: Number of rows.
    """
    step = U(b // 2) * W
    for j in range(U(b // 2)):
        for w in range(W):
            k = j * W + w
            o = j * U(2) * W + w
            p = x[k]
            q = x[k + step]
            y[o] = p + q
            y[o + W] = p - q


@compiled_exactly
def signed_radix4_butterfly(z: Block, flips: Flips, y: Block, b: int) -> None:
    """Multiply row i of z by flips[i], and apply two steps of the Walsh-Hadamard transform to the products.

    For j = 0, ..., b/4 - 1, the products of the four rows j, j + b/4, j + b/2 and j + 3b/4 are transformed together.
    The result, the Walsh-Hadamard transform of these four products, is written into the rows 4j, ..., 4j + 3 of y. The
    block z is not changed.

    Args:
        z: Block of b rows.
        flips: The factors of the rows of z, each of which is 1 or -1.
        y: Block of b rows, overwritten.
        b: Number of rows.
    """
    step = U(b // 4) * W
    quarter = U(b // 4)
    for j in range(quarter):
        f = np.float32(flips[j])
        g = np.float32(flips[j + quarter])
        h = np.float32(flips[j + quarter + quarter])
        i = np.float32(flips[j + quarter + quarter + quarter])
        for w in range(W):
            k = j * W + w
            o = j * U(4) * W + w
            p = f * z[k]
            q = g * z[k + step]
            r = h * z[k + step + step]
            s = i * z[k + step + step + step]
            a = p + q
            c = p - q
            d = r + s
            e = r - s
            y[o] = a + d
            y[o + W] = c + e
            y[o + W + W] = a - d
            y[o + W + W + W] = c - e


@compiled_exactly
def walsh_hadamard_rows(
    x: Block, y: Block, b: int, left: int, last: int
) -> tuple[Block, Block]:
    """Begin or continue the Walsh-Hadamard transform of each lane of x, and complete it if `last` is 1.

    The numbers in one lane are a vector of b entries: entry i is in row i. The complete transform has log2(b) steps,
    one for each bit of the row index. If `last` is above 1, the last steps are left to the caller. Both blocks may be
    overwritten.

    Args:
        x: Block of b rows to transform.
        y: Block of b rows for scratch memory.
        b: Number of rows, a power of two.
        left: Two to the power of the number of steps that have not been done yet. It is b if no step has been done.
        last: Two to the power of the number of steps that this function leaves to the caller. It is 1 if the transform
            is to be completed.

    Returns:
        The block (x or y) with the result, and the other block, which is free for scratch memory.
    """
    while left > last:
        if left == 2 * last or left == 8 * last:
            radix2_butterfly(x, y, b)
            left //= 2
        else:
            radix4_butterfly(x, y, b)
            left //= 4
        x, y = y, x
    return x, y


@compiled_exactly
def coset_products(
    z: Block, flips: Flips, x: Block, y: Block, b: int, last: int
) -> tuple[Block, Block]:
    """Compute the dot products of LANES vectors with the b codewords of a coset.

    The rows of z are divided into b bins: each bin consists of the same number of consecutive rows. First, row i of z
    is multiplied by flips[i], and the products in each bin are added. The dot products are the Walsh-Hadamard transform
    of the b sums. The block z is not changed.

    Args:
        z: The vectors, with one row per coordinate and one lane per vector.
        flips: Signs (1 or -1) of a codeword of the coset, one for each row of z. The number of rows is a multiple of b.
        x: Block of b rows, used as scratch memory.
        y: Block of b rows, used as scratch memory.
        b: Number of codewords of the coset, a power of two.
        last: 1 for the dot products. If `last` is 4, the last two steps of the Walsh-Hadamard transform are left to the
            caller.

    Returns:
        The block (x or y) with the result, one row per codeword, and the other block, which is free for scratch memory.
    """
    if len(flips) > b or b < 4 * last:
        gather_bins(z, flips, x, b)
        return walsh_hadamard_rows(x, y, b, b, last)
    signed_radix4_butterfly(z, flips, x, b)
    return walsh_hadamard_rows(x, y, b, b // 4, last)


@compiled_exactly
def gather_bins(z: Block, flips: Flips, y: Block, b: int) -> None:
    """Multiply row i of z by flips[i], add the products in each of b bins, and write the b sums into y.

    A bin consists of consecutive rows, and all bins have the same number of rows. Row k of y is the sum of the products
    in bin k. The block z is not changed.

    Args:
        z: Vectors, with one row per coordinate and one lane per vector.
        flips: The factors of the rows of z, each of which is 1 or -1.
        y: Block of b rows, overwritten.
        b: Number of bins. The number of rows of z is a multiple of b.
    """
    size = U(len(flips) // b)
    for i in range(U(b)):
        for w in range(W):
            y[i * W + w] = 0
        for x in range(i * size, (i + U(1)) * size):
            sign = np.float32(flips[x])
            for w in range(W):
                y[i * W + w] += sign * z[x * W + w]


@compiled_exactly
def scatter_words(
    x: Block, y: Block, flips: Flips, z: Block, b: int
) -> tuple[Block, Block]:
    """For each lane, add a weighted sum of the b codewords of a coset to z.

    The rows of z are divided into b bins: each bin consists of the same number of consecutive rows. Codeword a of the
    coset has the entry flips[j] H[i, a] at each row j of bin i, where H is the Hadamard matrix of order b.

    Args:
        x: Block of b rows with the weights, one row per codeword; also used as scratch memory.
        y: Block of b rows, used as scratch memory.
        flips: Signs (1 or -1) of a codeword of the coset, one for each row of z. The number of rows is a multiple of b.
        z: Coordinates of the sums, with one row per coordinate and one lane per sum; updated in place.
        b: Number of codewords of the coset, a power of two.

    Returns:
        The blocks x and y in either order. Both are free for scratch memory.
    """
    x, y = walsh_hadamard_rows(x, y, b, b, 1)
    size = U(len(flips) // b)
    for i in range(U(b)):
        for j in range(i * size, (i + U(1)) * size):
            sign = np.float32(flips[j])
            for w in range(W):
                z[j * W + w] += sign * x[i * W + w]
    return x, y


@compiled_exactly
def exponentials(
    x: Block, sign: np.float32, shift: Block, y: Block, bits: NDArray[np.int32], b: int
) -> None:
    """Write max(exp(sign * x - shift), 2^-126) into y, entry by entry, up to rounding errors of float32.

    Args:
        x: Block of b rows.
        sign: 1 or -1.
        shift: LANES numbers, one per lane. Each is subtracted in all rows of its lane.
        y: Block of b rows, overwritten.
        bits: Block of b rows of integers, used as scratch memory.
        b: Number of rows.
    """
    # With n + f = v / log 2 for an integer n, exp(v) is 2^n 2^f. The factor 2^f is a polynomial in f, and 2^n is the
    # float with the exponent bits n + 127.
    powers = bits.view(np.float32)
    for i in range(U(b)):
        for w in range(W):
            k = i * W + w
            v = (sign * x[k] - shift[w]) * LOG2_E
            v = LOWEST if v < LOWEST else v
            n = (v + ROUNDER) - ROUNDER
            f = v - n
            y[k] = ONE + f * (P1 + f * (P2 + f * (P3 + f * (P4 + f * (P5 + f * P6)))))
            bits[k] = np.int32((n + BIAS) * MANTISSA)
    for k in range(U(b) * W):
        y[k] *= powers[k]
