"""Regular simplices in orthogonal subspaces, in closed form: every dot product by one running sum a simplex."""

from itertools import groupby

import torch
from torch import Tensor, nn

from protosphere.nn.projections.block import ProjectionBlock
from protosphere.nn.streaming.log_sum_exp import widened
from protosphere.types import Indices


class SimplicesBlock(nn.Module, ProjectionBlock):
    """Point i of a simplex of K stands in its coordinate j = 1, ..., K-1 at f_j for i < j, at -j f_j for i = j, or 0.

    f_j = sqrt(K / ((K-1) j (j+1))), see `geometry.simplex`. So z . c_i = sum_{j > i} f_j z_j - i f_i z_i: O(K).
    Word i is number numbers[i] of the points of all simplices, which follow each other; those of one size at a time.
    """

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
        self.num_points = int(sizes.sum())
        self.dim = dim
        self.num_words = self.num_points if numbers is None else len(numbers)
        self.register_buffer(
            "steps",
            torch.cat([_steps(size) for size, _ in self.runs]).to(dtype),
            persistent=False,
        )
        self.register_buffer("numbers", numbers, persistent=False)

    def forward(self, z: Tensor) -> Tensor:
        """The products with every word."""
        wide = widened(z)
        start = 0
        first = 0
        found: list[Tensor] = []
        for size, count in self.runs:
            steps = self.steps[first : first + size - 1].to(wide.dtype)
            stepped = (
                wide[:, start : start + count * (size - 1)].reshape(-1, count, size - 1)
                * steps
            )
            after = stepped.flip(2).cumsum(2).flip(2)
            own = stepped * torch.arange(1, size, dtype=wide.dtype, device=z.device)
            nothing = torch.zeros_like(stepped[:, :, :1])
            products = torch.cat([after, nothing], dim=2) - torch.cat(
                [nothing, own], dim=2
            )
            found.append(products.flatten(1))
            start = start + count * (size - 1)
            first = first + size - 1
        products = found[0] if len(found) == 1 else torch.cat(found, dim=1)
        return (
            products if self.numbers is None else products.index_select(1, self.numbers)
        ).to(z.dtype)

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """The words of these numbers: the sums of all words with weight 1 for one of them."""
        weights = widened(like).new_zeros(index.shape[0], self.num_words)
        return self.weighted_sum(weights.scatter(1, index[:, None], 1.0)).to(like.dtype)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """The sums of the words with weights g: f_j (g_0 + ... + g_(j-1) - j g_j) in coordinate j of a simplex."""
        if self.numbers is not None:
            weights = weights.new_zeros(weights.shape[0], self.num_points).index_copy(
                1, self.numbers, weights
            )
        start = 0
        first = 0
        found: list[Tensor] = []
        for size, count in self.runs:
            each = weights[:, start : start + count * size].reshape(-1, count, size)
            j = torch.arange(1, size, dtype=each.dtype, device=each.device)
            steps = self.steps[first : first + size - 1].to(each.dtype)
            found.append(
                (steps * (each.cumsum(2)[:, :, :-1] - j * each[:, :, 1:])).flatten(1)
            )
            start = start + count * size
            first = first + size - 1
        sums = found[0] if len(found) == 1 else torch.cat(found, dim=1)
        return nn.functional.pad(sums, (0, self.dim - sums.shape[1]))


def _steps(size: int) -> Tensor:
    j = torch.arange(1, size, dtype=torch.float64)
    return torch.sqrt(size / ((size - 1) * j * (j + 1)))
