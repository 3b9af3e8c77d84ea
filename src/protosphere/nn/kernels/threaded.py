"""Kernel calls for a batch whose rows are divided among threads.

A score is the dot product of a vector with a point. The points of a block are some of the prototypes of a head. The
log-sum-exp of some numbers is the logarithm of the sum of their exponentials. A kernel backend is an object that
computes dot products with the points of a block, and sums over these points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import torch
from torch import Tensor

from protosphere.nn.kernels.buffers import as_tensor
from protosphere.nn.kernels.registry import backend_for
from protosphere.nn.kernels.row_threads import run_jobs
from protosphere.nn.tracing import in_memory

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock

Result = TypeVar("Result")

FEWEST_ROWS = 8
"""Smallest number of rows per thread."""

FEWEST_SCORES = 1 << 20
"""Smallest number of scores for which several threads are used.

Computing this number of scores takes milliseconds, while waking the threads takes 0.1 ms.
"""

HUGE_PAGES_FROM = 1 << 25
"""Size in bytes above which the memory of results is allocated by numpy, which uses huge pages.

Above this size, glibc always requests new memory from the system, and the first access to each small page is slow. The
first access to 64 MB takes 45 ms with small pages and 9 ms with huge pages.
"""


def without_autocast(z: Tensor) -> AbstractContextManager[object]:
    """Return a context manager that switches autocast off for the device of z."""
    kind = z.device.type
    if torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind):
        return torch.autocast(kind, enabled=False)
    return nullcontext()


def by_rows(
    work: Callable[[slice], Result], z: Tensor, num_scores: int
) -> list[Result]:
    """Apply `work` to consecutive slices of the rows of z in parallel, and return the results.

    There are several slices if z is on a CPU, has at least 16 rows, needs at least 2^20 dot products for all rows
    together, and torch may use several threads. Each slice then has a thread of its own, on which its tensor operations
    run. In all other cases, there is only one slice with all rows. No gradients are recorded, and autocast is off.

    Args:
        work: Function from a slice of row indices to a result.
        z: The batch, with one row per example.
        num_scores: Number of dot products that `work` computes per row.

    Returns:
        The result of `work` for each slice, in the order of the rows.
    """
    rows = len(z)
    pieces = _num_threads(z, num_scores)
    if pieces < 2:
        with torch.no_grad(), without_autocast(z):
            return [work(slice(0, rows))]
    inference = torch.is_inference_mode_enabled()

    def run(stretch: slice) -> Result:
        with torch.inference_mode(inference), torch.no_grad(), without_autocast(z):
            return work(stretch)

    bounds = [rows * i // pieces for i in range(pieces + 1)]
    stretches = [slice(bounds[i], bounds[i + 1]) for i in range(pieces)]
    return run_jobs([partial(run, stretch) for stretch in stretches])


def _num_threads(z: Tensor, num_scores: int) -> int:
    rows = len(z)
    if rows * num_scores < FEWEST_SCORES or not in_memory(z):
        return 1
    return min(torch.get_num_threads(), rows // FEWEST_ROWS)


def gathered_rows(
    work: Callable[[slice], tuple[Tensor, Tensor]], z: Tensor, num_scores: int
) -> tuple[Tensor, Tensor]:
    """Apply `work` to slices of the rows of z in parallel, and concatenate the tensors that it returns.

    There are several slices if z is on a CPU, has at least 16 rows, needs at least 2^20 dot products for all rows
    together, and torch may use several threads. Each slice then has a thread of its own. In all other cases, there is
    only one slice with all rows. No gradients are recorded, and autocast is off.

    Args:
        work: Function from a slice of row indices to two tensors, each with one row per row of the slice.
        z: The batch of B rows.
        num_scores: Number of dot products that `work` computes per row.

    Returns:
        Two tensors with B rows.
    """
    first, second = zip(*by_rows(work, z, num_scores), strict=True)
    return torch.cat(first), torch.cat(second)


def threaded_log_sum_exp(
    z: Tensor, blocks: Sequence[ProjectionBlock], with_mean: bool
) -> tuple[Tensor, Tensor]:
    """Return the log-sum-exp of each vector's dot products with the points of all blocks, and optionally its gradient.

    The gradient with respect to a vector is the weighted mean of all points; the weights are the softmax of the
    vector's dot products with the points. The results are not differentiable.

    Args:
        z: B x n vectors.
        blocks: Blocks of points in R^n, at least one.
        with_mean: If True, the weighted means, that is, the gradients, are computed. If False, they are not.

    Returns:
        B log-sum-exps, and B x n weighted means. If `with_mean` is False, the second tensor is empty, B x 0.
    """

    def of_rows(rows: slice) -> tuple[Tensor, Tensor]:
        some = z[rows]
        found: list[tuple[Tensor, Tensor]] = []
        for block in blocks:
            backend = backend_for(block, some)
            found.append(backend.log_sum_exp(block, some, with_mean))
        return merged_log_sum_exps(found)

    num_scores = sum(block.scores_per_row for block in blocks)
    return gathered_rows(of_rows, z, num_scores)


def threaded_softmax_terms(
    z: Tensor, index: Tensor, block: ProjectionBlock, with_mean: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Return three results for each vector: a log-sum-exp, its gradient, and one chosen point of the block.

    The log-sum-exp is that of the vector's dot products with the points of the block. Its gradient with respect to the
    vector is the mean of the points, weighted by the softmax of these dot products. The results are not differentiable.

    Args:
        z: B x n vectors.
        index: For each vector, the index of the chosen point in the block, such as the label of the vector.
        block: Block of points.
        with_mean: If True, the weighted means, that is, the gradients, are computed. If False, they are not.

    Returns:
        B log-sum-exps, B x n weighted means and B x n chosen points. If `with_mean` is False, the tensor of means is
        empty, B x 0.
    """

    def of_rows(rows: slice) -> tuple[Tensor, Tensor, Tensor]:
        some = z[rows]
        backend = backend_for(block, some)
        return backend.softmax_terms(block, some, index[rows], with_mean)

    found = by_rows(of_rows, z, block.scores_per_row)
    if len(found) == 1:
        return found[0]
    value, mean, points = map(torch.cat, zip(*found, strict=True))
    return value, mean, points


