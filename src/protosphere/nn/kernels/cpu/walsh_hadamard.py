"""Compiled loops over the cosets of a small linear code, with one Walsh-Hadamard transform per coset.

The points are the codewords of all cosets as vectors with entries +1 and -1, without glue vectors. If the argument
`both` of a function is True, the points also include the antipode of each codeword, which is the negative vector.

The array z has shape (groups, rows * LANES). A group has LANES = 16 vectors, with one row per coordinate. Entry w of
each row belongs to vector w of the group, which is said to be in lane w. The array `flips` has shape (cosets, rows).
Row c has the signs by which the rows of z are multiplied for coset c. A sign is +1 or -1, or 0 in a row that only fills
up its bin.

The rows are divided into bins, which are groups of consecutive rows of equal size. Each codeword of the linear code has
the same entry in all rows of a bin. A codeword of a coset is a codeword of the linear code, multiplied by the signs of
the coset. Therefore the rows of z are multiplied by their signs and summed over each bin. The Walsh-Hadamard transform
of these sums gives the dot products with all codewords of the coset. The number of bins is the number of codewords per
coset, where antipodes are not counted.
"""

import numpy as np

from protosphere.compiled.decorators import compiled_exactly
from protosphere.nn.kernels.cpu.simd import (
    LANES,
    ONE,
    Block,
    Flips,
    U,
    W,
    coset_products,
    exponentials,
    scatter_words,
)

LARGEST_HALF = 40.0
"""Largest shift for which exp(-x - shift) is computed as exp(-2 shift) / exp(x - shift) without overflow."""


@compiled_exactly
def write_highest(
    z: Block, flips: Flips, bins: int, both: bool, highest: Block
) -> None:
    """Write into `highest`, for each vector and coset, the largest dot product of the vector with a point of the coset.

    The points are the codewords of all cosets, as vectors of +1 and -1. A coset is a small linear code whose codewords
    are multiplied, entry by entry, by the signs of the coset.

    Args:
        z: (groups, rows * LANES) coordinates of the vectors, in groups of LANES = 16 vectors. Entry (g, r * LANES + w)
            is coordinate r of vector w of group g.
        flips: (cosets, rows) array with the signs of each coset, one per coordinate: +1, -1, or 0 for a coordinate that
            is ignored.
        bins: Number of codewords per coset, where antipodes are not counted. The coordinates are divided into as many
            bins of equal size, and each codeword of the linear code has equal entries in a bin.
        both: If True, the points also include the negative of each codeword, its antipode. If False, they do not.
        highest: (groups, cosets, LANES) array for the results. Entry (g, c, w) is for vector w of group g and coset c.
    """
    x = np.empty(bins * LANES, np.float32)
    y = np.empty(bins * LANES, np.float32)
    for g in range(len(z)):
        for c in range(len(flips)):
            x, y = coset_products(z[g], flips[c], x, y, bins, 4)
            highest[g, c, :] = -np.inf
            max_rows_of_butterfly(x, both, highest[g, c], bins)


@compiled_exactly
def write_words(z: Block, flips: Flips, bins: int, both: bool, products: Block) -> None:
    """Write the dot products of B vectors with all points into `products`, one coset after the other.

    The points are the codewords of all cosets, as vectors of +1 and -1. A coset is a small linear code whose codewords
    are multiplied, entry by entry, by the signs of the coset. If `both` is True, each codeword is followed by its
    antipode.

    Args:
        z: (groups, rows * LANES) coordinates of the vectors, in groups of LANES = 16 vectors. Entry (g, r * LANES + w)
            is coordinate r of vector w of group g. Vectors after the first B vectors are ignored.
        flips: (cosets, rows) array with the signs of each coset, one per coordinate: +1, -1, or 0 for a coordinate that
            is ignored.
        bins: Number of codewords per coset, where antipodes are not counted. The coordinates are divided into as many
            bins of equal size, and each codeword of the linear code has equal entries in a bin.
        both: If True, the points also include the negative of each codeword, its antipode. If False, they do not.
        products: Array for the results, with a row for each of the B vectors and a column for each point. The points of
            a coset are in consecutive columns.
    """
    x = np.empty(bins * LANES, np.float32)
    y = np.empty(bins * LANES, np.float32)
    for c in range(len(flips)):
        for g in range(len(z)):
            x, y = coset_products(z[g], flips[c], x, y, bins, 1)
            for row in range(g * LANES, min(g * LANES + LANES, len(products))):
                write_lane(
                    x, U(row - g * LANES), both, products[row], U(c * bins), bins
                )


