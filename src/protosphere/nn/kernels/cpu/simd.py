"""Compiled loops over LANES vectors at a time.

A block of b >= 4 rows is a flat array of b * LANES numbers. A row has LANES numbers, one for each vector; the position
in the row is called a lane. Every operation acts on whole rows and compiles to vector instructions. Indices are
unsigned, because the compiled code would check signed indices for negative values.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from protosphere.compiled.decorators import compiled_exactly

LANES = 16
"""Numbers in a row, which fill two vector registers of 8 numbers.

With rows of one register, the compiler unrolls the loops, which makes them 4 times slower.
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
"""Coefficients of the polynomial 1 + P1 f + ... + P6 f^6, which differs from 2^f by at most 1e-7 for |f| <= 1/2."""


@compiled_exactly
def radix4_butterfly(x: Block, y: Block, b: int) -> None:
    """Write a Walsh-Hadamard transform of four rows of x, a quarter of the block apart, into four adjacent rows of y.

    Row j of the first quarter is transformed together with the rows j of the other quarters, for every j. The transform
    consists of two steps of sums and differences.

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
    """Write the sum and the difference of two rows of x, half the block apart, into two adjacent rows of y.

    The two rows are row j of the first half and row j of the second half, for every j.

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
    """Write the `radix4_butterfly` of the rows of z, each multiplied by its sign, into y.

    Args:
        z: Block of b rows.
        flips: Sign of each row of z.
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
    """Compute the Walsh-Hadamard transform of the rows of x over the bits of the row index.

    Each step transforms one or two bits and moves them from the highest to the lowest position of the row index, so
    that the order is restored after all steps.

    Args:
        x: Block of b rows to transform; used as scratch.
        y: Block of b rows, used as scratch.
        b: Number of rows.
        left: 2 to the number of bits that are not yet transformed; b for a complete transform.
        last: Value of `left` at which the function stops. 1 for a complete transform; otherwise, the caller transforms
            the other bits.

    Returns:
        The block (x or y) with the result, and the other block, which is free for scratch.
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

    Args:
        z: The vectors in lanes, with one row per coordinate.
        flips: Signs of the coset, one for each row of z.
        x: Block of b rows, used as scratch.
        y: Block of b rows, used as scratch.
        b: Number of bins.
        last: As in `walsh_hadamard_rows`; 1 for the dot products.

    Returns:
        The block (x or y) with the result, and the other block, which is free for scratch.
    """
    if len(flips) > b or b < 4 * last:
        gather_bins(z, flips, x, b)
        return walsh_hadamard_rows(x, y, b, b, last)
    signed_radix4_butterfly(z, flips, x, b)
    return walsh_hadamard_rows(x, y, b, b // 4, last)


@compiled_exactly
def gather_bins(z: Block, flips: Flips, y: Block, b: int) -> None:
    """Write the signed sums over b consecutive groups of rows of z, all of the same size, into y.

    Args:
        z: Vectors in lanes, with one row per coordinate.
        flips: Sign of each row of z.
        y: Block of b rows, overwritten.
        b: Number of groups.
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
    """Apply the transpose of `coset_products` to weights of codewords, and add the result to z.

    Args:
        x: Block with b rows of weights, one row per codeword; used as scratch.
        y: Block of b rows, used as scratch.
        flips: Signs of the coset, one for each row of z.
        z: Sums in lanes, with one row per coordinate, updated in place.
        b: Number of bins.

    Returns:
        The blocks x and y in either order, both free for scratch.
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
    """Write max(exp(sign x - shift), 2^-126) into y.

    exp(v) = 2^n 2^f, where n is v / log 2 rounded to an integer (by adding and subtracting ROUNDER), and f is the
    difference v / log 2 - n. The float 2^n has the exponent bits n + 127.

    Args:
        x: Block of b rows.
        sign: 1 or -1.
        shift: One value per lane.
        y: Block of b rows, overwritten.
        bits: Block of b rows of integers, used as scratch.
        b: Number of rows.
    """
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
