"""Block that has a point for every combination of the values of m parts.

A class consists of m parts, such as a color and a shape, and has one value of each part, such as red and round. Part p
has s_p values, and each value has a point. The point of a combination consists of the points of its values, one after
the other. The dot product of a vector with the point of a combination is a sum with one term for each part. Therefore
the log-sum-exp, the k largest dot products and the mean point of all s_1 s_2 ... s_m combinations can be computed from
the dot products with the s_1 + s_2 + ... + s_m points of the parts.

The log-sum-exp of some numbers is the logarithm of the sum of their exponentials.
"""

from math import prod

import torch
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError
from protosphere.nn.projections.block import ProjectionBlock, TopK
from protosphere.nn.projections.part_tables import PartTables
from protosphere.nn.vectors import widened

MOST_PRODUCTS = 1 << 34
"""Largest number of points for which `forward` computes the dot products with all points."""


class AllCombinationsBlock(nn.Module, ProjectionBlock):
    """Block of P points of R^n, one for every combination of the values of several parts.

    Part p has s_p values, so P is the product of all s_p. The combinations are in lexicographic order: the value of the
    last part changes fastest.

    Attributes:
        tables: Module that computes the dot products with the points of each part.
    """

    kind = "all combinations"

    def __init__(self, tables: PartTables) -> None:
        super().__init__()
        self.num_points = prod(tables.sizes)
        self.scores_per_row = tables.num_entries  # one for each point of each part
        self.dim = tables.dim
        self.tables = tables

    def extra_repr(self) -> str:
        """Return a text for `print(model)`: the number of points, the number of values of each part, the dimension."""
        return f"points={self.num_points}, sizes={self.tables.sizes}, dim={self.dim}"

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x P dot products of B vectors with all P points.

        Args:
            z: B x n vectors.

        Raises:
            InvalidArgumentError: If the block has more than 2^34 points.
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
        # one B x s_p matrix for each part p
        return [part for run in self.tables.by_run(z) for part in run.unbind(0)]

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """Return points of the block, one per row.

        Args:
            index: Indices of the points, from 0 to P - 1.
            like: Tensor whose dtype the points get.
        """
        digits: list[Tensor] = []
        rest = index
        for size in reversed(self.tables.sizes):
            digits.append(rest % size)
            rest = rest // size
        return self.tables.rows(torch.stack(digits[::-1], dim=1), like)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """Return B weighted sums of all P points, as a B x n matrix.

        Args:
            weights: B x P weights of the points.
        """
        collected: list[Tensor] = []
        rest = weights
        for size in reversed(self.tables.sizes):
            by_value = rest.reshape(len(weights), -1, size)
            collected.append(by_value.sum(1))
            rest = by_value.sum(2)
        return self.tables.weighted_sum(torch.cat(collected[::-1], dim=1))

    def mean_point(self, like: Tensor) -> Tensor:
        """Return the unweighted mean of all P points, as a vector.

        Args:
            like: Tensor whose dtype and device the vector gets.
        """
        shares = [like.new_full((1, size), 1 / size) for size in self.tables.sizes]
        return self.tables.weighted_sum(torch.cat(shares, dim=1))[0]

    def plain_log_sum_exp(self, z: Tensor) -> Tensor:
        """Return the log-sum-exp of the dot products of each of B vectors with all P points, as B numbers.

        The result is differentiable.

        Args:
            z: B x n vectors.
        """
        # the log-sum-exp over all combinations is the sum of the log-sum-exps over the points of each part
        by_run = [run.logsumexp(2).sum(0) for run in self.tables.by_run(z)]
        return by_run[0] if len(by_run) == 1 else torch.stack(by_run).sum(0)

    def plain_mean(self, z: Tensor) -> Tensor:
        """Return a weighted mean of all P points for each of B vectors, as a B x n matrix.

        The weights for a vector are the softmax of its dot products with the points. The result is differentiable.

        Args:
            z: B x n vectors.
        """
        shares = [part.softmax(1) for part in self._by_part(z)]
        return self.tables.weighted_sum(torch.cat(shares, dim=1))

    def log_sum_exp(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """Return the log-sum-exp of the dot products of each of B vectors with all points, and optionally its gradient.

        The gradient with respect to a vector is the mean of all points, weighted by the softmax of the dot products.

        Args:
            z: B x n vectors.
            with_mean: If True, the gradients are computed. If False, they are not.

        Returns:
            B log-sum-exps, and the B x n gradients. If `with_mean` is False, the second tensor has the shape (B, 0).
        """
        mean = self.plain_mean(z) if with_mean else z.new_empty(len(z), 0)
        return self.plain_log_sum_exp(z), mean

    def top_k(self, z: Tensor, k: int) -> TopK:
        """Return the k largest dot products of each of B vectors with the points, and the indices of these points.

        Args:
            z: B x n vectors.
            k: Number of dot products for each vector, at most P.

        Returns:
            B x k dot products, in descending order in each row, and the B x k indices of their points.
        """
        # Each of the k largest sums over the first p + 1 parts is the sum of one of the k largest sums over the first p
        # parts and a dot product with a point of the next part.
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
    # the index of the column of `second` changes fastest
    return (first[:, :, None] + second[:, None, :]).flatten(1)


def _ranks_to_compare(first: int, second: int, k: int) -> list[tuple[int, int, int]]:
    # The k largest sums of an entry of one descending list and an entry of another are among the returned pairs.
    # A triple (start, stop, length) pairs the entries start, ..., stop - 1 of the first list with the first `length`
    # entries of the second. The i-th entry of the first list and the j-th of the second have at least i j - 1 sums
    # that are not smaller, so only pairs with i j <= k are needed. There are about k log k such pairs, in about 2
    # sqrt(k) triples.
    found: list[tuple[int, int, int]] = []
    start = 0
    while start < first:
        longest = k // (start + 1)
        stop = min(first, k // longest)
        length = min(second, longest)
        found.append((start, stop, length))
        start = stop
    return found