@compiled_exactly
def write_lane(
    x: Block, lane: np.uint64, both: bool, row: Block, first: np.uint64, bins: int
) -> None:
    """Copy the dot products of one vector with the codewords of one coset from the lane of the vector into `row`.

    Lane w of x has the entries x[w], x[w + 16], x[w + 32], ..., one for each codeword. If `both` is True, each dot
    product is followed in `row` by its negative, the dot product with the antipode of the codeword.

    Args:
        x: Dot products of 16 vectors with the codewords of the coset. Entry 16 i + w belongs to codeword i and vector
            w.
        lane: Index of the vector in x, from 0 to 15.
        both: If True, the points also include the negative of each codeword, its antipode. If False, they do not.
        row: Array for the dot products of the vector with the points of all cosets. The entries of this coset are
            overwritten.
        first: Number of codewords of all previous cosets, where antipodes are not counted.
        bins: Number of codewords of the coset, where antipodes are not counted.
    """
    if both:
        for i in range(U(bins)):
            value = x[i * W + lane]
            k = U(2) * (first + i)
            row[k] = value
            row[k + U(1)] = -value
    else:
        for i in range(U(bins)):
            row[first + i] = x[i * W + lane]


@compiled_exactly
def add_weighted_words(
    weights: Block, flips: Flips, bins: int, both: bool, z: Block
) -> None:
    """Compute B weighted sums of all points, and add their coordinates to z.

    The points are the codewords of all cosets, as vectors of +1 and -1. A coset is a small linear code whose codewords
    are multiplied, entry by entry, by the signs of the coset. If `both` is True, each codeword is followed by its
    antipode.

    Args:
        weights: Array with a row for each of the B sums and a column for each point. The points of a coset are in
            consecutive columns.
        flips: (cosets, rows) array with the signs of each coset, one per coordinate: +1, -1, or 0 for a coordinate that
            is ignored.
        bins: Number of codewords per coset, where antipodes are not counted. The coordinates are divided into as many
            bins of equal size, and each codeword of the linear code has equal entries in a bin.
        both: If True, the points also include the negative of each codeword, its antipode. If False, they do not.
        z: (groups, rows * LANES) coordinates, to which the coordinates of the sums are added, in groups of LANES = 16
            sums. Entry (g, r * LANES + w) is coordinate r of sum w of group g.
    """
    x = np.zeros(bins * LANES, np.float32)
    y = np.empty(bins * LANES, np.float32)
    for c in range(len(flips)):
        for g in range(len(z)):
            x[:] = 0
            for row in range(g * LANES, min(g * LANES + LANES, len(weights))):
                read_lane(weights[row], U(c * bins), both, x, U(row - g * LANES), bins)
            x, y = scatter_words(x, y, flips[c], z[g], bins)


@compiled_exactly
def read_lane(
    row: Block, first: np.uint64, both: bool, x: Block, lane: np.uint64, bins: int
) -> None:
    """Copy the weights of the codewords of one coset from `row` into one lane of x.

    Lane w of x has the entries x[w], x[w + 16], x[w + 32], ..., one for each codeword. If `both` is True, `row` has two
    weights for each codeword: its own weight, followed by the weight of its antipode. The first weight minus the second
    is then written into the lane. If `both` is False, `row` has one weight for each codeword, which is written into the
    lane.

    Args:
        row: Weights of the points of all cosets.
        first: Number of codewords of all previous cosets, where antipodes are not counted.
        both: If True, the points also include the negative of each codeword, its antipode. If False, they do not.
        x: Array with 16 consecutive numbers for each codeword of the coset; one lane is overwritten.
        lane: Index w of the lane, from 0 to 15.
        bins: Number of codewords of the coset, where antipodes are not counted.
    """
    if both:
        for i in range(U(bins)):
            k = U(2) * (first + i)
            x[i * W + lane] = row[k] - row[k + U(1)]
    else:
        for i in range(U(bins)):
            x[i * W + lane] = row[first + i]


