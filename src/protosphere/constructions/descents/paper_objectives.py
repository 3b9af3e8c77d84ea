"""The paper's two optimisation problems as constructions: the same descent on two objectives."""

import numpy as np

from protosphere.code.placement import Placement
from protosphere.code.structures import Plain
from protosphere.constructions.limits import class_obstacle
from protosphere.constructions.registry import construction
from protosphere.search.objectives import log_sum_exp_gradient, mean_row_max_gradient
from protosphere.search.projected_descent import Descent, check_descent_options, projected_descent
from protosphere.types import Progress, ignore

LARGEST_K = 30_000
"""The descent holds a K x K matrix; at 30,000 classes that is 3.6 GB in float32."""


def _obstacle(num_classes: int, dim: int, **options: object) -> str | None:
    del dim
    check_descent_options(**options)
    return class_obstacle(num_classes, LARGEST_K, "a descent over all pairs")


@construction(
    obstacle=_obstacle,
    summary="descent on the mean over classes of the largest cosine (P_AVG)",
    reference="Mettes et al. (2019), Hyperspherical prototype networks",
    stochastic=True,
    searched=True,
)
def mean_row_max(
    num_classes: int,
    dim: int,
    *,
    rng: np.random.Generator,
    progress: Progress = ignore,
    steps: int = 1000,
    lr: float = 0.1,
    momentum: float = 0.9,
    dtype: str = "float32",
    device: str = "cpu",
) -> Placement:
    """Points after projected momentum descent on P_AVG with the settings of Mettes et al. and of the paper."""
    descent = Descent(steps, lr, momentum, dtype, device)
    points = projected_descent(num_classes, dim, mean_row_max_gradient, descent, rng, progress)
    return Placement(f"{steps} steps on the mean row maximum", Plain(points))


@construction(
    obstacle=_obstacle,
    summary="descent on the log-sum-exp of all cosines, temperature 1 to K (P_LSE)",
    reference="Lindstrom et al. (2024), section 3.4; lr 0.2 is the value behind the paper's figures, its text says 0.1",
    stochastic=True,
    searched=True,
)
def log_sum_exp(
    num_classes: int,
    dim: int,
    *,
    rng: np.random.Generator,
    progress: Progress = ignore,
    steps: int = 1000,
    lr: float = 0.2,
    momentum: float = 0.9,
    dtype: str = "float32",
    device: str = "cpu",
) -> Placement:
    """Points after projected momentum descent on P_LSE while the temperature rises linearly from 1 to K."""
    descent = Descent(steps, lr, momentum, dtype, device)
    points = projected_descent(num_classes, dim, log_sum_exp_gradient, descent, rng, progress)
    return Placement(f"{steps} steps on log-sum-exp", Plain(points))
