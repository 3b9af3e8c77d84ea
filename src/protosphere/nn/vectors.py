"""Check input vectors, and convert them to the dtype in which sums are computed."""

import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError
from protosphere.nn.tracing import is_traced

HALF_TYPES = (torch.float16, torch.bfloat16)


def widened(z: Tensor) -> Tensor:
    """Return z in the dtype in which sums are computed: float32 for float16 and bfloat16, otherwise unchanged."""
    if z.dtype in HALF_TYPES:
        return z.float()
    return z


def check_vectors(z: Tensor, dim: int) -> None:
    """Check that z is a floating-point tensor of shape B x dim.

    While `torch.jit.trace` records, only the dtype is checked.

    Args:
        z: Tensor to check.
        dim: Required size of the last dimension.

    Raises:
        InvalidArgumentError: If z has another shape or is not of a floating type.
    """
    _check(z, dim)
    if z.ndim != 2 and not is_traced():
        raise _wrong_shape(z, dim)


def checked_wide(z: Tensor, dim: int) -> Tensor:
    """Check the dtype and shape of z, and return z, converted to float32 if it is in float16 or bfloat16.

    While `torch.jit.trace` records, only the dtype is checked.

    Args:
        z: Tensor that should have the shape (..., dim) and a floating-point dtype.
        dim: Required size of the last dimension.

    Raises:
        InvalidArgumentError: If z has another shape or is not of a floating type.
    """
    _check(z, dim)
    return widened(z)


def check_tensor(z: Tensor) -> None:
    """Raise InvalidArgumentError if z is not a tensor.

    Objects that stand for a tensor, such as a proxy of `torch.fx`, are accepted.
    """
    if not hasattr(z, "is_floating_point"):
        raise InvalidArgumentError(
            f"'z' must be a tensor, got {type(z).__name__}; torch.as_tensor(z) makes it one"
        )


def _check(z: Tensor, dim: int) -> None:
    check_tensor(z)
    if not z.is_floating_point():
        raise InvalidArgumentError(
            f"'z' must be of a floating type, got {z.dtype}; z.float() makes it one"
        )
    if is_traced():  # sizes are tensors, and comparisons of them are not recorded
        return
    if not z.ndim or z.shape[-1] != dim:
        raise _wrong_shape(z, dim)


def _wrong_shape(z: Tensor, dim: int) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"'z' must be of shape (batch, {dim}), the code's dimension, got {tuple(z.shape)}"
    )
