"""Compiled loops over blocks in lanes: a row has LANES numbers, one for each of LANES vectors.

A block of b >= 4 rows is a flat array of b * LANES numbers. Every operation acts on whole rows and compiles to vector
instructions. Indices are unsigned, because signed indices are checked for wrap-around.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from protosphere.compiled.decorators import compiled_exactly

LANES = 16
"""Numbers in a row, two vector registers; rows of one register are 4 times slower, because they are unrolled."""

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
"""Coefficients of 2^f, which is 1 + P1 f + ... + P6 f^6 to 1e-7 for |f| <= 1/2."""


@compiled_exactly
def radix4_butterfly(x: Block, y: Block, b: int) -> None:
    """Write the sums and differences of four rows of x, a quarter of the block apart, into adjacent rows of y.

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
    """Write the sums and differences of two rows of x, half the block apart, into adjacent rows of y.

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
    """Transform the rows of x; return the block with the result, and the other block, which is free for scratch.

    The result is the Walsh-Hadamard transform, in x or in y. Each step moves the highest digit of the row index to
    the lowest position, so that the order is restored after all steps.

    Args:
        x: Block of b rows to transform; used as scratch.
        y: Block of b rows, used as scratch.
        b: Number of rows.
        left: Size of the part that is still to be transformed; b at the start.
        last: Size of the part that the caller transforms.
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
    """Compute the dot products of vectors with the codewords of a coset.

    Args:
        z: Vectors in lanes.
        flips: Signs of the coset, one for each row of z.
        x: Block of b rows, used as scratch.
        y: Block of b rows, used as scratch.
        b: Number of bins.
        last: Size of the part that the caller transforms.

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
        z: Vectors in lanes.
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
        x: Block of b rows of weights; used as scratch afterward.
        y: Block of b rows, used as scratch.
        flips: Signs of the coset, one for each row of z.
        z: Sums in lanes, updated in place.
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
    """Write exp(sign x - shift), but at least 2^-126, into y.

    exp(v) = 2^n 2^f, where n is v / log 2, rounded by adding and subtracting ROUNDER. 2^n is a float with exponent
    bits n + 127.

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
