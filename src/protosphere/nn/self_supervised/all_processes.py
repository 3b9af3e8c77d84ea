"""Sums over the processes of torch.distributed, and the numbers themselves where there is only one."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor


def are_several() -> bool:
    """Return whether torch.distributed is initialized with more than one process."""
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


def all_reduced(mine: Tensor, operation: Any = dist.ReduceOp.SUM) -> Tensor:
    """Return the sum of the numbers of all processes, entry by entry, or another reduction of them.

    Args:
        mine: The numbers of this process, of the same shape in each.
        operation: A `torch.distributed.ReduceOp`.
    """
    if not are_several():
        return mine
    reduced = mine.clone()
    dist.all_reduce(reduced, operation)  # pyright: ignore[reportUnknownMemberType]
    return reduced


def mean_row(rows: Tensor) -> Tensor:
    """Return the mean of the rows of all processes.

    Args:
        rows: The B x n numbers of this process; B may differ.
    """
    count = rows.new_full((1,), len(rows))
    totals = all_reduced(torch.cat([rows.sum(0), count]))
    return totals[:-1] / totals[-1]


def all_gathered(mine: Tensor) -> Tensor:
    """Return the rows of all processes, one process after the other; without gradient.

    Args:
        mine: The rows of this process, as many in each.
    """
    if not are_several():
        return mine.detach()
    own = mine.detach().contiguous()
    every = [torch.empty_like(own) for _ in range(dist.get_world_size())]
    dist.all_gather(every, own)  # pyright: ignore[reportUnknownMemberType]
    return torch.cat(every)
