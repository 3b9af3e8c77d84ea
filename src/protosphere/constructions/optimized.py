"""The best arrangement a search finds: where no algebra reaches, and often where it does."""

from __future__ import annotations

import numpy as np

from protosphere.constructions.registry import construction
from protosphere.errors import InvalidArgumentError, as_flag, as_integer, as_positive, brief
from protosphere.optimize.momentum import check_descent_options
from protosphere.optimize.optimise import checked_kinds, optimised
from protosphere.optimize.starts import KINDS
from protosphere.placement import Placement
from protosphere.types import Progress, silent

LARGEST_K = 20_000
"""Beyond, one evaluation over all pairs takes minutes."""


def _check_options(iterations: object, budget: object, starts: object, polish: object, device: object) -> None:
    if iterations is not None:
        as_integer("iterations", iterations, minimum=1)
    if budget is not None:
        as_positive("budget", budget)
    if not isinstance(starts, str):
        raise InvalidArgumentError(f"'starts' must be kinds joined by +, of {', '.join(KINDS)}, got {brief(starts)}")
    checked_kinds(starts.split("+"))
    as_flag("polish", polish)
    check_descent_options(0, 1.0, 0.0, "float64", device)


def _obstacle(num_classes: int, dim: int, **options: object) -> str | None:
    del dim
    _check_options(**options)
    if num_classes <= LARGEST_K:
        return None
    return f"'num_classes' can be at most {LARGEST_K} for a search over all pairs, got {brief(num_classes)}"


def _no_guarantee(num_classes: int, dim: int, **options: object) -> None:
    del num_classes, dim, options


@construction(
    obstacle=_obstacle,
    guarantee=_no_guarantee,
    summary="search for the lowest max cosine: symmetric and random starts, L-BFGS, Newton on the touching pairs",
    reference="Wang (2009), Finding and investigating exact spherical codes; values to meet in Cohn's table",
    stochastic=True,
)
def optimized(
    num_classes: int,
    dim: int,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
    iterations: int | None = None,
    budget: float | None = None,
    starts: str = "+".join(KINDS),
    polish: bool = True,
    device: str = "cpu",
) -> Placement:
    """The best code a search finds in `iterations` evaluations (None: some seconds' worth), or in `budget` seconds.

    With `budget` the points depend on the machine's speed: only `iterations` make them the seed's alone.
    """
    found = optimised(
        num_classes,
        dim,
        rng=rng,
        iterations=iterations,
        budget=budget,
        kinds=starts.split("+"),
        polish=polish,
        device=device,
        progress=progress,
    )
    return Placement(dim, f"search, {found.kind} start, {found.iterations} evaluations", points=found.points)
