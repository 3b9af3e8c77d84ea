"""Module that stores the points of the parts of a product code, and computes dot products with them.

In a product code, a class consists of parts, such as a color and a shape. It has one value in each part, such as red
and round, and each value has a point. The prototype of a class consists of the points of its values, one part after the
other, followed by zeros. A run is a sequence of consecutive parts whose points are stored in one tensor.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from protosphere.nn.kernels.buffers import as_tensor
from protosphere.types import Points


class Run(NamedTuple):
    """Consecutive parts that have the same number s of values and the same dimension d.

    The dot products with the points of these parts are computed together.

    Attributes:
        points: Tensor of shape (number of parts, s, d) with the s points of each part in R^d, multiplied by the weight
            of the part.
        column: Index of the first coordinate of a prototype that belongs to one of these parts.
        entry: Index of the first point of these parts, if the points of all parts are counted one part after the other.
    """

    points: Tensor
    column: int
    entry: int


class PartTables(nn.Module):
    """Module that maps z to the dot products with the points of several parts.

    Each part has its own coordinates of z. Each value of a part has a point, which is a unit vector times the weight of
    the part. E is the number of points of all parts. A class has one value of each part. The dot product of z with the
    prototype of the class is the sum of the dot products with the points of these values.

    Args:
        points: For each part p, an s_p x d_p matrix of unit vectors, one per value.
        weights: One factor for each part, by which the unit vectors of the part are multiplied.
        dim: Dimension n of the prototypes, at least the sum of the d_p. The remaining coordinates of prototypes are 0.
        dtype: Dtype of the stored points.

    Attributes:
        dim: Dimension n of the prototypes.
        sizes: Number of values s_p of each part.
        largest: Largest number of entries s_p d_p of the matrix of a part.
        missing: Number of zero coordinates of a prototype after the coordinates of all parts.
        offsets: For each part, the index of its first dot product in the result of `forward`.
    """

    offsets: Tensor

    def __init__(
        self,
        points: Sequence[Points],
        weights: NDArray[np.float64],
        dim: int,
        dtype: torch.dtype,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.sizes = tuple(len(part) for part in points)
        self.largest = max(part.size for part in points)
        starts = np.cumsum([0, *self.sizes[:-1]])
        self.register_buffer("offsets", as_tensor(starts), persistent=False)
        scaled = [part * weight for part, weight in zip(points, weights, strict=True)]
        self._places: list[tuple[int, int]] = []
        column = 0
        entry = 0
        for _, group in groupby(scaled, key=np.shape):
            run = np.ascontiguousarray(np.stack(list(group)))
            name = f"run{len(self._places)}"
            self.register_buffer(name, as_tensor(run).to(dtype), persistent=False)
            self._places.append((column, entry))
            count, size, width = run.shape
            column += count * width
            entry += count * size
        self.missing = dim - column

    @property
    def num_entries(self) -> int:
        """Number E of points of all parts together."""
        return sum(self.sizes)

    def runs(self, dtype: torch.dtype) -> list[Run]:
        """Return the points of all parts as a list of `Run`, in which consecutive parts of the same shape are grouped.

        Args:
            dtype: Dtype that the points get.
        """
        found: list[Run] = []
        for number, place in enumerate(self._places):
            points = cast("Tensor", getattr(self, f"run{number}"))
            found.append(Run(points.to(dtype), *place))
        return found

    def by_run(self, z: Tensor) -> list[Tensor]:
        """Return the dot products of vectors with the points of the parts, grouped by parts of the same shape.

        Args:
            z: B x n vectors.

        Returns:
            One tensor of the shape (number of parts, B, s) for each group of consecutive parts that have the same
            number s of values and the same dimension.
        """
        found: list[Tensor] = []
        for points, column, _ in self.runs(z.dtype):
            count, _, width = points.shape
            own = z[:, column : column + count * width]
            by_part = own.reshape(-1, count, width).transpose(0, 1)
            found.append(torch.bmm(by_part, points.transpose(1, 2)))
        return found

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x E dot products of B vectors with the E points of all parts, one part after the other.

        Args:
            z: B x n vectors, not in float16 or bfloat16.
        """
        flat = [run.transpose(0, 1).flatten(1) for run in self.by_run(z)]
        return flat[0] if len(flat) == 1 else torch.cat(flat, dim=1)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return B weighted sums of the points of all parts, as a B x n matrix.

        A point of a part is a vector of R^n here: the coordinates outside the part are 0.

        Args:
            weights: B x E weights of the E points of all parts, one part after the other.
        """
        found: list[Tensor] = []
        for points, _, entry in self.runs(weights.dtype):
            count, size, _ = points.shape
            own = weights[:, entry : entry + count * size]
            by_part = own.reshape(-1, count, size).transpose(0, 1)
            found.append(torch.bmm(by_part, points).transpose(0, 1).flatten(1))
        return self._side_by_side(found)

    def rows(self, values: Tensor, like: Tensor) -> Tensor:
        """Return the prototypes of classes, one per row.

        Args:
            values: Matrix with one row per class and one column per part. An entry is the index of the value that the
                class has in the part.
            like: Tensor whose dtype the prototypes get.
        """
        found: list[Tensor] = []
        part = 0
        for points, _, _ in self.runs(like.dtype):
            count, size, width = points.shape
            first = size * torch.arange(count, device=values.device)
            own = values[:, part : part + count] + first
            chosen = points.reshape(count * size, width)[own]
            found.append(chosen.flatten(1))
            part += count
        return self._side_by_side(found)

    def _side_by_side(self, columns: list[Tensor]) -> Tensor:
        rows = columns[0] if len(columns) == 1 else torch.cat(columns, dim=1)
        # zero columns are appended until there are n columns
        return nn.functional.pad(rows, (0, self.missing)) if self.missing else rows
