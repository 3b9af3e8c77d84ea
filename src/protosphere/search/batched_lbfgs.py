"""L-BFGS for a batch of starts: all starts are evaluated together, without separate line searches.

A start is a vector of N initial variables, from which a function is minimized. A batch consists of B starts.
"""

from collections.abc import Callable

import torch
from torch import Tensor

Energy = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""Function from (B, N) variables and the (B,) indices of their starts to (B,) values and (B, N) gradients."""

MEMORY = 10
"""Number of pairs of a step and a gradient change that L-BFGS remembers."""

SUFFICIENT_DECREASE = 1e-4
"""Smallest decrease of the function by an accepted step, as a fraction of the decrease that the slope predicts.

This is Armijo's rule.
"""

FIRST_STEP = 0.1
"""Largest absolute change of a variable in the first step of a start."""

MAX_STEP = 1.0
"""Largest absolute change of a variable in any step."""

BACKTRACKING = 0.3
"""Factor by which the step length is multiplied after a step that did not decrease the function enough."""

MIN_CURVATURE = 1e-12
"""Smallest inner product of a step and a gradient change for which L-BFGS remembers this pair.

The inner product is divided by the squared norm of the gradient change.
"""

CHECK_EVERY = 20
"""Number of evaluations of each start between two tests for convergence."""


class _State:
    # The starts are those that have not converged.
    # `pairs` holds the last steps s (first half) and gradient changes y (second half). `step_change` and
    # `change_change` hold their inner products. A start whose step failed stores a pair of zeros. Therefore all starts
    # store their pairs at the same position, and a direction costs two matrix products with few columns.

    def __init__(self, start: Tensor, value: Tensor, gradient: Tensor) -> None:
        batch, size = start.shape
        self.variables = start
        self.value = value
        self.gradient = gradient
        self.direction = -gradient
        self.pairs = start.new_zeros(batch, 2 * MEMORY, size)
        self.step_change = start.new_zeros(batch, MEMORY, MEMORY)
        self.change_change = start.new_zeros(batch, MEMORY, MEMORY)
        self.length = torch.ones_like(value)
        self.scale = torch.ones_like(value)
        self.has_pairs = torch.zeros_like(value, dtype=torch.bool)
        self.used = 0

    def select(self, selected: Tensor) -> None:
        for name, value in vars(self).items():
            if isinstance(value, Tensor):
                setattr(self, name, value[selected])

    def try_step(self, energy: Energy, which: Tensor) -> None:
        direction, slope = self._descent_direction()
        size = self._step_size(direction)
        step = size[:, None] * direction
        value, gradient = energy(self.variables + step, which)
        accepted = value <= self.value + SUFFICIENT_DECREASE * size * slope
        change = gradient - self.gradient
        curvature = (step * change).sum(dim=1)
        is_curved = curvature > MIN_CURVATURE * change.square().sum(dim=1)
        rows = accepted[:, None]
        self.variables = torch.where(rows, self.variables + step, self.variables)
        self.gradient = torch.where(rows, gradient, self.gradient)
        self.value = torch.where(accepted, value, self.value)
        shortened = self.length * BACKTRACKING
        self.length = torch.where(accepted, torch.ones_like(size), shortened)
        self._remember_and_update_direction(step, change, accepted & is_curved)

    def _descent_direction(self) -> tuple[Tensor, Tensor]:
        # along a direction without descent, the step follows the negative gradient instead
        slope = (self.direction * self.gradient).sum(dim=1)
        descends = slope < 0
        direction = torch.where(descends[:, None], self.direction, -self.gradient)
        steepest_slope = -self.gradient.square().sum(dim=1)
        return direction, torch.where(descends, slope, steepest_slope)

    def _step_size(self, direction: Tensor) -> Tensor:
        smallest = torch.finfo(direction.dtype).tiny
        largest_entry = direction.abs().amax(dim=1).clamp_min_(smallest)
        limited = (MAX_STEP / largest_entry).clamp_max_(1)
        first = FIRST_STEP / largest_entry
        return self.length * torch.where(self.has_pairs, limited, first)

    def _remember_and_update_direction(
        self, step: Tensor, change: Tensor, keep: Tensor
    ) -> None:
        # The oldest pairs are overwritten. Starts whose entry of `keep` is False store zeros.
        slot = self.used % MEMORY
        self.used += 1
        self.pairs[:, slot] = step * keep[:, None]
        self.pairs[:, MEMORY + slot] = change * keep[:, None]
        newest_change = self.pairs[:, MEMORY + slot]
        vectors = torch.stack([newest_change, self.gradient], dim=1)
        products = vectors @ self.pairs.mT
        along_change = products[:, 0]
        along_gradient = products[:, 1]
        self.step_change[:, :, slot] = along_change[:, :MEMORY]
        self.change_change[:, :, slot] = along_change[:, MEMORY:]
        self.change_change[:, slot, :] = along_change[:, MEMORY:]
        smallest = torch.finfo(change.dtype).tiny
        squared_change = along_change[:, MEMORY + slot].clamp_min(smallest)
        ratio = along_change[:, slot] / squared_change
        self.scale = torch.where(keep, ratio, self.scale)
        self.has_pairs = self.has_pairs | keep
        weights = self._pair_weights(along_gradient)
        correction = (weights[:, None] @ self.pairs)[:, 0]
        self.direction = -(self.scale[:, None] * self.gradient + correction)

    def _pair_weights(self, along: Tensor) -> Tensor:
        # (B, 2 MEMORY) weights of the vectors in `self.pairs`. The weighted sum gives the next direction by equation
        # 3.1 of Byrd, Nocedal and Schnabel 1994. `along` has the inner products of the gradient with the vectors.
        oldest = max(0, self.used - MEMORY)
        steps = [i % MEMORY for i in range(oldest, self.used)]
        changes = [MEMORY + i for i in steps]
        scale = self.scale[:, None, None]
        triangle = self.step_change[:, steps][:, :, steps].triu_()
        diagonal = torch.diagonal(triangle, dim1=1, dim2=2)
        gram = self.change_change[:, steps][:, :, steps]
        middle = torch.diag_embed(diagonal) + scale * gram
        is_empty = (diagonal == 0).to(triangle.dtype)
        triangle += torch.diag_embed(is_empty)
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
    """Minimize a function from every row of `start` by L-BFGS, and return the variables at which the descents end.

    A start is one row of `start`. Starts that have converged are not evaluated again. Convergence is tested after every
    twenty evaluations.

    Args:
        energy: Function to minimize. It maps (b, N) variables and the (b,) indices of their starts to (b,) values and
            (b, N) gradients.
        start: (B, N) initial variables: B starts of N variables.
        steps: Maximum number of evaluations of each start.
        tolerance: (B,) tolerances. A start has converged if its value decreased by at most its tolerance in the last
            twenty evaluations of the start.
        spend: Function that is called before each evaluation of the starts except the first, with the count of starts
            that are to be evaluated. If it returns False, the descents end without this evaluation. If it returns True,
            they continue.

    Returns:
        (B, N) variables at the end of the descent.
    """
    result = start.clone()
    which = torch.arange(len(start), device=start.device)
    value, gradient = energy(start, which)
    state = _State(start, value, gradient)
    checkpoint = state.value
    for used in range(1, steps):
        if not len(which) or not spend(len(which)):
            break
        state.try_step(energy, which)
        if used % CHECK_EVERY == 0:
            decreases = checkpoint - state.value > tolerance[which]
            result[which] = state.variables
            state.select(decreases)
            which = which[decreases]
            checkpoint = state.value
    result[which] = state.variables
    return result
