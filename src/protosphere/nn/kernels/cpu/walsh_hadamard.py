"""Compiled loops over the cosets of a small linear code, with one Walsh-Hadamard transform per coset.

z and similar arrays have shape (groups, rows * LANES): a group has LANES vectors, with one row per coordinate (see
`simd`). flips has shape (cosets, rows): the signs of each coset in the order of the rows of z. The rows are divided
into `bins` consecutive bins of equal size. The transform of the signed sums over the bins gives the dot products with
the `bins` codewords of a coset. With `both`, each codeword also stands for its antipode.
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
    """Write the largest dot product of each vector with the codewords (with `both`, and antipodes) of each coset.

    Args:
        z: Vectors in lanes.
        flips: (cosets, rows) signs.
        bins: Number of bins.
        both: Whether each codeword also stands for its antipode.
        highest: (groups, cosets, LANES) array for the results.
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
    """Write the dot products of vectors with all codewords, one vector per row.

    Args:
        z: Vectors in lanes.
        flips: (cosets, rows) signs.
        bins: Number of bins.
        both: Whether each codeword also stands for its antipode.
        products: Array for the results with a row for each of B vectors and a column for each codeword (with `both`,
            and each antipode). B may be less than groups * LANES; the vectors of z after the first B are ignored.
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
    """Write one lane of x into a row; with `both`, every value is followed by its negative.

    Args:
        x: Block of dot products, one row per codeword.
        lane: Index of the lane, from 0 to LANES - 1.
        both: Whether to write the negatives, too.
        row: Dot products of one vector; the entries of the codewords in x are overwritten.
        first: Index of the first codeword in x, among all codewords without antipodes.
        bins: Number of rows of x.
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
    """Add weighted sums of codewords to z: the transpose of `write_words`.

    Args:
        weights: Weights with a row for each of B vectors and a column for each codeword (with `both`, and antipode).
        flips: (cosets, rows) signs.
        bins: Number of bins.
        both: Whether each codeword also stands for its antipode.
        z: Sums in lanes, updated in place.
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
    """Read a row of weights into one lane of x: the transpose of `write_lane`.

    With `both`, the weight of an antipode is subtracted from the weight of its codeword.

    Args:
        row: Weights of all codewords.
        first: Index of the first codeword to read, among all codewords without antipodes.
        both: Whether each codeword is followed by its antipode.
        x: Block with one row per codeword; one lane is overwritten.
        lane: Index of the lane, from 0 to LANES - 1.
        bins: Number of rows of x.
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
    """Write, for each vector and coset, the sum of exp(score - peak) over the codewords of the coset.

    A score is the dot product with a codeword plus the dot product with the glue vector of its coset. The peak of a
    coset is the largest score of this coset and all previous ones. `word_sums` receives the sum over all cosets of
    exp(score - last peak) times the codeword. With `both`, all sums and peaks include the antipodes.

    Args:
        z: Vectors in lanes.
        flips: (cosets, rows) signs.
        glue: (groups, cosets, LANES) dot products with glue vectors.
        bins: Number of bins.
        both: Whether each codeword also stands for its antipode.
        peaks: (groups, cosets, LANES) array for the peaks.
        sums: (groups, cosets, LANES) zeros, to which the sums are added.
        word_sums: Zeros in the shape of z, to which weighted codewords are added; an empty array to omit them.
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
    """Write the peak of each lane for a coset: the largest score of this coset and all previous ones.

    Args:
        x: Block of dot products with the coset's codewords.
        both: Whether each codeword also stands for its antipode.
        glue: LANES dot products with the glue vector of the coset.
        peaks: (cosets, LANES) peaks; row `coset` is overwritten, the previous row is read.
        coset: Index of the coset in `peaks`.
        bins: Number of rows of x.

    Returns:
        Whether any lane's peak was raised; always True for the first coset.
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
    """Raise `highest` to the maximum of the rows of x for each lane; with `both`, also of the rows of -x.

    Args:
        x: Block of b rows.
        both: Whether to include -x.
        highest: LANES running maxima, which are raised in place and never lowered.
        b: Number of rows.
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
    """Apply `max_rows` to the `radix4_butterfly` of x without storing it.

    Args:
        x: Block of b rows.
        both: Whether to include the negatives of the rows.
        highest: LANES running maxima, which are raised in place and never lowered.
        b: Number of rows.
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
    """Add the rows of x to `sums`.

    Args:
        x: Block of b rows.
        sums: LANES sums, updated in place.
        b: Number of rows.
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
    """Write 1 / x into y, entry by entry."""
    for k in range(U(len(x))):
        y[k] = ONE / x[k]


@compiled_exactly
def subtract(x: Block, y: Block) -> None:
    """Subtract y from x, entry by entry, in place."""
    for k in range(U(len(x))):
        x[k] -= y[k]


@compiled_exactly
def scale_rows(x: Block, factors: Block, b: int) -> None:
    """Multiply every row of x by the same factors, one per lane.

    Args:
        x: Block of b rows, multiplied in place.
        factors: LANES factors.
        b: Number of rows.
    """
    for i in range(U(b)):
        for w in range(W):
            x[i * W + w] *= factors[w]
