"""Dot products with every prototype of a code, and what can be had without holding them all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import cast

import torch
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.nn.cross_entropy import LossOptions, streamed_cross_entropy
from protosphere.nn.projections.merging import Found, merged_top
from protosphere.nn.projections.part import Part
from protosphere.nn.streaming import log_sum_exp, widened
from protosphere.nn.threads import by_rows


class Projection(nn.Module):
    """z -> (z c_1, ..., z c_K), made by `projection_for`. No parameters; its buffers are rebuilt, never saved.

    Attributes:
        num_classes, dim: K and n.
        kind: how it is computed: 'dense', 'hadamard', 'axes', 'simplex'.
    """

    position: Tensor | None
    classes: Tensor | None

    def __init__(self, parts: Sequence[nn.Module], kind: str, position: Tensor | None = None) -> None:
        super().__init__()
        self.parts = nn.ModuleList(parts)
        self.kind = kind
        self.num_classes = sum(part.num_words for part in self.each_part)
        self.dim = self.each_part[0].dim
        self.register_buffer("position", position, persistent=False)
        self.register_buffer("classes", None if position is None else position.argsort(), persistent=False)

    @property
    def each_part(self) -> list[Part]:
        """The parts, as what they can do."""
        return cast("list[Part]", list(self.parts))

    def forward(self, z: Tensor) -> Tensor:
        """The B x K dot products, classes in the order of the code, in the dtype of z."""
        check_vectors(z, self.dim)
        if torch.is_autocast_enabled(z.device.type):
            with torch.autocast(z.device.type, enabled=False):
                return self._words(z)
        return self._words(z)

    def _words(self, z: Tensor) -> Tensor:
        found = [part(z) for part in self.each_part]
        words = found[0] if len(found) == 1 else torch.cat(found, dim=-1)
        return words if self.position is None else words.index_select(-1, self.position)

    def prototypes(self, index: Tensor, like: Tensor | None = None) -> Tensor:
        """The prototypes of these classes, one a row; dtype and device those of `like`."""
        check_classes(index, self.num_classes)
        words = index if self.position is None else self.position[index]
        model = torch.empty(0, device=index.device) if like is None else like
        rows, first = model.new_zeros(len(index), self.dim), 0
        for part in self.each_part:
            mine = (words >= first) & (words < first + part.num_words)
            local = (words - first).clamp(0, part.num_words - 1)
            rows = torch.where(mine[:, None], part.rows(local, model), rows)
            first += part.num_words
        return rows

    def log_sum_exp(self, z: Tensor) -> Tensor:
        """log sum_k exp(z c_k) of each row, streaming, differentiable; float32 for half types."""
        check_vectors(z, self.dim)
        return log_sum_exp(z, self.each_part)

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
        """F.cross_entropy(scale * self(z), target, ...), exact, streaming: never B x K numbers in memory."""
        check_vectors(z, self.dim)
        options = LossOptions(self.num_classes, weight, label_smoothing, reduction, ignore_index)
        return streamed_cross_entropy(self, z, target, scale, options)

    def weighted_sum(self, weight: Tensor | None, like: Tensor) -> Tensor:
        """sum_k w_k c_k, all weights 1 without `weight`; dtype and device those of `like`."""
        weights = like.new_ones(self.num_classes) if weight is None else weight.to(like.dtype)
        words = weights if self.classes is None else weights[self.classes]
        total, first = like.new_zeros(self.dim), 0
        for part in self.each_part:
            total = total + part.word_sum(words[first : first + part.num_words])
            first += part.num_words
        return total

    def top(self, z: Tensor, k: int = 1) -> tuple[Tensor, Tensor]:
        """The k largest dot products of each row, descending, and their classes; streaming, without gradient."""
        check_vectors(z, self.dim)
        if as_integer("k", k, minimum=1) > self.num_classes:
            raise InvalidArgumentError(f"'k' must be at most the {self.num_classes} classes, got {k}")
        starts = list(accumulate([part.num_words for part in self.each_part], initial=0))[:-1]
        values, words = top_of_parts(z, self.each_part, starts, k)
        return values, words if self.classes is None else self.classes[words]


def top_of_parts(z: Tensor, parts: Sequence[Part], starts: Sequence[int], k: int) -> Found:
    """The k largest products with the words of the parts, and their numbers, part p beginning at number starts[p]."""
    num_words = sum(part.num_words for part in parts)

    def of_rows(rows: slice) -> Found:
        wide = widened(z[rows])
        found = wide.new_empty(len(wide), 0), wide.new_empty(len(wide), 0, dtype=torch.int64)
        for part, first in zip(parts, starts, strict=True):
            values, index = part.top(wide, min(k, part.num_words))
            found = merged_top(found, (values, index + first), k)
        return found

    with torch.autocast(z.device.type, enabled=False):
        values, words = zip(*by_rows(of_rows, len(z), len(z) * num_words, z.device), strict=True)
    return torch.cat(values).to(z.dtype), torch.cat(words)


def check_classes(index: Tensor, num_classes: int) -> None:
    """Raise unless these are classes."""
    if torch.compiler.is_compiling() or len(index) == 0:
        return
    lowest, highest = int(index.min()), int(index.max())
    if lowest < 0 or highest >= num_classes:
        raise InvalidArgumentError(f"'index' must lie in 0, ..., {num_classes - 1}, got {lowest}..{highest}")


def check_vectors(z: Tensor, dim: int) -> None:
    """Raise unless z is B x dim of a floating type."""
    if not z.is_floating_point():
        raise InvalidArgumentError(f"'z' must be of a floating type, got {z.dtype}; z.float() makes it one")
    if z.ndim != 2 or z.shape[1] != dim:
        raise InvalidArgumentError(f"'z' must be of shape (batch, {dim}), the code's dimension, got {tuple(z.shape)}")