@compiled_exactly
def write_sums(
    z: Block,
    flips: Flips,
    glue: Block,
    bins: int,
    both: bool,
    peaks: Block,
    sums: Block,
    word_sums: Block,
) -> None:
    """Add to `sums`, for each vector and coset, the sum of exp(score - peak) over the points of the coset.

    The points are the codewords of all cosets, as vectors of +1 and -1. A coset is a small linear code whose codewords
    are multiplied, entry by entry, by the signs of the coset.

    The score of a vector and a point of a coset is their dot product, plus the number in `glue` for the vector and the
    coset. The peak of a vector at a coset is the largest score of the vector in this coset and all previous cosets.

    For each vector, the function also adds a weighted sum of the points of all cosets to `word_sums`. The weight of a
    point is exp(score - p), where p is the peak of the vector at the last coset.

    Args:
        z: (groups, rows * LANES) coordinates of the vectors, in groups of LANES = 16 vectors. Entry (g, r * LANES + w)
            is coordinate r of vector w of group g.
        flips: (cosets, rows) array with the signs of each coset, one per coordinate: +1, -1, or 0 for a coordinate that
            is ignored.
        glue: (groups, cosets, LANES) dot products of the vectors with the glue vectors of the cosets, which are the
            coordinates that all points of a coset share.
        bins: Number of codewords per coset, where antipodes are not counted. The coordinates are divided into as many
            bins of equal size, and each codeword of the linear code has equal entries in a bin.
        both: If True, the points also include the negative of each codeword, its antipode. If False, they do not.
        peaks: (groups, cosets, LANES) array for the peaks, overwritten.
        sums: (groups, cosets, LANES) zeros, to which the sums are added.
        word_sums: Zeros in the shape of z, to which the weighted sums are added. If the array is empty, no weighted
            sums are computed.
    """
    x = np.empty(bins * LANES, np.float32)
    y = np.empty(bins * LANES, np.float32)
    opposed = np.empty(bins * LANES, np.float32)
    bits = np.empty(bins * LANES, np.int32)
    for g in range(len(z)):
        for c in range(len(flips)):
            x, y = coset_products(z[g], flips[c], x, y, bins, 1)
            raised = raise_peak(x, both, glue[g, c], peaks[g], c, bins)
            shift = peaks[g, c] - glue[g, c]
            exponentials(x, ONE, shift, y, bits, bins)
            add_rows(y, sums[g, c], bins)
            if both:
                if shift.max() < LARGEST_HALF:
                    invert(y, opposed)
                    scale_rows(opposed, np.exp(-shift - shift), bins)
                else:
                    exponentials(x, -ONE, shift, opposed, bits, bins)
                add_rows(opposed, sums[g, c], bins)
                subtract(y, opposed)
            if len(word_sums):
                if raised and c:
                    scale_rows(
                        word_sums[g],
                        np.exp(peaks[g, c - 1] - peaks[g, c]),
                        flips.shape[1],
                    )
                y, x = scatter_words(y, x, flips[c], word_sums[g], bins)


@compiled_exactly
def raise_peak(
    x: Block, both: bool, glue: Block, peaks: Block, coset: int, bins: int
) -> bool:
    """Write the peaks of 16 vectors at a coset into a row of `peaks`.

    The score of a vector and a point of a coset is their dot product, plus the number in `glue` for the vector. The
    peak of a vector is its largest score in this coset and all previous cosets.

    Args:
        x: Dot products of the vectors with the codewords of the coset. Entry 16 i + w belongs to codeword i and vector
            w.
        both: If True, the points also include the negative of each codeword, its antipode. If False, they do not.
        glue: One number for each vector: its dot product with the glue vector of the coset, which are the coordinates
            that all points of the coset share.
        peaks: (cosets, 16) peaks. Row `coset` is overwritten. The row before it has the peaks at the previous coset.
        coset: Index of the coset.
        bins: Number of codewords of the coset, where antipodes are not counted.

    Returns:
        True if the coset is the first one, or if any vector has a higher peak than at the previous coset.
    """
    peak = peaks[coset]
    peak[:] = -np.inf
    max_rows(x, both, peak, bins)
    raised = coset == 0
    for w in range(LANES):
        peak[w] += glue[w]
        if coset and peak[w] <= peaks[coset - 1, w]:
            peak[w] = peaks[coset - 1, w]
        else:
            raised = True
    return raised


