"""L-BFGS on many starts at once: a step is one evaluation for all of them, and none waits for another's line search."""

from collections.abc import Callable

import torch
from torch import Tensor

Energy = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""From (B, N) variables, and which starts of the batch they belong to, to (B,) values and (B, N) gradients."""

MEMORY = 10

SUFFICIENT = 1e-4
"""Share of the predicted decrease a step must bring (Armijo)."""

FIRST, LONGEST = 0.1, 1.0
"""Largest entry of a start's first step, and of any step: points are rows of about unit length."""


class _State:
    """Points, values and directions of the starts that still descend, and what L-BFGS remembers of each.

    `pairs` are the last steps s (first half) and gradient changes y (second half), and `step_change` and
    `change_change` their inner products. A start whose step failed enters a pair of zeros: that keeps one ring position
    for the whole batch, and a direction costs two thin matrix products.
    """

    def __init__(self, start: Tensor, value: Tensor, gradient: Tensor) -> None:
        batch, size = start.shape
        self.at, self.value, self.gradient, self.direction = (
            start,
            value,
            gradient,
            -gradient,
        )
        self.pairs = start.new_zeros(batch, 2 * MEMORY, size)
        self.step_change, self.change_change = start.new_zeros(2, batch, MEMORY, MEMORY)
        self.length = torch.ones_like(value)
        self.scale = torch.ones_like(value)
        self.known = self.scale > 1
        self.used = 0

    def keep(self, kept: Tensor) -> None:
        """Go on with those starts alone."""
        for name, value in vars(self).items():
            if isinstance(value, Tensor):
                setattr(self, name, value[kept])

    def advance(self, energy: Energy, which: Tensor) -> None:
        """One evaluation for every start: a step where it descends enough, a shorter attempt next time where not."""
        slope = (self.direction * self.gradient).sum(dim=1)
        descends = slope < 0
        direction = torch.where(descends[:, None], self.direction, -self.gradient)
        slope = torch.where(descends, slope, -self.gradient.square().sum(dim=1))
        largest = (
            direction.abs().amax(dim=1).clamp_min_(torch.finfo(direction.dtype).tiny)
        )
        size = self.length * torch.where(
            self.known, (LONGEST / largest).clamp_max_(1), FIRST / largest
        )
        step = size[:, None] * direction
        value, gradient = energy(self.at + step, which)
        better = value <= self.value + SUFFICIENT * size * slope
        change = gradient - self.gradient
        curved = (step * change).sum(dim=1) > 1e-12 * change.square().sum(dim=1)
        self.at = torch.where(better[:, None], self.at + step, self.at)
        self.gradient = torch.where(better[:, None], gradient, self.gradient)
        self.value = torch.where(better, value, self.value)
        self.length = torch.where(better, torch.ones_like(size), self.length * 0.3)
        self._turn(step, change, better & curved)

    def _turn(self, step: Tensor, change: Tensor, keep: Tensor) -> None:
        """The newest pair in place of the oldest (zeros where not `keep`), and the direction that follows."""
        at = self.used % MEMORY
        self.used += 1
        self.pairs[:, at] = step * keep[:, None]
        self.pairs[:, MEMORY + at] = change * keep[:, None]
        newest = (
            torch.stack([self.pairs[:, MEMORY + at], self.gradient], dim=1)
            @ self.pairs.mT
        )
        self.step_change[:, :, at] = newest[:, 0, :MEMORY]
        self.change_change[:, :, at] = newest[:, 0, MEMORY:]
        self.change_change[:, at, :] = newest[:, 0, MEMORY:]
        ratio = newest[:, 0, at] / newest[:, 0, MEMORY + at].clamp_min(
            torch.finfo(change.dtype).tiny
        )
        self.scale = torch.where(keep, ratio, self.scale)
        self.known = self.known | keep
        weights = self._weights(newest[:, 1])
        self.direction = -(
            self.scale[:, None] * self.gradient + (weights[:, None] @ self.pairs)[:, 0]
        )

    def _weights(self, along: Tensor) -> Tensor:
        """How much of each pair enters (Byrd, Nocedal and Schnabel 1994, equation 3.1), from pairs . gradient."""
        steps = [i % MEMORY for i in range(max(0, self.used - MEMORY), self.used)]
        changes = [MEMORY + i for i in steps]
        scale = self.scale[:, None, None]
        triangle = self.step_change[:, steps][:, :, steps].triu_()
        diagonal = torch.diagonal(triangle, dim1=1, dim2=2)
        middle = (
            torch.diag_embed(diagonal)
            + scale * self.change_change[:, steps][:, :, steps]
        )
        triangle += torch.diag_embed((diagonal == 0).to(triangle.dtype))
        inner = _solve_triangular(triangle, along[:, steps, None], upper=True)
        right = middle @ inner - scale * along[:, changes, None]
        outer = _solve_triangular(triangle.mT, right, upper=False)
        weights = torch.zeros_like(along)
        weights[:, steps] = outer[..., 0]
        weights[:, changes] = -scale[:, 0] * inner[..., 0]
        return weights


def _solve_triangular(triangle: Tensor, right: Tensor, *, upper: bool) -> Tensor:
    return torch.linalg.solve_triangular(triangle, right, upper=upper)  # pyright: ignore  # torch leaves it untyped


def batched_lbfgs(
    energy: Energy,
    start: Tensor,
    steps: int,
    tolerance: Tensor,
    spend: Callable[[int], bool],
) -> Tensor:
    """The variables after at most `steps` evaluations each.

    A start is done once it gained no more than its `tolerance` over twenty of them, and the batch shrinks. `spend` is
    told of the evaluations as they are made and answers whether there may be more.
    """
    result = start.clone()
    which = torch.arange(len(start), device=start.device)
    state = _State(start, *energy(start, which))
    checkpoint = state.value
    for used in range(1, steps):
        if not (len(which) and spend(len(which))):
            break
        state.advance(energy, which)
        if used % 20 == 0:
            going = checkpoint - state.value > tolerance[which]
            result[which] = state.at
            state.keep(going)
            which = which[going]
            checkpoint = state.value
    result[which] = state.at
    return result
