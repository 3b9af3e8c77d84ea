"""Classes shared out over the processes of torch.distributed: each holds K / world of them.

Every process gets the same z and target (`gathered` brings together what each has) and every one gets the same loss,
gradient and classes as a single process would. Two numbers an example and one vector travel; logits never do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import torch
import torch.distributed as dist
from torch import Tensor, nn

from protosphere.code.spherical_code import SphericalCode
from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.nn.collectives import all_gather, all_reduce_max, all_reduce_sum, gathered
from protosphere.nn.cross_entropy import LossOptions, streamed_cross_entropy
from protosphere.nn.projections.choose import plan_for
from protosphere.nn.projections.merging import Found, merged_top
from protosphere.nn.projections.part import Part
from protosphere.nn.projections.plan import Plan
from protosphere.nn.projections.projection import check_classes, check_vectors, top_of_parts
from protosphere.nn.streaming import streamed_log_sum_exp, widened

__all__ = ["ShardedProjection", "gathered"]


class ShardedProjection(nn.Module):
    """This process' share of the dot products with every point of `code`, and what all shares give together.

    It takes the place of `PrototypeHead.projection` for loss, decode and score: `head.projection = ShardedProjection(
    head.code)`, in every process of `group`, by default all of them.
    """

    position: Tensor | None
    classes: Tensor | None

    def __init__(
        self,
        code: SphericalCode,
        kind: str = "auto",
        dtype: torch.dtype | None = None,
        group: dist.ProcessGroup | None = None,
    ) -> None:
        super().__init__()
        if not (dist.is_available() and dist.is_initialized()):
            raise InvalidArgumentError(
                "'group' must be of torch.distributed, which is not initialised; init_process_group"
            )
        plan = plan_for(code, kind, dtype)
        self.num_classes, self.dim, self.kind, self.group = code.num_classes, code.dim, plan.kind, group
        shares = list(_shares(plan, dist.get_rank(group), dist.get_world_size(group)))
        self.parts = nn.ModuleList(part for part, _ in shares)
        self.starts = [start for _, start in shares]
        position = plan.position
        self.register_buffer("position", position, persistent=False)
        self.register_buffer("classes", None if position is None else position.argsort(), persistent=False)

    @property
    def each_part(self) -> list[Part]:
        """The parts of this process, as what they can do."""
        return cast("list[Part]", list(self.parts))

    def prototypes(self, index: Tensor, like: Tensor | None = None) -> Tensor:
        """The prototypes of these classes, from wherever they are."""
        check_classes(index, self.num_classes)
        words = index if self.position is None else self.position[index]
        rows = (torch.empty(0, device=index.device) if like is None else like).new_zeros(len(index), self.dim)
        for part, start in zip(self.each_part, self.starts, strict=True):
            mine = (words >= start) & (words < start + part.num_words)
            local = (words - start).clamp(0, part.num_words - 1)
            rows = torch.where(mine[:, None], part.rows(local, rows), rows)
        return all_reduce_sum(rows, self.group)

    def weighted_sum(self, weight: Tensor | None, like: Tensor) -> Tensor:
        """sum_k w_k c_k over the classes of all processes."""
        weights = like.new_ones(self.num_classes) if weight is None else weight.to(like.dtype)
        words = weights if self.classes is None else weights[self.classes]
        total = like.new_zeros(self.dim)
        for part, start in zip(self.each_part, self.starts, strict=True):
            total = total + part.word_sum(words[start : start + part.num_words])
        return all_reduce_sum(total, self.group)

    def log_sum_exp(self, z: Tensor) -> Tensor:
        """log sum_k exp(z c_k) over the classes of all processes; float32 for half types."""
        check_vectors(z, self.dim)
        return cast("Tensor", _ShardedLogSumExp.apply(z, self))  # pyright: ignore[reportUnknownMemberType]

    def cross_entropy(
        self,
        z: Tensor,
        target: Tensor,
        weight: Tensor | None = None,
        label_smoothing: float = 0.0,
        reduction: str = "mean",
        scale: float | Tensor = 1.0,
        ignore_index: int = -100,
    ) -> Tensor:
        """The loss over the classes of all processes, as `Projection.cross_entropy`."""
        check_vectors(z, self.dim)
        options = LossOptions(self.num_classes, weight, label_smoothing, reduction, ignore_index)
        return streamed_cross_entropy(self, z, target, scale, options)

    def top(self, z: Tensor, k: int = 1) -> Found:
        """The k largest dot products of each row over the classes of all processes, descending, and their classes."""
        check_vectors(z, self.dim)
        if as_integer("k", k, minimum=1) > self.num_classes:
            raise InvalidArgumentError(f"'k' must be at most the {self.num_classes} classes, got {k}")
        values, words = top_of_parts(z, self.each_part, self.starts, k)
        missing = (0, k - values.shape[1])
        mine = nn.functional.pad(values, missing, value=-torch.inf), nn.functional.pad(words, missing)
        found = z.new_empty(len(z), 0), z.new_empty(len(z), 0, dtype=torch.int64)
        for theirs in zip(*(all_gather(one, self.group) for one in mine), strict=True):
            found = merged_top(found, theirs, k)
        return found[0], found[1] if self.classes is None else self.classes[found[1]]


def _shares(plan: Plan, rank: int, world: int) -> Iterator[tuple[nn.Module, int]]:
    """The parts of one process, and the number of the first word of each."""
    start = 0
    for piece in plan.pieces:
        first, last = piece.units * rank // world, piece.units * (rank + 1) // world
        if first < last:
            yield piece.build(first, last), start + first * piece.unit
        start += piece.units * piece.unit


class _ShardedLogSumExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, shards: ShardedProjection) -> Tensor:
        with torch.autocast(z.device.type, enabled=False):
            value, mean = combined(widened(z.detach()), shards)
        ctx.save_for_backward(mean)
        ctx.dtype = z.dtype
        return value

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        (mean,) = ctx.saved_tensors
        return (grads[0][:, None] * mean).to(ctx.dtype), None


def combined(z: Tensor, shards: ShardedProjection) -> tuple[Tensor, Tensor]:
    """The log-sum-exp and the mean prototype of all processes from those of each."""
    value, mean = z.new_full((len(z),), -torch.inf), torch.zeros_like(z)
    if len(shards.parts):
        value, mean = streamed_log_sum_exp(z, shards.each_part, with_mean=True)
    highest = all_reduce_max(value, shards.group)
    share = torch.exp(value - highest)[:, None]
    sums = all_reduce_sum(torch.cat([share, share * mean], dim=1), shards.group)
    return highest + sums[:, 0].log(), sums[:, 1:] / sums[:, :1]
