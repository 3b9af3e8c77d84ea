"""The collective operations of torch.distributed that heads use."""

from typing import Any, cast

import torch
import torch.distributed as dist
from torch import Tensor

Group = dist.ProcessGroup | None


def all_reduce(mine: Tensor, group: Group, operation: Any = dist.ReduceOp.SUM) -> Tensor:
    """The sum of every process' numbers, entry by entry, or what else the operation makes of them."""
    all_of_them = mine.clone()
    dist.all_reduce(all_of_them, operation, group=group)  # pyright: ignore[reportUnknownMemberType]
    return all_of_them


def all_gather(mine: Tensor, group: Group) -> list[Tensor]:
    """The tensors of every process, all of one shape, by rank."""
    every = [torch.empty_like(mine, memory_format=torch.contiguous_format) for _ in range(dist.get_world_size(group))]
    dist.all_gather(every, mine.contiguous(), group=group)  # pyright: ignore[reportUnknownMemberType]
    return every


def gathered(z: Tensor, group: Group = None) -> Tensor:
    """The rows of every process, one after the other, as many of each; gradients go back to the own rows.

    Backwards from a loss that is the same in every process, the gradients of all processes *together* are those of a
    single one: where DistributedDataParallel takes their mean, multiply the loss by the number of processes.
    """
    return cast("Tensor", _Gathered.apply(z, group))  # pyright: ignore[reportUnknownMemberType]


class _Gathered(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, group: Group) -> Tensor:
        ctx.rank, ctx.rows = dist.get_rank(group), len(z)
        return torch.cat(all_gather(z.detach(), group))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        return grads[0][ctx.rank * ctx.rows : (ctx.rank + 1) * ctx.rows], None
