"""Dot products with every prototype of a code, and what can be had without holding them all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.nn.custom_ops import new_handle
from protosphere.nn.kernels.row_threads import by_rows, gathered_rows, without_autocast
from protosphere.nn.projections.block import ProjectionBlock, TopK, merged_top
from protosphere.nn.streaming.cross_entropy import (
    LossOptions,
    classes_in_range,
    streamed_cross_entropy,
)
from protosphere.nn.streaming.log_sum_exp import (
    merged_log_sum_exps,
    tiled_moment,
    widened,
)
from protosphere.nn.streaming.softmax import Dims, folded, log_sum_exp, unfolded
from protosphere.nn.tracing import call, is_recorded, is_traced, under_transform

WEIGHTS_ENTRIES = 1 << 20
"""Weights that are multiplied and put in another order at once, 4 MB."""


@dataclass(frozen=True, eq=False)
class BlockSpec:
    """Words of one sort: `build(first, last)` makes the part with the units first to last - 1, `unit` words each."""

    units: int
    unit: int
    build: Callable[[int, int], nn.Module]


@dataclass(frozen=True, eq=False)
class ProjectionPlan:
    """What a projection is to be made of: the pieces, one after the other; class i is word position[i], or i."""

    kind: str
    pieces: tuple[BlockSpec, ...]
    position: Tensor | None = None


class Projection(nn.Module):
    """z -> (z c_1, ..., z c_K), made by `projection_for`. No parameters; its buffers are rebuilt, never saved.

    Attributes:
        num_classes, dim: K and n.
        kind: how it is computed: 'dense', 'hadamard', 'axes', 'simplex'.
        starts: the number of the first word of each part.
        position, classes: the word of each class and the class of each word; None where they are the same.
    """

    position: Tensor | None
    classes: Tensor | None

    def __init__(
        self,
        plan: ProjectionPlan,
        num_classes: int,
        dim: int,
        rank: int = 0,
        world: int = 1,
    ) -> None:
        super().__init__()
        self.parts = nn.ModuleList()
        self.starts = list[int]()
        start = 0
        for piece in plan.pieces:
            first = piece.units * rank // world
            last = piece.units * (rank + 1) // world
            if first < last:
                self.parts.append(piece.build(first, last))
                self.starts.append(start + first * piece.unit)
            start += piece.units * piece.unit
        self.kind = plan.kind
        self.num_classes = num_classes
        self.dim = dim
        self.register_buffer("position", plan.position, persistent=False)
        classes = None if plan.position is None else plan.position.argsort()
        self.register_buffer("classes", classes, persistent=False)
        self.handle = new_handle(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        cast("Any", super()).__setstate__(state)  # torch has no types for it
        self.handle = new_handle(self)  # a copy is another one

    @property
    def typed_blocks(self) -> list[ProjectionBlock]:
        """The parts, as what they can do."""
        return cast("list[ProjectionBlock]", list(self.parts))

    @property
    def num_words(self) -> int:
        """How many words the parts have together: K, unless others have the rest."""
        return sum(part.num_words for part in self.typed_blocks)

    def forward(self, z: Tensor) -> Tensor:
        """The B x K dot products, classes in the order of the code, in the dtype of z."""
        check_vectors(z, self.dim)
        with without_autocast(z):
            found = [part(z) for part in self.typed_blocks]
            words = found[0] if len(found) == 1 else torch.cat(found, dim=-1)
            if self.position is None:
                return words
            return words.index_select(-1, self.position)

    def prototypes(self, index: Tensor, like: Tensor | None = None) -> Tensor:
        """The prototypes of these classes, one per row; dtype and device those of `like`."""
        if under_transform():
            index = classes_in_range("index", index, self.num_classes)
        elif len(index) and not torch.compiler.is_compiling() and not is_recorded():
            lowest = int(index.min())
            highest = int(index.max())
            last = self.num_classes - 1
            if lowest < 0 or highest > last:
                raise InvalidArgumentError(
                    f"'index' must lie in 0, ..., {last}, got {lowest}..{highest}"
                )
        return self.rows(
            index, torch.empty(0, device=index.device) if like is None else like
        )

    def rows(self, classes: Tensor, like: Tensor) -> Tensor:
        """The same of what are known to be classes; zeros for those of no part."""
        words = classes if self.position is None else self.position[classes]
        rows = like.new_zeros(words.shape[0], self.dim)
        for part, start in zip(self.typed_blocks, self.starts, strict=True):
            mine = (words >= start) & (words < start + part.num_words)
            theirs = part.rows((words - start).clamp(0, part.num_words - 1), rows)
            rows = torch.where(mine[:, None], theirs, rows)
        return rows

    def log_sum_exp(self, z: Tensor) -> Tensor:
        """log sum_k exp(z c_k) of each row, streaming, differentiable; float32 for half types."""
        check_vectors(z, self.dim)
        return log_sum_exp(z, self)

    def log_sum_exp_and_mean(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """log_sum_exp and, where asked for, the mean prototype under the softmax, else B x 0 numbers; no gradient."""

        def of_rows(rows: slice) -> tuple[Tensor, Tensor]:
            return merged_log_sum_exps(
                [part.log_sum_exp(z[rows], with_mean) for part in self.typed_blocks]
            )

        return gathered_rows(of_rows, z, self.num_words)

    def moment(
        self, z: Tensor, log_sum_exps: Tensor, directions: Sequence[Tensor]
    ) -> Tensor:
        """sum_k exp(z c_k - l) (v_1 c_k) (v_2 c_k) ... c_k of each row, the v being the directions; no gradient."""

        def of_rows(rows: slice) -> Tensor:
            given = (
                z[rows],
                log_sum_exps[rows],
                [direction[rows] for direction in directions],
            )
            return torch.stack(
                [tiled_moment(*given, part) for part in self.typed_blocks]
            ).sum(0)

        return torch.cat(by_rows(of_rows, z, self.num_words))

    def weighted_prototypes(
        self, weights: Tensor, factors: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """sum_k weights_ik factors_k c_k and sum_k weights_ik factors_k of each row; float32 for half; no gradient."""
        size = max(
            1, WEIGHTS_ENTRIES // weights.shape[1]
        )  # rows at a time: in another order they are a second block
        sums = [widened(weights[:0]).new_zeros(0, self.dim)]
        totals = [widened(weights[:0]).new_zeros(0)]
        with torch.no_grad(), without_autocast(weights):
            for start in range(0, len(weights), size):
                rows = widened(weights[start : start + size])
                rows = rows if factors is None else rows * factors
                if self.classes is not None:
                    rows = rows.index_select(1, self.classes)
                each = zip(self.typed_blocks, self.starts, strict=True)
                found = [
                    part.weighted_sum(rows[:, first : first + part.num_words])
                    for part, first in each
                ]
                sums.append(sum(found, start=rows.new_zeros(len(rows), self.dim)))
                totals.append(rows.sum(1))
        return torch.cat(sums), torch.cat(totals)

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
        """F.cross_entropy(scale * self(z), target, ...), exact, streaming: never B x K numbers; n and K stand last."""
        check_vectors(z, self.dim, any_shape=True)
        options = LossOptions(
            self.num_classes, weight, label_smoothing, reduction, ignore_index
        )
        return streamed_cross_entropy(self, z, target, scale, options)

    def top(self, z: Tensor, k: int = 1) -> TopK:
        """The k largest dot products of each row, descending, and their classes; streaming, without gradient."""
        check_vectors(z, self.dim)
        if as_integer("k", k, minimum=1) > self.num_classes:
            raise InvalidArgumentError(
                f"'k' must be at most the {self.num_classes} classes, got {k}"
            )
        if is_recorded():
            return self(widened(z)).topk(k, dim=1)
        values, words = (
            call(_TopWords, z, self, k) if under_transform() else self.top_words(z, k)
        )
        return values, words if self.classes is None else self.classes[words]

    def top_words(self, z: Tensor, k: int) -> TopK:
        """The k largest products with the words of the parts, or all where there are fewer, and their numbers."""

        def of_rows(rows: slice) -> TopK:
            wide = widened(z[rows])
            found = (
                wide.new_empty(len(wide), 0),
                wide.new_empty(len(wide), 0, dtype=torch.int64),
            )
            for part, first in zip(self.typed_blocks, self.starts, strict=True):
                values, index = part.top(wide, min(k, part.num_words))
                found = merged_top(found, (values, index + first), k)
            return found

        values, words = gathered_rows(of_rows, z, self.num_words)
        return values.to(z.dtype), words


class _TopWords(torch.autograd.Function):
    """`Projection.top_words` through vmap; the numbers that it finds have no derivatives."""

    @staticmethod
    def forward(z: Tensor, projection: Projection, k: int) -> TopK:
        return projection.top_words(z.detach(), k)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: TopK) -> None:
        del inputs
        ctx.mark_non_differentiable(*output)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> tuple[None, None]:
        del ctx, tangents
        return None, None

    @staticmethod
    def vmap(info: Any, in_dims: Dims, *args: Any) -> tuple[Any, tuple[int, int]]:
        rows = folded(info, in_dims[:1], args[:1])
        return unfolded(info, *call(_TopWords, *rows, *args[1:])), (0, 0)


def check_vectors(z: Tensor, dim: int, any_shape: bool = False) -> None:
    """Raise unless z is B x dim of a floating type, or, with `any_shape`, has dim as its last dimension."""
    if not z.is_floating_point():
        raise InvalidArgumentError(
            f"'z' must be of a floating type, got {z.dtype}; z.float() makes it one"
        )
    if is_traced():  # where sizes are recorded, and comparing them is not
        return
    if not z.ndim or z.shape[-1] != dim or (z.ndim != 2 and not any_shape):
        raise InvalidArgumentError(
            f"'z' must be of shape (batch, {dim}), the code's dimension, got {tuple(z.shape)}"
        )
