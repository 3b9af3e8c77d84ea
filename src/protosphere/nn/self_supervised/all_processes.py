"""Sums, means and concatenations of tensors over all processes of torch.distributed."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor


def are_several() -> bool:
    """Return True if torch.distributed is initialized with more than one process."""
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


def all_reduced(mine: Tensor, operation: Any = dist.ReduceOp.SUM) -> Tensor:
    """Return the sum of the tensors of all processes, entry by entry, or their maximum or another reduction.

    If there is only one process, its tensor is returned unchanged.

    Args:
        mine: Tensor of this process, of the same shape in each process.
        operation: The reduction, such as `torch.distributed.ReduceOp.MAX`. The default is the sum.
    """
    if not are_several():
        return mine
    reduced = mine.clone()
    dist.all_reduce(reduced, operation)  # pyright: ignore[reportUnknownMemberType]
    return reduced


def mean_row(rows: Tensor) -> Tensor:
    """Return the mean of the rows of all processes, as a vector of n numbers.

    Args:
        rows: B x n rows of this process; B may differ between processes.
    """
    count = rows.new_full((1,), len(rows))
    totals = all_reduced(torch.cat([rows.sum(0), count]))
    return totals[:-1] / totals[-1]


def all_gathered(mine: Tensor) -> Tensor:
    """Return the rows of all processes in one tensor, without gradient.

    The rows of process 0 come first, then those of process 1, and so on.

    Args:
        mine: Tensor with the rows of this process. It has the same shape in every process.
    """
    if not are_several():
        return mine.detach()
    own = mine.detach().contiguous()
    every = [torch.empty_like(own) for _ in range(dist.get_world_size())]
    dist.all_gather(every, own)  # pyright: ignore[reportUnknownMemberType]
    return torch.cat(every)
