"""Classes shared out over the processes of torch.distributed: each holds K / world of them.

Every process gets the same z and target (`gathered` brings together what each has) and every one gets the same loss,
gradient and classes as a single process would. Two numbers per example and one vector travel; logits never do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError
from protosphere.nn.projections.block import TopK, merged_top
from protosphere.nn.projections.choose import plan_for
from protosphere.nn.projections.projection import Projection
from protosphere.spherical.spherical_code import SphericalCode

Group = dist.ProcessGroup | None


class ShardedProjection(Projection):
    """This process' share of the dot products with every point of `code`, and what all shares give together.

    It takes the place of `PrototypeHead.projection` for loss, decode and score: `head.projection = ShardedProjection(
    head.code)`, in every process of `group`, by default all of them.
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
                "'group' must be of torch.distributed, which is not initialised; init_process_group"
            )
        processes = dist.get_rank(group), dist.get_world_size(group)
        super().__init__(
            plan_for(code, kind, dtype), code.num_classes, code.dim, *processes
        )
        self._kind_asked = kind
        self.group = group

    def of(self, code: SphericalCode, dtype: torch.dtype | None) -> ShardedProjection:
        """The same share of another code, as after growing."""
        return ShardedProjection(code, self._kind_asked, dtype, self.group)

    def forward(self, z: Tensor) -> Tensor:
        """All logits of all classes are what sharing is to avoid."""
        del z
        raise InvalidArgumentError(
            "a ShardedProjection gives no logits; cross_entropy, log_sum_exp and top do without"
        )

    def rows(self, classes: Tensor, like: Tensor) -> Tensor:
        """From wherever they are."""
        return _all_reduce(super().rows(classes, like), self.group)

    def log_sum_exp_and_mean(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """From those of each process."""
        value = z.new_full((len(z),), -torch.inf)
        mean = z.new_zeros(len(z), self.dim if with_mean else 0)
        if len(self.parts):
            value, mean = super().log_sum_exp_and_mean(z, with_mean)
        highest = _all_reduce(value, self.group, dist.ReduceOp.MAX)
        share = torch.exp(value - highest)[:, None]
        sums = _all_reduce(torch.cat([share, share * mean], dim=1), self.group)
        return highest + sums[:, 0].log(), sums[:, 1:] / sums[:, :1]

    def moment(
        self, z: Tensor, log_sum_exps: Tensor, directions: Sequence[Tensor]
    ) -> Tensor:
        """The sum of those of each process."""
        if len(self.parts):
            mine = super().moment(z, log_sum_exps, directions)
        else:
            mine = torch.zeros_like(z)
        return _all_reduce(mine, self.group)

    def weighted_prototypes(
        self, weights: Tensor, factors: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The sum of those of each process, and the sums of all weights."""
        mine, totals = super().weighted_prototypes(weights, factors)
        return _all_reduce(mine, self.group), totals

    def top_words(self, z: Tensor, k: int) -> TopK:
        """The largest over the words of all processes."""
        values, words = super().top_words(z, k)
        missing = (0, k - values.shape[1])
        mine = (
            nn.functional.pad(values, missing, value=-torch.inf),
            nn.functional.pad(words, missing),
        )
        found = z.new_empty(len(z), 0), z.new_empty(len(z), 0, dtype=torch.int64)
        for theirs in zip(*(_all_gather(one, self.group) for one in mine), strict=True):
            found = merged_top(found, theirs, k)
        return found


def _all_reduce(
    mine: Tensor, group: Group, operation: Any = dist.ReduceOp.SUM
) -> Tensor:
    """The sum of every process' numbers, entry by entry, or what else the operation makes of them."""
    all_of_them = mine.clone()
    dist.all_reduce(all_of_them, operation, group=group)  # pyright: ignore[reportUnknownMemberType]
    return all_of_them


def _all_gather(mine: Tensor, group: Group) -> list[Tensor]:
    """The tensors of every process, all of one shape, by rank."""
    every = [
        torch.empty_like(mine, memory_format=torch.contiguous_format)
        for _ in range(dist.get_world_size(group))
    ]
    dist.all_gather(every, mine.contiguous(), group=group)  # pyright: ignore[reportUnknownMemberType]
    return every


def gathered(z: Tensor, group: Group = None) -> Tensor:
    """The rows of every process, one after the other, as many of each; gradients go back to the own rows.

    Backwards from a loss that is the same in every process, the gradients of all processes *together* are those of a
    single one: where DistributedDataParallel takes their mean, multiply the loss by the number of processes.
    """
    every = _all_gather(z.detach(), group)
    every[dist.get_rank(group)] = z  # with its gradient
    return torch.cat(every)
