"""Values and codewords of quantized points, and the dot products with all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from protosphere.nn.kernels.buffers import as_tensor
from protosphere.nn.projections.part_tables import PartTables
from protosphere.types import Points


class QuantizedTables(nn.Module):
    """Values of parts, each in its own coordinates, followed by codewords that share the next coordinates.

    The dot product of z with a class is the sum of the entries of `self(z)` for the values of its parts, plus the
    factor of the class (`QuantizedPoints.factors`) times the sum of the entries for its codewords.

    Args:
        parts: Values of each part, one matrix per part.
        codebooks: Codewords of each codebook: M x S x d.
        dim: Dimension n.
        dtype: Dtype of the buffers.

    Attributes:
        dim: Dimension n.
        sizes: Number of values of each part and of codewords of each codebook.
        num_parts: Number of parts; the codebooks follow.
        offsets: Index of the first entry of each part and each codebook in the result of `forward`.
        last: Index after the last coordinate of the codewords; zeros follow.
        codewords: Codewords of all codebooks, one per row.
    """

    offsets: Tensor
    codewords: Tensor

    def __init__(
        self,
        parts: Sequence[Points],
        codebooks: NDArray[np.float64],
        dim: int,
        dtype: torch.dtype,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.num_parts = len(parts)
        self.sizes = (*map(len, parts), *[codebooks.shape[1]] * len(codebooks))
        starts = np.cumsum([0, *self.sizes[:-1]])
        self.register_buffer("offsets", as_tensor(starts), persistent=False)
        width = sum(part.shape[1] for part in parts)
        self.last = width + codebooks.shape[2]
        self.parts = PartTables(parts, np.ones(len(parts)), width, dtype)
        flat = as_tensor(codebooks.reshape(-1, codebooks.shape[2]).copy())
        self.register_buffer("codewords", flat.to(dtype), persistent=False)

    @property
    def num_entries(self) -> int:
        """Number of values and codewords together."""
        return sum(self.sizes)

    def forward(self, z: Tensor) -> Tensor:
        """Return the dot products of vectors with all values and codewords: B x entries.

        Args:
            z: B x n vectors, not in half precision.
        """
        own = self.parts(z[:, : self.parts.dim])
        products = z[:, self.parts.dim : self.last] @ self.codewords.to(z.dtype).T
        return torch.cat([own, products], dim=1)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return the B x n weighted sums of all values and codewords: the transpose of `forward`.

        Args:
            weights: B x entries weights.
        """
        first = self.parts.num_entries
        own = self.parts.weighted_sum(weights[:, :first])
        sums = weights[:, first:] @ self.codewords.to(weights.dtype)
        return self._padded(torch.cat([own, sums], dim=1))

    def rows(self, values: Tensor, factors: Tensor, like: Tensor) -> Tensor:
        """Return the prototypes of classes as rows.

        Args:
            values: Value of each part and codeword of each codebook, one row per class.
            factors: Factor of each class.
            like: Tensor whose dtype the rows get.
        """
        own = self.parts.rows(values[:, : self.num_parts], like)
        codewords = self.codewords.to(like.dtype)
        places = values[:, self.num_parts :] + self._codeword_offsets()
        total = codewords[places[:, 0]]
        for number in range(1, places.shape[1]):
            total = total + codewords[places[:, number]]
        scaled = total * factors.to(like.dtype)[:, None]
        return self._padded(torch.cat([own, scaled], dim=1))

    def _codeword_offsets(self) -> Tensor:
        """Return the index of the first codeword of each codebook."""
        return self.offsets[self.num_parts :] - self.parts.num_entries

    def _padded(self, rows: Tensor) -> Tensor:
        missing = self.dim - self.last
        return nn.functional.pad(rows, (0, missing)) if missing else rows
