"""The list of kernel backends, and the function that chooses the backend for a block of points.

A block has some of the prototypes of a head as its points. A kernel backend is an object that computes dot products
with the points of a block, and sums over these points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from protosphere.nn.kernels.backend import KernelBackend
from protosphere.nn.kernels.cpu.compiled_loops import CpuBackend
from protosphere.nn.kernels.cpu.part_lookups import PartLookupsBackend
from protosphere.nn.kernels.cpu.part_softmax import PartSoftmaxBackend
from protosphere.nn.kernels.torch_ops import TorchBackend

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock

BACKENDS: list[KernelBackend] = [
    CpuBackend(),
    PartLookupsBackend(),
    PartSoftmaxBackend(),
    TorchBackend(),
]
"""All backends. The first one that supports a block and the given rows is used. The last one supports everything."""


def backend_for(block: ProjectionBlock, rows: Tensor) -> KernelBackend:
    """Return the first backend in `BACKENDS` that supports a block and the dtype and device of `rows`.

    A backend computes dot products with the points of a block, and weighted sums of the points.

    Args:
        block: Block of P points in R^n.
        rows: B x n vectors, or B x P weights of the points.

    Returns:
        The backend.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn.kernels.registry import backend_for
        >>> from protosphere.nn.projections import projection_for
        >>> projection = projection_for(ps.construct("simplex", num_classes=10, dim=9), "dense")
        >>> backend_for(projection.typed_blocks[0], torch.zeros(2, 9)).name
        'torch'
    """
    for backend in BACKENDS[:-1]:
        kinds = backend.block_kinds
        if (kinds is None or block.kind in kinds) and backend.supports(block, rows):
            return backend
    return BACKENDS[-1]
