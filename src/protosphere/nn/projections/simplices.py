"""Block of regular simplices in orthogonal subspaces.

A block has some or all prototypes of a code as its P points. A run consists of consecutive simplices with the same
number of vertices.

One cumulative sum per simplex gives the dot products of a vector with all vertices. Let c_0, ..., c_(s-1) be the
vertices of a simplex. Their coordinates are numbered by j = 1, ..., s - 1. Let f_j = sqrt(s / ((s - 1) j (j + 1))).
Coordinate j of c_i is

    f_j if i < j,    -j f_j if i = j,    0 if i > j.

So z . c_i = sum_{j > i} f_j z_j - i f_i z_i, where the last term is 0 if i = 0.
"""

from itertools import groupby

import torch
from torch import Tensor, nn

from protosphere.nn.projections.block import ProjectionBlock
from protosphere.nn.vectors import widened
from protosphere.types import Indices


class SimplicesBlock(nn.Module, ProjectionBlock):
    """Block of P points that are vertices of regular simplices in orthogonal subspaces.

    The dot products of a vector with all P points take O(P) time. The simplices are stored one after the other. A run
    consists of consecutive simplices with the same number of vertices, whose dot products are computed together.

    Args:
        sizes: Number of vertices of each simplex.
        dim: Dimension n.
        dtype: Dtype of the buffers.
        numbers: For each point, the index of the vertex that it equals. The index is counted from 0 through the
            vertices of all simplices, one simplex after the other. If None, the points are all vertices, in this order.

    Attributes:
        runs: For each run, a pair: the number of vertices of each of its simplices, and the number of its simplices.
        num_vertices: Number of vertices of all simplices.
        steps: The factors of the first run, then those of the second run, and so on. A run of simplices with s vertices
            has the factors f_1, ..., f_(s-1), where f_j is coordinate j of the vertices 0, ..., j - 1 of each simplex.
        numbers: The argument `numbers`.
    """

    kind = "simplices"
    steps: Tensor
    numbers: Tensor | None

    def __init__(
        self,
        sizes: Indices,
        dim: int,
        dtype: torch.dtype,
        numbers: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.runs = [(size, len(list(run))) for size, run in groupby(sizes.tolist())]
        self.num_vertices = int(sizes.sum())
        self.dim = dim
        self.num_points = self.num_vertices if numbers is None else len(numbers)
        self.scores_per_row = self.num_points
        steps = torch.cat([_steps(size) for size, _ in self.runs])
        self.register_buffer("steps", steps.to(dtype), persistent=False)
        self.register_buffer("numbers", numbers, persistent=False)

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x P dot products of vectors with all P points.

        Args:
            z: B x n vectors.
        """
        wide = widened(z)
        coordinate = 0
        step = 0
        found: list[Tensor] = []
        for size, count in self.runs:
            width = count * (size - 1)
            steps = self.steps[step : step + size - 1].to(wide.dtype)
            own = wide[:, coordinate : coordinate + width]
            found.append(_simplex_products(own, steps, size, count))
            coordinate = coordinate + width
            step = step + size - 1
        products = found[0] if len(found) == 1 else torch.cat(found, dim=1)
        if self.numbers is not None:
            products = products.index_select(1, self.numbers)
        return products.to(z.dtype)

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return the points with given indices, one per row.

        Args:
            index: Vector of indices of points.
            like: Tensor whose dtype the result gets.
        """
        zeros = widened(like).new_zeros(index.shape[0], self.num_points)
        weights = zeros.scatter(1, index[:, None], 1.0)
        return self.weighted_sum(weights).to(like.dtype)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return B weighted sums of all P points, as a B x n tensor.

        Args:
            weights: B x P weights, one row for each sum.
        """
        if self.numbers is not None:
            zeros = weights.new_zeros(weights.shape[0], self.num_vertices)
            weights = zeros.index_copy(1, self.numbers, weights)
        vertex = 0
        step = 0
        found: list[Tensor] = []
        for size, count in self.runs:
            width = count * size
            steps = self.steps[step : step + size - 1].to(weights.dtype)
            own = weights[:, vertex : vertex + width]
            found.append(_simplex_sums(own, steps, size, count))
            vertex = vertex + width
            step = step + size - 1
        sums = found[0] if len(found) == 1 else torch.cat(found, dim=1)
        return nn.functional.pad(sums, (0, self.dim - sums.shape[1]))


def _simplex_products(z: Tensor, steps: Tensor, size: int, count: int) -> Tensor:
    # One row of `z` has the size - 1 coordinates of a vector in the subspace of each of `count` simplices.
    stepped = z.reshape(-1, count, size - 1) * steps
    after = stepped.flip(2).cumsum(2).flip(2)
    own = stepped * torch.arange(1, size, dtype=z.dtype, device=z.device)
    nothing = torch.zeros_like(stepped[:, :, :1])
    later = torch.cat([after, nothing], dim=2)
    earlier = torch.cat([nothing, own], dim=2)
    return (later - earlier).flatten(1)


def _simplex_sums(weights: Tensor, steps: Tensor, size: int, count: int) -> Tensor:
    # The transpose of `_simplex_products`: with weights g_0, ..., g_(size - 1) of the vertices, coordinate j is
    # f_j (g_0 + ... + g_(j-1) - j g_j).
    each = weights.reshape(-1, count, size)
    j = torch.arange(1, size, dtype=each.dtype, device=each.device)
    before = each.cumsum(2)[:, :, :-1]
    return (steps * (before - j * each[:, :, 1:])).flatten(1)


def _steps(size: int) -> Tensor:
    # The factors f_1, ..., f_(size - 1) of the module docstring.
    j = torch.arange(1, size, dtype=torch.float64)
    return torch.sqrt(size / ((size - 1) * j * (j + 1)))
