"""Distribute the classes over the processes of torch.distributed: each of P processes holds about K / P prototypes.

All processes must be given the same z and target (`gathered` collects the rows of all processes). Each process then
computes the loss, gradient and nearest classes that a single process would compute. For a loss, the processes exchange
two numbers and at most two vectors of R^n per example, never logits.

A projection is a module that computes dot products with all prototypes. Its points are the prototypes; their order may
differ from the order of the classes. The log-sum-exp of some numbers is the logarithm of the sum of their exponentials.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError
from protosphere.nn.projections.block import TopK, merged_top_k
from protosphere.nn.projections.choose import plan_for
from protosphere.nn.projections.projection import Projection
from protosphere.spherical.spherical_code import SphericalCode

Group = dist.ProcessGroup | None


class ShardedProjection(Projection):
    """Projection that stores only some of the prototypes in each process and combines the results of all processes.

    To shard a head, set `head.projection = ShardedProjection(head.code)` in every process of the group. The methods
    `loss`, `decode` and `score` of the head then work as before. A call of the head itself raises an error, because it
    would compute all logits.

    Args:
        code: The prototypes, the same in every process.
        kind: Name of the algorithm for dot products, such as 'dense' or 'hadamard'; 'auto' chooses the fastest
            algorithm for the structure of the code.
        dtype: Dtype of the stored prototypes. None means torch's default dtype.
        group: Group of processes. None means the group of all processes.

    Raises:
        InvalidArgumentError: If torch.distributed is not initialized.

    Example:
        >>> import torch
        >>> from protosphere.nn import PrototypeHead, ShardedProjection
        >>> from torch import distributed
        >>> distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
        >>> head = PrototypeHead(10, dim=9)
        >>> head.projection = ShardedProjection(head.code)
        >>> head.decode(head.prototypes()[:3]).classes.flatten().tolist()
        [0, 1, 2]
        >>> distributed.destroy_process_group()
    """

    def __init__(
        self,
        code: SphericalCode,
        kind: str = "auto",
        dtype: torch.dtype | None = None,
        group: Group = None,
    ) -> None:
        if not (dist.is_available() and dist.is_initialized()):
            raise InvalidArgumentError(
                "'group' must be of torch.distributed, which is not initialized; init_process_group"
            )
        processes = dist.get_rank(group), dist.get_world_size(group)
        super().__init__(
            plan_for(code, kind, dtype), code.num_classes, code.dim, *processes
        )
        self._kind_asked = kind
        self.group = group

    @property
    def all_combinations(self) -> None:
        """Always None, because the algorithm for classes that are all combinations of values cannot be sharded."""

    def of(self, code: SphericalCode, dtype: torch.dtype | None) -> ShardedProjection:
        """Return a sharded projection of another code with the same algorithm and the same process group.

        A head calls this method when its prototypes change, for example when classes are added.

        Args:
            code: The new prototypes.
            dtype: Dtype of the stored prototypes. None means torch's default dtype.
        """
        return ShardedProjection(code, self._kind_asked, dtype, self.group)

    def forward(self, z: Tensor) -> Tensor:
        """Raise an error, because materializing all logits would defeat sharding.

        Args:
            z: B x n vectors.

        Raises:
            InvalidArgumentError: Always.
        """
        del z
        raise InvalidArgumentError(
            "a ShardedProjection gives no logits; cross_entropy, log_sum_exp and top do without"
        )

    def rows(self, classes: Tensor, like: Tensor) -> Tensor:
        """Return the prototypes of the given classes, one per row, collected from the processes that hold them.

        Args:
            classes: Vector of class indices, the same in every process.
            like: Tensor whose dtype and device the prototypes get.
        """
        return _all_reduce(super().rows(classes, like), self.group)

    def log_sum_exp_and_mean(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """Return each row's log-sum-exp of its dot products with all prototypes, and optionally a mean prototype.

        The mean prototype is the mean of all prototypes, weighted by the softmax of the row's dot products with them.
        The prototypes of all processes are included.

        Args:
            z: B x n vectors, the same in every process.
            with_mean: If True, the means are computed. If False, they are not.

        Returns:
            A tuple of two tensors: the B log-sum-exps, and the B x n means. If `with_mean` is False, the second tensor
            is empty and has the shape B x 0.
        """
        value = z.new_full((len(z),), -torch.inf)
        mean = z.new_zeros(len(z), self.dim if with_mean else 0)
        if len(self.blocks):
            value, mean = super().log_sum_exp_and_mean(z, with_mean)
        highest = _all_reduce(value, self.group, dist.ReduceOp.MAX)
        share = torch.exp(value - highest)[:, None]
        sums = _all_reduce(torch.cat([share, share * mean], dim=1), self.group)
        return highest + sums[:, 0].log(), sums[:, 1:] / sums[:, :1]

    def moment(
        self, z: Tensor, log_sum_exps: Tensor, directions: Sequence[Tensor]
    ) -> Tensor:
        """Return a weighted sum of the points for each row, from which derivatives of the log-sum-exp are computed.

        The sum contains the points of all processes. For a row z with log-sum-exp l and directions v_1, ..., v_r, the
        weight of the point c_k is exp(z . c_k - l) times the r dot products v_1 . c_k, ..., v_r . c_k. Without
        directions (r = 0), the weights are exp(z . c_k - l).

        Args:
            z: B x n vectors.
            log_sum_exps: The B log-sum-exps l over the points of all processes.
            directions: A list of r tensors, each B x n. Row i of tensor j is the direction v_j of row i of z.

        Returns:
            B x n weighted sums.
        """
        if len(self.blocks):
            mine = super().moment(z, log_sum_exps, directions)
        else:
            mine = torch.zeros_like(z)
        return _all_reduce(mine, self.group)

    def weighted_prototypes(
        self, weights: Tensor, factors: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return, for each row of weights, the weighted sum of the points of all processes and the sum of the weights.

        Args:
            weights: B x K weights, one row per example and one column per class.
            factors: K factors, one per prototype, by which the weights are multiplied. None means factors of 1.

        Returns:
            A tuple of two tensors: the B x n weighted sums of the points, and the B sums of the weights. Both are
            computed from the weights after the multiplication by the factors.
        """
        mine, totals = super().weighted_prototypes(weights, factors)
        return _all_reduce(mine, self.group), totals

    def top_points(self, z: Tensor, k: int) -> TopK:
        """Return each row's k largest dot products with the points of all processes, and the indices of the points.

        Args:
            z: B x n vectors.
            k: Number of points, at most K.

        Returns:
            B x k dot products in descending order, and the B x k indices of the points among the points of all
            processes. The order of these points may differ from the order of the classes.
        """
        values, points = super().top_points(z, k)
        missing = (0, k - values.shape[1])
        mine = (
            nn.functional.pad(values, missing, value=-torch.inf),
            nn.functional.pad(points, missing),
        )
        found = z.new_empty(len(z), 0), z.new_empty(len(z), 0, dtype=torch.int64)
        for theirs in zip(*(_all_gather(one, self.group) for one in mine), strict=True):
            found = merged_top_k(found, theirs, k)
        return found


