"""Tensors made from numpy arrays, and arrays aligned to cache lines."""

from math import prod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

CACHE_LINE = 64
"""Size of a cache line in bytes."""


def as_tensor(array: NDArray[Any]) -> Tensor:
    """Return a tensor that shares the memory of `array`."""
    return torch.from_numpy(array)  # pyright: ignore[reportUnknownMemberType] - torch has no types for it


def with_torch_strides(tensor: Tensor) -> Tensor:
    """Return `tensor` unchanged, or a new tensor of the same shape and dtype if `tensor` is empty.

    Tensors made from empty numpy arrays have strides of 0, with which `torch.export.save` raises an error. The new
    tensor has the strides that torch uses.
    """
    if tensor.numel():
        return tensor
    return tensor.new_empty(tensor.shape)


def aligned_zeros(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return float32 zeros whose memory begins at a cache line, that is, at a multiple of 64 bytes.

    A cache line has room for 16 numbers. If the last dimension of the array is 16, each row of 16 numbers fills exactly
    one cache line.

    Args:
        shape: Shape of the array.
    """
    size = 4 * prod(shape)
    memory = np.zeros(size + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + size].view(np.float32).reshape(shape)
