"""What the paper's two optimisation problems descend on, with their gradients in closed form.

Both are functions of a K x n matrix of points (rows); the gradients are those of R^(K x n), as automatic
differentiation would give them: projecting back onto the sphere is the solver's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


NEGLIGIBLE = -80.0
"""Exponents are cut here: exp(-80) adds nothing, and without denormal numbers K = 1000 is 2.5 times faster."""


def log_sum_exp_gradient(points: Tensor, temperature: float) -> Tensor:
    """Gradient of (1/t) log sum_{i<j} exp(t <c_i, c_j>), the problem P_LSE (Lindstrom et al. 2024, section 3.4).

    It is W C, where w_ij is pair (i, j)'s share of the sum: one product with a symmetric matrix.
    """
    gram = points @ points.T
    gram.fill_diagonal_(-float("inf"))
    shares = gram.sub_(gram.max()).mul_(temperature).clamp_(min=NEGLIGIBLE).exp_()
    return (shares @ points).mul_(2 / shares.sum())


def mean_row_max_gradient(points: Tensor, temperature: float = 1.0) -> Tensor:
    """A subgradient of (1/K) sum_i max_{j != i} <c_i, c_j>, the problem P_AVG (Mettes et al. 2019).

    Row i pulls on its nearest neighbour j(i) and is pulled by it: only K of the K^2 pairs move at a step. There is
    no temperature in this problem.
    """
    del temperature
    gram = points @ points.T
    gram.fill_diagonal_(-float("inf"))
    nearest = gram.argmax(dim=1)
    gradient = points[nearest].clone()
    gradient.index_add_(0, nearest, points)
    return gradient.div_(len(points))
