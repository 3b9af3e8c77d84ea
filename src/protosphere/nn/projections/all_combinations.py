"""Blocks whose classes are all combinations of the values of parts, computed part by part.

The dot product with a class is a sum over its parts. So log-sum-exp, top-k and mean point of all K = s_1 s_2 ... s_P
combinations follow from products with s_1 + s_2 + ... + s_P points.
"""

from math import prod

import torch
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError
from protosphere.nn.projections.block import ProjectionBlock, TopK
from protosphere.nn.projections.part_tables import PartTables
from protosphere.nn.vectors import widened

MOST_PRODUCTS = 1 << 34
"""B x K products up to which they are computed where somebody asks for all of them, 64 GB."""


class AllCombinationsBlock(nn.Module, ProjectionBlock):
    """Every combination of the values of parts; the value of the last part changes fastest.

    Attributes:
        tables: The points of the parts.
    """

    kind = "all combinations"

    def __init__(self, tables: PartTables) -> None:
        super().__init__()
        self.num_points = prod(tables.sizes)
        self.scores_per_row = tables.num_entries  # one for each point of each part
        self.dim = tables.dim
        self.tables = tables

    def extra_repr(self) -> str:
        """Return the sizes, for `print(model)`."""
        return f"points={self.num_points}, sizes={self.tables.sizes}, dim={self.dim}"

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x P products with every point.

        Raises:
            InvalidArgumentError: If there are too many points.
        """
        if self.num_points > MOST_PRODUCTS:
            raise InvalidArgumentError(
                f"the logits of all {self.num_points:,} classes do not fit into memory; head.loss, head.decode, "
                "head.score and head.parts compute what they need without them"
            )
        first, *others = self._by_part(widened(z))
        products = first
        for part in others:
            products = (products[:, :, None] + part[:, None, :]).flatten(1)
        return products.to(z.dtype)

    def _by_part(self, z: Tensor) -> list[Tensor]:
        """Return the products with the points of each part: B x s_p."""
        return [part for run in self.tables.by_run(z) for part in run.unbind(0)]

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return the points of these indices, one per row, with the dtype of `like`."""
        digits: list[Tensor] = []
        rest = index
        for size in reversed(self.tables.sizes):
            digits.append(rest % size)
            rest = rest // size
        return self.tables.rows(torch.stack(digits[::-1], dim=1), like)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return the B x n sums of all points with weights B x P."""
        collected: list[Tensor] = []
        rest = weights
        for size in reversed(self.tables.sizes):
            by_value = rest.reshape(len(weights), -1, size)
            collected.append(by_value.sum(1))
            rest = by_value.sum(2)
        return self.tables.weighted_sum(torch.cat(collected[::-1], dim=1))

    def mean_point(self, like: Tensor) -> Tensor:
        """Return the mean of all points, with dtype and device of `like`."""
        shares = [like.new_full((1, size), 1 / size) for size in self.tables.sizes]
        return self.tables.weighted_sum(torch.cat(shares, dim=1))[0]

    def plain_log_sum_exp(self, z: Tensor) -> Tensor:
        """Return the differentiable log-sum-exp of the products of each vector, a sum over the parts."""
        by_run = [run.logsumexp(2).sum(0) for run in self.tables.by_run(z)]
        return by_run[0] if len(by_run) == 1 else torch.stack(by_run).sum(0)

    def log_sum_exp(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of the products of each vector, and its gradient."""
        value = self.plain_log_sum_exp(z)
        if not with_mean:
            return value, z.new_empty(len(z), 0)
        shares = [part.softmax(1) for part in self._by_part(z)]
        return value, self.tables.weighted_sum(torch.cat(shares, dim=1))

    def top_k(self, z: Tensor, k: int) -> TopK:
        """Return the k <= P largest dot products of each vector, descending, and the indices of their points.

        The search goes part by part: each of the k largest sums extends one of the k largest sums of the previous parts
            by a value of the next part.
        """
        first, *others = self._by_part(z)
        first_size, *other_sizes = self.tables.sizes
        count = min(k, first_size)
        best = first.topk(count, dim=1)
        values, index = best.values, best.indices
        for part, size in zip(others, other_sizes, strict=True):
            own = part.topk(min(k, size), dim=1)
            sums: list[Tensor] = []
            combined: list[Tensor] = []
            for start, stop, length in _ranks_to_compare(count, min(k, size), k):
                before = slice(start, stop)
                sums.append(_every_sum(values[:, before], own.values[:, :length]))
                numbers = index[:, before] * size
                combined.append(_every_sum(numbers, own.indices[:, :length]))
            count = min(k, count * size)
            best = torch.cat(sums, dim=1).topk(count, dim=1)
            values = best.values
            index = torch.cat(combined, dim=1).gather(1, best.indices)
        return values, index


def _every_sum(first: Tensor, second: Tensor) -> Tensor:
    """Return all sums of a number of the first and one of the second, row by row."""
    return (first[:, :, None] + second[:, None, :]).flatten(1)


def _ranks_to_compare(first: int, second: int, k: int) -> list[tuple[int, int, int]]:
    """Return which pairs of ranks may have one of the k largest sums of two descending lists.

    The sum of number i and number j, counted from 1, has i j - 1 others that are not smaller. So i j is at most k; that
    leaves about k log k pairs.

    Args:
        first: Length of the first list.
        second: Length of the second list.
        k: How many sums are wanted.

    Returns:
        Triples (start, stop, length): ranks start, ..., stop - 1 of the first list go with the first `length` of the
        second. There are about 2 sqrt(k) of them.

    Example:
        >>> _ranks_to_compare(3, 3, 3)
        [(0, 1, 3), (1, 3, 1)]
    """
    found: list[tuple[int, int, int]] = []
    start = 0
    while start < first:
        longest = k // (start + 1)
        stop = min(first, k // longest)
        length = min(second, longest)
        found.append((start, stop, length))
        start = stop
    return found
