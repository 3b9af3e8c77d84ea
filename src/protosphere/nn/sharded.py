"""Classes shared out over the processes of torch.distributed: each holds K / world of them.

Every process gets the same z and target (`gathered` brings together what each has) and every one gets the same loss,
gradient and classes as a single process would. Two numbers per example and one vector travel; logits never do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import torch
import torch.distributed as dist
from torch import Tensor, nn

from protosphere.code.spherical_code import SphericalCode
from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.nn.collectives import all_gather, all_reduce_max, all_reduce_sum, gathered
from protosphere.nn.cross_entropy import LossOptions, streamed_cross_entropy
from protosphere.nn.graph_operators import new_handle
from protosphere.nn.projections.choose import plan_for
from protosphere.nn.projections.merging import Found, merged_top
from protosphere.nn.projections.part import Part
from protosphere.nn.projections.plan import Plan
from protosphere.nn.projections.projection import (
    check_classes,
    check_vectors,
    rows_of_parts,
    top_of_parts,
    weighted_words,
)
from protosphere.nn.softmax import log_sum_exp
from protosphere.nn.streaming import streamed_log_sum_exp, streamed_moment

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
        self._asked = kind, group
        self.num_classes, self.dim, self.kind, self.group = code.num_classes, code.dim, plan.kind, group
        shares = list(_shares(plan, dist.get_rank(group), dist.get_world_size(group)))
        self.parts = nn.ModuleList(part for part, _ in shares)
        self.starts = [start for _, start in shares]
        position = plan.position
        self.register_buffer("position", position, persistent=False)
        self.register_buffer("classes", None if position is None else position.argsort(), persistent=False)
        self.handle = new_handle(self)

    def of(self, code: SphericalCode, dtype: torch.dtype | None) -> ShardedProjection:
        """The same share of another code, as after growing."""
        kind, group = self._asked
        return ShardedProjection(code, kind, dtype, group)

    @property
    def each_part(self) -> list[Part]:
        """The parts of this process, as what they can do."""
        return cast("list[Part]", list(self.parts))

    def prototypes(self, index: Tensor, like: Tensor | None = None) -> Tensor:
        """The prototypes of these classes, from wherever they are."""
        check_classes(index, self.num_classes)
        return self.rows(index, torch.empty(0, device=index.device) if like is None else like)

    def rows(self, classes: Tensor, like: Tensor) -> Tensor:
        """The same of what are known to be classes."""
        words = classes if self.position is None else self.position[classes]
        nothing = like.new_zeros(len(words), self.dim)
        return all_reduce_sum(rows_of_parts(words, self.each_part, self.starts, nothing), self.group)

    def log_sum_exp(self, z: Tensor) -> Tensor:
        """log sum_k exp(z c_k) over the classes of all processes; float32 for half types."""
        check_vectors(z, self.dim)
        return log_sum_exp(z, self)

    def log_sum_exp_and_mean(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """From those of each process."""
        value, mean = z.new_full((len(z),), -torch.inf), z.new_zeros(len(z), self.dim if with_mean else 0)
        if len(self.parts):
            value, mean = streamed_log_sum_exp(z, self.each_part, with_mean)
        highest = all_reduce_max(value, self.group)
        share = torch.exp(value - highest)[:, None]
        sums = all_reduce_sum(torch.cat([share, share * mean], dim=1), self.group)
        return highest + sums[:, 0].log(), sums[:, 1:] / sums[:, :1]

    def moment(self, z: Tensor, log_sum_exps: Tensor, directions: Sequence[Tensor]) -> Tensor:
        """The sum of those of each process."""
        mine = streamed_moment(z, log_sum_exps, directions, self.each_part) if len(self.parts) else torch.zeros_like(z)
        return all_reduce_sum(mine, self.group)

    def weighted_prototypes(self, weights: Tensor, factors: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The sum of those of each process, and the sums of all weights."""
        with torch.no_grad():
            mine, totals = weighted_words(weights, factors, self)
        return all_reduce_sum(mine, self.group), totals

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
        check_vectors(z, self.dim, any_shape=True)
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