def _all_reduce(
    mine: Tensor, group: Group, operation: Any = dist.ReduceOp.SUM
) -> Tensor:
    all_of_them = mine.clone()
    dist.all_reduce(all_of_them, operation, group=group)  # pyright: ignore[reportUnknownMemberType]
    return all_of_them


def _all_gather(mine: Tensor, group: Group) -> list[Tensor]:
    every = [
        torch.empty_like(mine, memory_format=torch.contiguous_format)
        for _ in range(dist.get_world_size(group))
    ]
    dist.all_gather(every, mine.contiguous(), group=group)  # pyright: ignore[reportUnknownMemberType]
    return every


def gathered(z: Tensor, group: Group = None) -> Tensor:
    """Return the concatenated rows of all processes, where gradients flow back to the rows of this process only.

    If every process computes the loss of all rows, the *sum* of the gradients of all processes is the gradient that a
    single process would have. DistributedDataParallel averages the gradients of the processes instead of adding them,
    so multiply the loss by the number of processes.

    Args:
        z: The B x n vectors of this process, or their B targets. B must be the same in all processes.
        group: Group of processes. None means the group of all processes.

    Returns:
        The rows of all processes, in the order of their ranks.

    Raises:
        InvalidArgumentError: If `group` is a tensor.

    Example:
        >>> import torch
        >>> from protosphere.nn import gathered
        >>> from torch import distributed
        >>> distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
        >>> gathered(torch.ones(2, 9)).shape
        torch.Size([2, 9])
        >>> distributed.destroy_process_group()
    """
    if isinstance(group, Tensor):
        raise InvalidArgumentError(
            "'group' must be a process group or None, got a tensor; "
            "collect two tensors with two calls: gathered(z), gathered(targets)"
        )
    every = _all_gather(z.detach(), group)
    every[dist.get_rank(group)] = z  # the same rows with gradient
    return torch.cat(every)
