"""What the Gram matrix says, read a block at a time: it is never held whole."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protosphere.types import PackedBits, Points, Progress, ignore

Block = NDArray[np.float64] | NDArray[np.float32]

BLOCK_ENTRIES = 1 << 22
"""Entries of one Gram block; with its two row blocks it stays near 50 MB."""

COLUMNS = 1 << 12
"""Columns multiplied at once; the sums of blocks are added in float64.

Rounding grows with the length of a block plus the number of blocks, and float32 products of signs stay exact.
"""


@dataclass(frozen=True)
class Rows:
    """Row vectors that can be had in slices, so that packed ones are unpacked only in passing."""

    count: int
    dim: int
    slice: Callable[[int, int], Block]

    @property
    def block(self) -> int:
        """How many rows to take at once."""
        by_row_entries = BLOCK_ENTRIES // max(self.dim, 1)
        by_gram_entries = BLOCK_ENTRIES**0.5
        return int(max(1, min(self.count, by_row_entries, by_gram_entries)))


def point_rows(points: Points) -> Rows:
    """The rows of a dense matrix."""
    count, dim = points.shape

    def rows(start: int, stop: int) -> Block:
        return points[start:stop]

    return Rows(count, dim, rows)


def sign_rows(signs: PackedBits, dim: int) -> Rows:
    """Packed words as rows of +1 (bit 1) and -1 (bit 0); their inner products are exact integers."""

    def unpacked(start: int, stop: int) -> Block:
        bits = np.unpackbits(signs[start:stop], axis=1, count=dim)
        return bits.astype(np.float32) * np.float32(2) - np.float32(1)

    return Rows(signs.shape[0], dim, unpacked)


def inner_products(left: Block, right: Block) -> Block:
    """Inner products of every row of `left` with every row of `right`, the columns taken in blocks."""
    dim = left.shape[1]
    if dim <= COLUMNS:
        return left @ right.T
    total = np.zeros((len(left), len(right)))
    for start in range(0, dim, COLUMNS):
        columns = slice(start, start + COLUMNS)
        total += left[:, columns] @ right[:, columns].T
    return total


def squared_norms(points: Points) -> NDArray[np.float64]:
    """The squared norm of each row, the columns taken in blocks."""
    total = np.zeros(len(points))
    for start in range(0, points.shape[1], COLUMNS):
        columns = points[:, start : start + COLUMNS]
        total += np.einsum("ij,ij->i", columns, columns)
    return total


def product_error(dim: int) -> float:
    """Bound on the rounding error of `inner_products` of two float64 rows of norm 1, whatever the order of summation.

    A sum of m products is off by at most m u / (1 - m u) times the sum of their absolute values, u = 2**-53 (N. Higham,
    Accuracy and Stability of Numerical Algorithms, section 3.1), and that sum is at most the product of the norms.
    """
    additions = min(dim, COLUMNS) + -(-dim // COLUMNS)
    return 1.01 * additions * 2.0**-53


def gram_blocks(
    rows: Rows, progress: Progress = ignore
) -> Iterator[tuple[int, int, Block]]:
    """Blocks of the Gram matrix on and above its diagonal, each with the numbers of its first row and column."""
    starts = range(0, rows.count, rows.block)
    done = 0
    total = len(starts) * (len(starts) + 1) // 2
    for i in starts:
        left = rows.slice(i, i + rows.block)
        for j in range(i, rows.count, rows.block):
            if i == j:
                right = left
            else:
                right = rows.slice(j, j + rows.block)
            yield i, j, inner_products(left, right)
            done += 1
            progress("measuring cosines", done, total)


def pair_products(rows: Rows, progress: Progress = ignore) -> Iterator[Block]:
    """The inner products of every pair of different rows once, those of a block after the other."""
    for i, j, gram in gram_blocks(rows, progress):
        if i < j:
            yield gram.ravel()
        else:
            above_diagonal = ~np.tri(len(gram), dtype=np.bool_)
            yield gram[above_diagonal]


def largest_inner_product(rows: Rows, progress: Progress = ignore) -> float:
    """The largest inner product of two different rows."""
    largest = -np.inf
    for products in pair_products(rows, progress):
        largest = max(largest, float(products.max(initial=-np.inf)))
    return largest


def max_cosine(points: Points, progress: Progress = ignore) -> float:
    """The largest cosine of two different rows of unit vectors."""
    return largest_inner_product(point_rows(points), progress)


def bin_cosines(
    points: Points, edges: Points, progress: Progress = ignore
) -> NDArray[np.int64]:
    """How many pairs have their cosine in each bin of `edges`; the last bin is closed."""
    counts = np.zeros(len(edges) - 1, dtype=np.int64)
    for cosines in pair_products(point_rows(points), progress):
        clipped = np.clip(cosines, edges[0], edges[-1])
        counts += np.histogram(clipped, bins=edges)[0]
    return counts


def sign_inner_product_counts(
    signs: PackedBits, dim: int, progress: Progress = ignore
) -> dict[int, int]:
    """How many pairs of +-1 rows have each inner product, as exact integers."""
    counts = np.zeros(dim + 1, dtype=np.int64)
    for products in pair_products(sign_rows(signs, dim), progress):
        distances = ((dim - products) / 2).astype(np.int64)
        counts += np.bincount(distances, minlength=dim + 1)
    found: dict[int, int] = {}
    for distance in np.flatnonzero(counts).tolist():
        found[dim - 2 * distance] = int(counts[distance])
    return found