@compiled_exactly
def max_rows(x: Block, both: bool, highest: Block, b: int) -> None:
    """Raise highest[w] to the largest number in column w of x if it is smaller than this number, for w = 0, ..., 15.

    Args:
        x: Array of b rows of 16 numbers, flattened.
        both: If True, the absolute values of the numbers in x are compared. If False, the numbers themselves are.
        highest: 16 numbers, updated in place.
        b: Number of rows, a multiple of 4.
    """
    step = U(b // 4) * W
    for j in range(U(b // 4)):
        for w in range(W):
            k = j * W + w
            p = x[k]
            q = x[k + step]
            r = x[k + step + step]
            s = x[k + step + step + step]
            if both:
                p = abs(p)
                q = abs(q)
                r = abs(r)
                s = abs(s)
            p = p if p > q else q
            r = r if r > s else s
            p = p if p > r else r
            highest[w] = p if p > highest[w] else highest[w]


@compiled_exactly
def max_rows_of_butterfly(x: Block, both: bool, highest: Block, b: int) -> None:
    """Raise highest[w] to the largest number in column w of a transform of x if it is smaller than this number.

    This is done for each column w = 0, ..., 15. The transform is two steps of a Walsh-Hadamard transform: the rows j, j
    + b/4, j + b/2 and j + 3b/4 of x are transformed together, for j = 0, ..., b/4 - 1. The array x does not change.

    Args:
        x: Array of b rows of 16 numbers, flattened.
        both: If True, the absolute values of the transformed numbers are compared. If False, the numbers themselves
            are.
        highest: 16 numbers, updated in place.
        b: Number of rows of x, a multiple of 4.
    """
    step = U(b // 4) * W
    for j in range(U(b // 4)):
        for w in range(W):
            k = j * W + w
            p = x[k]
            q = x[k + step]
            r = x[k + step + step]
            s = x[k + step + step + step]
            a = p + q
            c = p - q
            if both:
                a = abs(a)
                c = abs(c)
            a = a + abs(r + s)
            c = c + abs(r - s)
            a = a if a > c else c
            highest[w] = a if a > highest[w] else highest[w]


@compiled_exactly
def add_rows(x: Block, sums: Block, b: int) -> None:
    """Add the sum of column w of x to sums[w], for w = 0, ..., 15.

    Args:
        x: Array of b rows of 16 numbers, flattened.
        sums: 16 sums, updated in place.
        b: Number of rows of x, a multiple of 4.
    """
    step = U(b // 4) * W
    for j in range(U(b // 4)):
        for w in range(W):
            k = j * W + w
            sums[w] += (x[k] + x[k + step]) + (
                x[k + step + step] + x[k + step + step + step]
            )


@compiled_exactly
def invert(x: Block, y: Block) -> None:
    """Write the reciprocal of each entry of x into y.

    Args:
        x: Array of nonzero numbers.
        y: Array of the same length, which is overwritten.
    """
    for k in range(U(len(x))):
        y[k] = ONE / x[k]


@compiled_exactly
def subtract(x: Block, y: Block) -> None:
    """Subtract each entry of y from the same entry of x, in place.

    Args:
        x: Array, which is changed.
        y: Array of the same length.
    """
    for k in range(U(len(x))):
        x[k] -= y[k]


@compiled_exactly
def scale_rows(x: Block, factors: Block, b: int) -> None:
    """Multiply entry w of every row of x by factors[w], for w = 0, ..., 15.

    Args:
        x: Array of b rows of 16 numbers, flattened. It is changed in place.
        factors: 16 factors.
        b: Number of rows of x.
    """
    for i in range(U(b)):
        for w in range(W):
            x[i * W + w] *= factors[w]