def merged_log_sum_exps(
    pieces: Sequence[tuple[Tensor, Tensor]],
) -> tuple[Tensor, Tensor]:
    """Return the log-sum-exps and weighted means over the union of several sets of points.

    The log-sum-exp of a vector is that of its dot products with the points. The weighted mean of a vector is the mean
    of the points, weighted by the softmax of these dot products.

    Args:
        pieces: For each set of points, the B log-sum-exps and the B x n weighted means of B vectors. If all tensors of
            weighted means are empty, B x 0, that of the result is empty, too.

    Returns:
        B log-sum-exps and B x n weighted means.
    """
    if len(pieces) == 1:
        return pieces[0]
    values = torch.stack([value for value, _ in pieces])
    means = torch.stack([mean for _, mean in pieces])
    value = values.logsumexp(0)
    shares = torch.exp(values - value)[:, :, None]
    return value, (shares * means).sum(0)


def threaded_products(z: Tensor, block: ProjectionBlock) -> Tensor:
    """Return the B x P dot products of vectors with the points of a block, computed by several threads.

    The result is not differentiable.

    Args:
        z: B x n vectors.
        block: Block of P points in R^n.
    """
    products = z.new_empty(len(z), block.num_points)
    if in_memory(z) and products.nbytes > HUGE_PAGES_FROM:
        # the memory of the first tensor has not been accessed, so its allocation took no time
        products = as_tensor(np.empty(products.shape, z.numpy().dtype))

    def write(rows: slice) -> None:
        backend = backend_for(block, z[rows])
        backend.write_products(block, z[rows], products[rows])

    by_rows(write, z, block.num_points)
    return products


def threaded_weighted_sum(weights: Tensor, block: ProjectionBlock) -> Tensor:
    """Return the B x n weighted sums of the points of a block, computed by several threads.

    The result is not differentiable.

    Args:
        weights: B x P weights of the points.
        block: Block of P points in R^n.
    """

    def summed(rows: slice) -> Tensor:
        backend = backend_for(block, weights[rows])
        return backend.weighted_sum(block, weights[rows])

    return torch.cat(by_rows(summed, weights, block.num_points))
