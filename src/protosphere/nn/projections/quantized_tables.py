"""Module that stores the values and codewords of quantized points and computes dot products with them.

A quantized point has one value of each of several parts. A value is a vector in the coordinates of its part. A codebook
is a list of vectors, its codewords. A quantized point also has one codeword of each codebook, and a number, its factor.
"""

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
    """Module that maps z to the dot products with all values and all codewords of quantized points.

    A quantized point has one value of each part, and each part has its own coordinates. The point also has one codeword
    of each codebook, and all codebooks share the coordinates that follow those of the parts. The dot product of z with
    a point is the sum of entries of `self(z)`: the entries for its values, plus the factor of the point times the sum
    of the entries for its codewords.

    Args:
        parts: For each part, a matrix whose rows are the values.
        codebooks: M x S x d array: M codebooks of S codewords with d entries.
        dim: Dimension n.
        dtype: Dtype of the stored values and codewords.

    Attributes:
        dim: Dimension n.
        sizes: Number of values of each part, followed by the number of codewords of each codebook.
        num_parts: Number of parts.
        offsets: For each part, and then for each codebook, the index of its first entry in the result of `forward`.
        last: One past the index of the last coordinate of the codewords. The remaining coordinates of all points are 0.
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
        """Number E of entries of the result of `forward`: values of all parts plus codewords of all codebooks."""
        return sum(self.sizes)

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x E dot products of vectors with all E values and codewords.

        The columns are the values of all parts, followed by the codewords of all codebooks.

        Args:
            z: B x n vectors, not in float16 or bfloat16.
        """
        own = self.parts(z[:, : self.parts.dim])
        products = z[:, self.parts.dim : self.last] @ self.codewords.to(z.dtype).T
        return torch.cat([own, products], dim=1)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return the B x n weighted sums of all E values and codewords.

        The values and codewords are regarded as vectors of R^n, with zeros for all other coordinates.

        Args:
            weights: B x E weights. The columns are the values of all parts, followed by the codewords of all codebooks.
        """
        first = self.parts.num_entries
        own = self.parts.weighted_sum(weights[:, :first])
        sums = weights[:, first:] @ self.codewords.to(weights.dtype)
        return self._padded(torch.cat([own, sums], dim=1))

    def rows(self, values: Tensor, factors: Tensor, like: Tensor) -> Tensor:
        """Return the prototypes of classes, one per row.

        Args:
            values: Integer matrix with one row per class, and one column per part, followed by one column per codebook.
                The entries are the indices of the class's values and codewords.
            factors: For each class, the factor by which the sum of its codewords is multiplied in its prototype.
            like: Tensor whose dtype the prototypes get.
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
        return self.offsets[self.num_parts :] - self.parts.num_entries

    def _padded(self, rows: Tensor) -> Tensor:
        missing = self.dim - self.last
        return nn.functional.pad(rows, (0, missing)) if missing else rows
