"""Statistics of the Gram matrix of many points, the matrix of all their inner products.

The matrix is computed in blocks and is never in memory as a whole. A block of rows is a set of consecutive rows. A
block of the Gram matrix has the inner products of the rows of one block with the rows of another block, or of the same
block.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protosphere.types import PackedBits, Points, Progress, ignore

Block = NDArray[np.float64] | NDArray[np.float32]

BLOCK_ENTRIES = 1 << 22
"""Largest number of entries of a block of rows, and of a block of the Gram matrix.

Such a block takes 16 MB in float32 and 32 MB in float64.
"""

COLUMNS = 1 << 12
"""Number of coordinates that are summed together. Row vectors with more columns are divided into blocks of columns.

The inner products over each block of columns are computed in the dtype of the rows, and then added in float64. Because
of the blocks, inner products of vectors of signs are exact even in float32. The rounding error in float64 grows with
the number of columns in a block plus the number of blocks, and not with the number of all columns.
"""


@dataclass(frozen=True)
class Rows:
    """Matrix that is read in slices of rows.

    If the matrix is stored in packed form, as bits of codewords are, only one slice is unpacked at a time.

    Attributes:
        count: Number of rows.
        dim: Number of columns.
        slice: Function of two integers `start` and `stop` that returns the rows from `start` to `stop` - 1.
    """

    count: int
    dim: int
    slice: Callable[[int, int], Block]

    @property
    def block(self) -> int:
        """Count of the rows that are read together as a block.

        If a single row has more than 2^22 entries, the count is 1. Otherwise, it is so small that a block has at most
        2^22 entries, and the matrix of the inner products of two blocks has at most 2^22 entries, too.
        """
        by_row_entries = BLOCK_ENTRIES // max(self.dim, 1)
        by_gram_entries = BLOCK_ENTRIES**0.5
        return int(max(1, min(self.count, by_row_entries, by_gram_entries)))


def point_rows(points: Points) -> Rows:
    """Return the matrix `points` as a `Rows` object, from which slices of rows can be read."""
    count, dim = points.shape

    def rows(start: int, stop: int) -> Block:
        return points[start:stop]

    return Rows(count, dim, rows)


def sign_rows(signs: PackedBits, dim: int) -> Rows:
    """Return a `Rows` object that unpacks codewords to float32 rows, with +1 for each bit 1 and -1 for each bit 0.

    Args:
        signs: One codeword per row, packed eight bits to a byte.
        dim: Number of bits of a codeword.
    """

    def unpacked(start: int, stop: int) -> Block:
        bits = np.unpackbits(signs[start:stop], axis=1, count=dim)
        return bits.astype(np.float32) * np.float32(2) - np.float32(1)

    return Rows(signs.shape[0], dim, unpacked)


def inner_products(left: Block, right: Block) -> Block:
    """Return the inner product of every row of `left` with every row of `right`.

    If there are more than 4,096 columns (`COLUMNS`), the columns are divided into blocks of 4,096. The inner products
    over each block are computed in the dtype of the rows, and added in float64.

    Args:
        left: Row vectors.
        right: Row vectors of the same dimension.

    Returns:
        A matrix with a row for each row of `left` and a column for each row of `right`.
    """
    dim = left.shape[1]
    if dim <= COLUMNS:
        return left @ right.T
    total = np.zeros((len(left), len(right)))
    for start in range(0, dim, COLUMNS):
        columns = slice(start, start + COLUMNS)
        total += left[:, columns] @ right[:, columns].T
    return total


def squared_norms(points: Points) -> NDArray[np.float64]:
    """Return the squared norm of each row of `points`."""
    total = np.zeros(len(points))
    for start in range(0, points.shape[1], COLUMNS):
        columns = points[:, start : start + COLUMNS]
        total += np.einsum("ij,ij->i", columns, columns)
    return total


def product_error(dim: int) -> float:
    """Return an upper bound on the rounding error of the inner product of two unit vectors in float64.

    The inner product must be computed by `inner_products`, which adds blocks of 4,096 coordinates. The bound holds for
    any order of summation within a block.

    Args:
        dim: Number of coordinates.
    """
    # Let u = 2**-53. The error of a sum of m products is at most m u / (1 - m u) times the sum of their absolute values
    # (N. Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). This sum is at most the product of the
    # norms. Here m is the number of columns in a block plus the number of blocks.
    additions = min(dim, COLUMNS) + -(-dim // COLUMNS)
    return 1.01 * additions * 2.0**-53


def gram_blocks(
    rows: Rows, progress: Progress = ignore
) -> Iterator[tuple[int, int, Block]]:
    """Yield the blocks of a Gram matrix that contain entries on or above the diagonal of the matrix.

    The Gram matrix has the inner products of all pairs of rows. It is divided into blocks of consecutive rows and
    columns.

    Args:
        rows: Row vectors.
        progress: Function that is called after each block with a text, the number of finished blocks and the number of
            all blocks.

    Yields:
        For each block, the index in the Gram matrix of the first row of the block, the index in the Gram matrix of its
        first column, and the matrix of its inner products.
    """
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
    """Yield the inner products of all pairs of rows with different indices, each pair once.

    Args:
        rows: Row vectors.
        progress: Function that is called after each block of the Gram matrix with a text, the number of finished blocks
            and the number of all blocks.

    Yields:
        For each block of the Gram matrix, a one-dimensional array with the inner products of these pairs that are in
        the block.
    """
    for i, j, gram in gram_blocks(rows, progress):
        if i < j:
            yield gram.ravel()
        else:
            above_diagonal = ~np.tri(len(gram), dtype=np.bool_)
            yield gram[above_diagonal]


def largest_inner_product(rows: Rows, progress: Progress = ignore) -> float:
    """Return the largest inner product of two rows with different indices, or -infinity if there is only one row.

    Args:
        rows: Vectors, as the rows of a matrix.
        progress: Function that is called after each block of the Gram matrix with a text, the number of finished blocks
            and the number of all blocks.
    """
    largest = -np.inf
    for products in pair_products(rows, progress):
        largest = max(largest, float(products.max(initial=-np.inf)))
    return largest


def max_cosine(points: Points, progress: Progress = ignore) -> float:
    """Return the largest cosine of two points in different rows, or -infinity if there is only one row.

    Args:
        points: Unit vectors, as rows.
        progress: Function that is called after each block of the Gram matrix with a text, the number of finished blocks
            and the number of all blocks.
    """
    return largest_inner_product(point_rows(points), progress)


def bin_cosines(
    points: Points, edges: Points, progress: Progress = ignore
) -> NDArray[np.int64]:
    """Return, for each of the given bins, the count of pairs of points in different rows whose cosine is in the bin.

    Each pair is counted once. A bin is an interval of cosines between two consecutive edges.

    Args:
        points: Unit vectors, as rows.
        edges: Edges of the bins, in ascending order. A bin contains its lower edge; the last bin contains both edges.
            Cosines below the first edge are counted in the first bin, and cosines above the last edge in the last bin.
        progress: Function that is called after each block of the Gram matrix with a text, the number of finished blocks
            and the number of all blocks.

    Returns:
        The count of pairs for each bin.
    """
    counts = np.zeros(len(edges) - 1, dtype=np.int64)
    for cosines in pair_products(point_rows(points), progress):
        clipped = np.clip(cosines, edges[0], edges[-1])
        counts += np.histogram(clipped, bins=edges)[0]
    return counts


def sign_inner_product_counts(
    signs: PackedBits, dim: int, progress: Progress = ignore
) -> dict[int, int]:
    """Count the pairs of codewords in different rows by the inner product of their vectors of signs.

    The vector of a codeword has the entry +1 for each bit 1, and -1 for each bit 0.

    Args:
        signs: One codeword per row, packed eight bits to a byte.
        dim: Number of bits of a codeword.
        progress: Function that is called after each block of the Gram matrix with a text, the number of finished blocks
            and the number of all blocks.

    Returns:
        A mapping from each inner product that occurs to the count of unordered pairs with this inner product.
    """
    counts = np.zeros(dim + 1, dtype=np.int64)
    for products in pair_products(sign_rows(signs, dim), progress):
        distances = ((dim - products) / 2).astype(np.int64)
        counts += np.bincount(distances, minlength=dim + 1)
    found: dict[int, int] = {}
    for distance in np.flatnonzero(counts).tolist():
        found[dim - 2 * distance] = int(counts[distance])
    return found
