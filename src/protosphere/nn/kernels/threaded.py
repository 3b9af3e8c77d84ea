"""Kernels called for some rows of a batch by each thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from protosphere.nn.kernels.buffers import as_tensor
from protosphere.nn.kernels.registry import backend_for
from protosphere.nn.kernels.row_threads import by_rows, in_memory

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock

HUGE_PAGES_FROM = 1 << 25
"""Bytes from which glibc always asks the system for new memory, whose first touch page by page takes longer than the
products; numpy asks for huge pages there: 9 ms instead of 45 ms for 64 MB."""


def threaded_products(z: Tensor, block: ProjectionBlock) -> Tensor:
    """Return the B x P products, each thread writing some rows; not differentiable."""
    products = z.new_empty(len(z), block.num_points)
    if in_memory(z) and products.nbytes > HUGE_PAGES_FROM:
        # nothing has touched the first memory yet, so it took no time
        products = as_tensor(np.empty(products.shape, z.numpy().dtype))

    def write(rows: slice) -> None:
        backend = backend_for(block, z[rows])
        backend.write_products(block, z[rows], products[rows])

    by_rows(write, z, block.num_points)
    return products


def threaded_weighted_sum(weights: Tensor, block: ProjectionBlock) -> Tensor:
    """Return the B x n sums of the points, each thread summing for some rows; not differentiable."""

    def summed(rows: slice) -> Tensor:
        backend = backend_for(block, weights[rows])
        return backend.weighted_sum(block, weights[rows])

    return torch.cat(by_rows(summed, weights, block.num_points))
