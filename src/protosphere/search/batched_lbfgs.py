"""L-BFGS on many starts at once: a step is one evaluation for all of them, and none waits for another's line search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

Energy = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""From (B, N) variables, and which starts of the batch they belong to, to (B,) values and (B, N) gradients."""

MEMORY = 10
SUFFICIENT = 1e-4
"""Share of the predicted decrease a step must bring (Armijo)."""

FIRST, LONGEST = 0.1, 1.0
"""Largest entry of a start's first step, and of any step: points are rows of about unit length."""


@dataclass
class History:
    """The last steps s (first half) and gradient changes y (second half) of every start, and their inner products.

    A start whose step failed enters a pair of zeros: that keeps one ring position for the whole batch, and a direction
    costs two thin matrix products.
    """

    pairs: Tensor
    step_change: Tensor
    change_change: Tensor
    scale: Tensor
    known: Tensor
    used: int = 0

    @classmethod
    def empty(cls, variables: Tensor) -> History:
        """The history before the first step."""
        batch, size = variables.shape
        square = variables.new_zeros(batch, MEMORY, MEMORY)
        scale = variables.new_ones(batch)
        return cls(variables.new_zeros(batch, 2 * MEMORY, size), square, square.clone(), scale, scale > 1)

    def only(self, kept: Tensor) -> History:
        """The history of those starts alone."""
        return replace(self, **_rows(self, kept))

    def direction(self, step: Tensor, change: Tensor, keep: Tensor, gradient: Tensor) -> Tensor:
        """Enter the newest pair in place of the oldest (zeros where not `keep`); the direction from `gradient`."""
        at = self.used % MEMORY
        self.used += 1
        self.pairs[:, at] = step * keep[:, None]
        self.pairs[:, MEMORY + at] = change * keep[:, None]
        newest = torch.stack([self.pairs[:, MEMORY + at], gradient], dim=1) @ self.pairs.mT
        self.step_change[:, :, at] = newest[:, 0, :MEMORY]
        self.change_change[:, :, at] = newest[:, 0, MEMORY:]
        self.change_change[:, at, :] = newest[:, 0, MEMORY:]
        ratio = newest[:, 0, at] / newest[:, 0, MEMORY + at].clamp_min(torch.finfo(gradient.dtype).tiny)
        self.scale = torch.where(keep, ratio, self.scale)
        self.known = self.known | keep
        weights = self._weights(newest[:, 1])
        return -(self.scale[:, None] * gradient + (weights[:, None] @ self.pairs)[:, 0])

    def _weights(self, along: Tensor) -> Tensor:
        """How much of each pair enters (Byrd, Nocedal and Schnabel 1994, equation 3.1), from pairs . gradient."""
        kept = min(self.used, MEMORY)
        order = [(self.used - kept + i) % MEMORY for i in range(kept)]
        scale = self.scale[:, None, None]
        triangle = self.step_change[:, order][:, :, order].triu_()
        diagonal = torch.diagonal(triangle, dim1=1, dim2=2)
        middle = torch.diag_embed(diagonal) + scale * self.change_change[:, order][:, :, order]
        triangle += torch.diag_embed((diagonal == 0).to(triangle.dtype))
        inner = _solve_triangular(triangle, along[:, order, None], upper=True)
        right = middle @ inner - scale * along[:, [MEMORY + i for i in order], None]
        outer = _solve_triangular(triangle.mT, right, upper=False)
        weights = torch.zeros_like(along)
        weights[:, order] = outer[..., 0]
        weights[:, [MEMORY + i for i in order]] = -scale[:, 0] * inner[..., 0]
        return weights


def _solve_triangular(triangle: Tensor, right: Tensor, *, upper: bool) -> Tensor:
    return torch.linalg.solve_triangular(triangle, right, upper=upper)  # pyright: ignore  # torch leaves it untyped


def _descent_direction(direction: Tensor, gradient: Tensor) -> tuple[Tensor, Tensor]:
    """The direction, or minus the gradient where it does not descend, and its slope."""
    slope = (direction * gradient).sum(dim=1)
    good = slope < 0
    steepest = -gradient.square().sum(dim=1)
    return torch.where(good[:, None], direction, -gradient), torch.where(good, slope, steepest)


@dataclass
class _State:
    """Points, values and directions of the starts that still descend."""

    at: Tensor
    value: Tensor
    gradient: Tensor
    direction: Tensor
    length: Tensor
    history: History

    def advance(self, energy: Energy, which: Tensor) -> None:
        """One evaluation for every start: a step where it descends enough, a shorter attempt next time where not."""
        direction, slope = _descent_direction(self.direction, self.gradient)
        largest = direction.abs().amax(dim=1).clamp_min_(torch.finfo(direction.dtype).tiny)
        size = self.length * torch.where(self.history.known, (LONGEST / largest).clamp_max_(1), FIRST / largest)
        step = size[:, None] * direction
        value, gradient = energy(self.at + step, which)
        better = value <= self.value + SUFFICIENT * size * slope
        change = gradient - self.gradient
        curved = (step * change).sum(dim=1) > 1e-12 * change.square().sum(dim=1)
        self.at = torch.where(better[:, None], self.at + step, self.at)
        self.gradient = torch.where(better[:, None], gradient, self.gradient)
        self.value = torch.where(better, value, self.value)
        self.length = torch.where(better, torch.ones_like(size), self.length * 0.3)
        self.direction = self.history.direction(step, change, better & curved, self.gradient)

    def only(self, kept: Tensor) -> _State:
        """The state of those starts alone."""
        return replace(self, history=self.history.only(kept), **_rows(self, kept))


def _rows(state: History | _State, kept: Tensor) -> dict[str, Tensor]:
    return {name: value[kept] for name, value in vars(state).items() if isinstance(value, Tensor)}


def batched_lbfgs(
    energy: Energy, start: Tensor, *, steps: int, tolerance: Tensor, spend: Callable[[int], bool] = lambda _: True
) -> Tensor:
    """The variables after at most `steps` evaluations each.

    A start is done once it gained no more than its `tolerance` over twenty of them, and the batch shrinks. `spend` is
    told of the evaluations as they are made and answers whether there may be more.
    """
    result, which = start.clone(), torch.arange(len(start), device=start.device)
    value, gradient = energy(start, which)
    state = _State(start, value, gradient, -gradient, torch.ones_like(value), History.empty(start))
    checkpoint = value
    for used in range(1, steps):
        if not spend(len(which)):
            break
        state.advance(energy, which)
        if used % 20 == 0:
            going = checkpoint - state.value > tolerance[which]
            result[which] = state.at
            state, which = state.only(going), which[going]
            checkpoint = state.value
            if len(which) == 0:
                return result
    result[which] = state.at
    return result
