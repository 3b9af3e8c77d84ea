"""The best arrangement a search finds: where no algebra reaches, and often where it does."""

from __future__ import annotations

from itertools import product

import numpy as np

from protosphere.constructions.limits import size_obstacle
from protosphere.constructions.registry import Construction, available, construction, describe
from protosphere.errors import InvalidArgumentError, as_flag, as_integer, as_positive, brief
from protosphere.geometry.gram import max_cosine
from protosphere.geometry.sphere import normalized
from protosphere.optimize.momentum import check_descent_options
from protosphere.optimize.optimise import checked_kinds, optimised
from protosphere.optimize.starts import KINDS
from protosphere.placement import Placement
from protosphere.types import Points, Progress, silent

SIZES = (1, 1.25, 2, 0.85, 0.7)
"""How large a code may be, as a share of K, to be worth making smaller or larger."""

LARGEST_START = 4_000
"""Above it, building and measuring all the algebraic codes is no longer quick."""

LARGEST_K = 20_000
"""Beyond, one evaluation over all pairs takes minutes."""


def _check_options(
    iterations: object, budget: object, starts: object, algebraic: object, polish: object, device: object
) -> None:
    if iterations is not None:
        as_integer("iterations", iterations, minimum=1)
    if budget is not None:
        as_positive("budget", budget)
    if not isinstance(starts, str):
        raise InvalidArgumentError(f"'starts' must be kinds joined by +, of {', '.join(KINDS)}, got {brief(starts)}")
    checked_kinds(starts.split("+"))
    as_flag("algebraic", algebraic)
    as_flag("polish", polish)
    check_descent_options(0, 1.0, 0.0, "float64", device)


def _obstacle(num_classes: int, dim: int, **options: object) -> str | None:
    del dim
    _check_options(**options)
    if num_classes <= LARGEST_K:
        return None
    return f"'num_classes' can be at most {LARGEST_K} for a search over all pairs, got {brief(num_classes)}"


def _dense_points(entry: Construction, num_points: int, dim: int) -> Points | None:
    """The scheme's points at its default options, or None where it has none."""
    if entry.stochastic or entry.obstacle(num_points, dim, **entry.options) or size_obstacle(entry, num_points, dim):
        return None
    supplied = {"rng": np.random.default_rng(0), "progress": silent}
    rows = entry.placed(num_points, dim, supplied, entry.options).rows
    return normalized(np.asarray(rows.slice(0, num_points), dtype=np.float64))


def algebraic_codes(num_points: int, dim: int, at_most: int = 8) -> list[Points]:
    """Codes of the deterministic schemes of about that size to start from, the lowest largest cosine first.

    Larger ones lose points, ones in a neighbouring dimension are padded or projected: whatever they are worth, the
    search finds out.
    """
    found: list[tuple[float, Points]] = []
    for share, n in product(SIZES, (dim, dim - 1, dim - 2, dim + 1)):
        count = round(share * num_points)
        for name in available() if n > 1 and count <= LARGEST_START else ():
            points = _dense_points(describe(name), count, n)
            if points is not None:
                found.append((max_cosine(points) + 0.05 * max(n - dim, 0) + 0.5 * max(1 - share, 0), points))
    return [points for _, points in sorted(found, key=lambda pair: pair[0])[:at_most]]


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
    algebraic: bool = True,
    polish: bool = True,
    device: str = "cpu",
) -> Placement:
    """The best code a search finds in `iterations` evaluations (None: some seconds' worth), or in `budget` seconds.

    With `algebraic` it also starts from the codes of the other schemes, and is no worse than the best of size K.
    With `budget` the points depend on the machine's speed: only `iterations` make them the seed's alone.
    """
    found = optimised(
        num_classes,
        dim,
        rng=rng,
        iterations=iterations,
        budget=budget,
        kinds=starts.split("+"),
        start_points=algebraic_codes(num_classes, dim) if algebraic and num_classes > 2 * dim else (),
        polish=polish,
        device=device,
        progress=progress,
    )
    return Placement(dim, f"search, {found.kind} start, {found.iterations} evaluations", points=found.points)
