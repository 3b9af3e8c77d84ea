"""The two optimization problems of Lindström et al. (2024), solved by projected descent on the sphere.

The problem P_LSE minimizes the log-sum-exp of the cosines of all pairs of points. The problem P_AVG, of Mettes et al.
(2019), minimizes the mean over all points of the largest cosine of the point with another point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from protosphere.constructions.limits import class_infeasible_reason
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import FigureStyle, Traits
from protosphere.search.projected_descent import (
    Descent,
    check_descent_options,
    projected_descent,
)
from protosphere.spherical.placement import Placement, dense_placement
from protosphere.types import Progress, ignore

if TYPE_CHECKING:
    from torch import Tensor

    from protosphere.search.projected_descent import Gradient

LARGEST_K = 30_000
"""Largest number of classes. The descent stores a K x K matrix, which takes 3.6 GB in float32 for 30,000 classes."""

NEGLIGIBLE = -80.0
"""Smallest exponent in sums of exponentials; smaller exponents are replaced by it.

The largest term of such a sum is exp(0) = 1, so exp(-80) is negligible. Smaller terms would be denormal numbers, with
which the descent for K = 1000 takes 2.5 times as long.
"""


def log_sum_exp_gradient(points: Tensor, temperature: float) -> Tensor:
    """Return the gradient of (1/t) log sum_{i<j} exp(t <c_i, c_j>) with respect to the points c_i.

    This function of the points is the objective of the problem P_LSE of Lindström et al. (2024), section 3.4.

    Args:
        points: Points c_i, as K unit rows.
        temperature: Inverse temperature t, which multiplies the cosines.

    Returns:
        K x n matrix; row i is the gradient with respect to c_i.
    """
    gram = points @ points.T
    gram.fill_diagonal_(-float("inf"))
    shares = gram.sub_(gram.max()).mul_(temperature).clamp_(min=NEGLIGIBLE).exp_()
    return (shares @ points).mul_(2 / shares.sum())


def mean_row_max_gradient(points: Tensor, temperature: float = 1.0) -> Tensor:
    """Return a subgradient of (1/K) sum_i max_{j != i} <c_i, c_j> with respect to the points c_i.

    This function of the points is the objective of the problem P_AVG of Mettes et al. (2019). Each point interacts only
    with its nearest neighbor, so at most K of the pairs contribute to a step.

    Args:
        points: Points c_i, as K unit rows.
        temperature: Unused; it is accepted so that all gradients have the same signature.

    Returns:
        K x n matrix; row i is the part of the subgradient that belongs to c_i.
    """
    del temperature
    gram = points @ points.T
    gram.fill_diagonal_(-float("inf"))
    nearest = gram.argmax(dim=1)
    gradient = points[nearest].clone()
    gradient.index_add_(0, nearest, points)
    return gradient.div_(len(points))


def _infeasible_reason(num_classes: int, dim: int, **options: object) -> str | None:
    del dim
    check_descent_options(**options)
    return class_infeasible_reason(num_classes, LARGEST_K, "a descent over all pairs")


def _register_descent(
    objective: str,
    gradient: Gradient,
    usual_lr: float,
    summary: str,
    reference: str,
    style: FigureStyle,
) -> None:
    def build(
        num_classes: int,
        dim: int,
        *,
        rng: np.random.Generator,
        progress: Progress = ignore,
        steps: int = 1000,
        lr: float = usual_lr,
        momentum: float = 0.9,
        dtype: str = "float32",
        device: str = "cpu",
    ) -> Placement:
        descent = Descent(steps, lr, momentum, dtype, device)
        points = projected_descent(num_classes, dim, gradient, descent, rng, progress)
        return dense_placement(f"{steps} steps on {objective}", points)

    # by default, the settings are those of the publication in `reference`
    build.__name__ = gradient.__name__.removesuffix("_gradient")
    register = construction(
        summary=summary,
        reference=reference,
        infeasible_reason=_infeasible_reason,
        traits=Traits(stochastic=True, searched=True, in_paper=True, style=style),
    )
    register(build)


_register_descent(
    "the mean row maximum",
    mean_row_max_gradient,
    usual_lr=0.1,
    summary="descent on the mean over classes of the largest cosine (P_AVG)",
    reference="Mettes et al. (2019), Hyperspherical prototype networks",
    style=FigureStyle("mean row max (Mettes et al.)", "#009E73", "v", "-."),
)
_register_descent(
    "log-sum-exp",
    log_sum_exp_gradient,
    usual_lr=0.2,
    summary="descent on the log-sum-exp of all cosines, with the inverse temperature rising from 1 to K (P_LSE)",
    reference="Lindstrom et al. (2024), section 3.4; lr 0.2 is the value behind the paper's figures, its text says 0.1",
    style=FigureStyle("log-sum-exp", "#882255", "P", (0, (5, 1, 1, 1, 1, 1))),
)
