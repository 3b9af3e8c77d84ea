"""Tensors made from numpy arrays."""

from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor


def as_tensor(array: NDArray[Any]) -> Tensor:
    """Return the array as a tensor that shares its memory."""
    return torch.from_numpy(array)  # pyright: ignore[reportUnknownMemberType] - torch has no types for it


def with_torch_strides(tensor: Tensor) -> Tensor:
    """Return the tensor, an empty one with strides of torch.

    numpy gives empty arrays the stride 0, which `torch.export.save` refuses.
    """
    if tensor.numel():
        return tensor
    return tensor.new_empty(tensor.shape)
