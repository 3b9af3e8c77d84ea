"""The list of kernel backends, and the one place that decides which of them serves a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from protosphere.nn.kernels.backend import KernelBackend
from protosphere.nn.kernels.cpu.compiled_loops import CpuBackend
from protosphere.nn.kernels.cpu.part_lookups import PartLookupsBackend
from protosphere.nn.kernels.torch_ops import TorchBackend

if TYPE_CHECKING:
    from protosphere.nn.projections.block import ProjectionBlock

BACKENDS: list[KernelBackend] = [
    CpuBackend(),
    PartLookupsBackend(),
    TorchBackend(),
]
"""Every backend, in the order in which they are asked; the last one supports everything."""


def backend_for(block: ProjectionBlock, rows: Tensor) -> KernelBackend:
    """Return the first backend that supports the block for these rows.

    Args:
        block: Points of one kind.
        rows: Vectors or weights, one row per example.
    """
    for backend in BACKENDS[:-1]:
        if backend.supports(block, rows):
            return backend
    return BACKENDS[-1]
