"""Which projection a code gets."""

from __future__ import annotations

import torch

from protosphere.errors import as_choice
from protosphere.nn.projections.dense import DensePart
from protosphere.nn.projections.projection import Projection
from protosphere.spherical_code import SphericalCode

KINDS = ("auto", "dense")


def projection_for(code: SphericalCode, kind: str = "auto", dtype: torch.dtype | None = None) -> Projection:
    """The dot products with every point of `code`, classes in its order.

    Parameters:
        kind: 'auto' takes what is fastest for the structure and the size of the code; the others insist.
        dtype: of the buffers; by default torch's default dtype. Inputs of other types are served too.
    """
    as_choice("kind", kind, KINDS)
    return Projection([_dense(code, dtype or torch.get_default_dtype())], "dense")


def _dense(code: SphericalCode, dtype: torch.dtype) -> DensePart:
    weight = torch.empty(code.num_classes, code.dim, dtype=dtype)
    for start in range(0, code.num_classes, 1 << 14):
        weight[start : start + (1 << 14)] = torch.from_numpy(code.rows(start, start + (1 << 14)))  # pyright: ignore[reportUnknownMemberType]
    return DensePart(weight)
