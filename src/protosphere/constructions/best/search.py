"""Codes that the scheme 'best' obtains by search: codes of the catalogue, and codes of a new search.

The catalogue is a table of good codes that earlier searches found. It is shipped with the package. The converse is a
proved lower bound on the maximum cosine of any K points in R^n. An evaluation computes the objective of a search and
its gradient for one code.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from protosphere.bounds import converse
from protosphere.constructions.best.candidates import made_of
from protosphere.constructions.descents.optimized import algebraic_codes
from protosphere.geometry.sphere import padded
from protosphere.search.code_search import default_iterations, search_code
from protosphere.search.descent_backend import evaluation_seconds
from protosphere.search.margin_descent import margin_descent
from protosphere.spherical.certificate import certified
from protosphere.spherical.placement import dense_placement
from protosphere.spherical.provenance import FIRST, ZEROS, Provenance, Step
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.statistics import confident_scale
from protosphere.tables.catalogue import (
    EQUIVALENT_SECONDS,
    equivalent_iterations,
    shipped_catalogue,
)
from protosphere.types import Points, Progress
from protosphere.version import __version__

MAX_EVALUATION_SECONDS = 0.5
"""Longest time that one evaluation may take for a search to be started; longer evaluations would overrun the budget."""

NEAR_CONVERSE, NEAR_FOR_FEW, FEW_EVALUATIONS = 1e-3, 0.03, 500
"""Limits that decide whether a search is started by default.

Let mu be the lowest maximum cosine of a known code, and b the converse. No search is started if (1 - b) / (1 - mu) is
at most 1 + `NEAR_CONVERSE`. If the default search has fewer than `FEW_EVALUATIONS` evaluations, which are hardly enough
for one descent, the limit is 1 + `NEAR_FOR_FEW`. Below this limit, such searches found no code with a lower maximum
cosine for (K, n) = (600, 200), (1000, 100), (1000, 128), (1200, 300) and (2000, 64). Without a search, neither torch
nor a compiler is needed.
"""

SPREADING_STEPS = 500
SPREADING_LR = 0.1


@dataclass(frozen=True)
class SearchLimits:
    """Limits on the time and the evaluations of a search, and whether the catalogue of earlier searches is used.

    Attributes:
        budget: Number of seconds after which the search ends. None means no limit on the time.
        iterations: Number of evaluations after which the search ends. If `iterations` and `budget` are both None, a
            default number is used, which takes some seconds. If `budget` is given, `iterations` is not used.
        catalogue: Whether codes of the catalogue, found by earlier searches, are used.
        seed: Seed of the random choices of the search.
        begun: Time at which `best` was called, on the clock of `time.monotonic`.
    """

    budget: float | None
    iterations: int | None
    catalogue: bool
    seed: int
    begun: float = field(default_factory=time.monotonic)

    def left(self, num_classes: int, dim: int) -> tuple[float | None, int | None]:
        """Return how many seconds or how many evaluations are left for a new search for K points in R^n.

        If codes of the catalogue are used, and if an earlier search for the catalogue was for K points in R^n, the cost
        of that search counts as already spent.

        Args:
            num_classes: Number K of points.
            dim: Dimension n.

        Returns:
            Two values, one of which is None. If `budget` is given, the first value is the number of seconds that are
            left. Otherwise, the second value is the number of evaluations that are left.
        """
        kept = self.catalogue and shipped_catalogue().covers(num_classes, dim)
        if self.budget is not None:
            spent = max(
                time.monotonic() - self.begun, EQUIVALENT_SECONDS if kept else 0.0
            )
            return max(0.0, self.budget - spent), None
        if self.iterations is None:
            wanted = default_iterations(num_classes, dim)
        else:
            wanted = self.iterations
        return None, max(
            0, wanted - (equivalent_iterations(num_classes, dim) if kept else 0)
        )


@dataclass(frozen=True)
class Searches:
    """Codes of K points in R^n that searches found.

    Attributes:
        codes: At most two codes: first the code of the catalogue, then the code of the new search. A code that is
            missing or is not used is left out.
        covered: True if there was a search for K points in R^n, either now or earlier for the catalogue.
        interrupted: True if Ctrl-C ended the new search.
    """

    codes: Sequence[SphericalCode] = ()
    covered: bool = False
    interrupted: bool = False


def searched(
    built: Sequence[SphericalCode],
    num_classes: int,
    dim: int,
    limits: SearchLimits,
    progress: Progress,
) -> Searches:
    """Return the code of the catalogue for K points in R^n and the code of a new search, if they are of use.

    The code of the catalogue is left out in each of these cases:

    - The limits exclude the catalogue, or the catalogue has no code for K points in R^n.
    - The maximum cosine of the code is not lower than that of the first code of `built`.

    There is no new search in each of these cases:

    - The limits leave no time or no evaluations.
    - One evaluation is estimated to take more than 0.5 seconds.
    - The limits have neither a budget nor a number of iterations, and the maximum cosine of a known code is close to
      the converse, a proved lower bound.

    Args:
        built: Codes of K points in R^n that were built without a search, with the lowest maximum cosine first.
        num_classes: Number K of points.
        dim: Dimension n.
        limits: Limits of the search, and whether the catalogue is used.
        progress: Function that is called during the search with a text, the number of finished steps, and the number of
            all steps.
    """
    covered = limits.catalogue and shipped_catalogue().covers(num_classes, dim)
    kept = _catalogued(built, num_classes, dim, progress) if limits.catalogue else []
    floor = float(converse(num_classes, dim))
    known = [*built, *kept]
    nearest = max((1 - float(code.max_cosine) for code in known), default=0.0)
    few = default_iterations(num_classes, dim) < FEW_EVALUATIONS
    default = limits.budget is None and limits.iterations is None
    if (
        default
        and nearest * (1 + (NEAR_FOR_FEW if few else NEAR_CONVERSE)) >= 1 - floor
    ):
        return Searches(kept, covered)
    budget, iterations = limits.left(num_classes, dim)
    if (
        0 in (budget, iterations)
        or evaluation_seconds(num_classes, dim) > MAX_EVALUATION_SECONDS
    ):
        return Searches(kept, covered)
    try:
        result = search_code(
            num_classes,
            dim,
            rng=np.random.default_rng(limits.seed),
            budget=budget,
            iterations=iterations,
            start_points=[
                *(code.points for code in built),
                *algebraic_codes(num_classes, dim),
            ],
            catalogued=[code.points for code in kept],
            floor=floor,
            thrifty=default,
            progress=progress,
        )
    except KeyboardInterrupt:
        if not known:
            raise
        return Searches(kept, covered, interrupted=True)
    named = made_of(
        "optimized", num_classes, dim, dim, {}, {"start": result.initialization}
    )
    found = _measured(
        result.points,
        f"optimized, from a {result.initialization} start",
        named,
        progress,
    )
    return Searches([*kept, found], True, result.interrupted)


def spread_evenly(code: SphericalCode, progress: Progress) -> SphericalCode:
    """Return the code that gradient descent on the energy finds, starting from a given code.

    The energy is the mean over points x of the sum of exp(s (cos(x, y) - 1)) over all other points y, where cos(x, y)
    is the cosine of x and y. Lower energy means more uniform points. The scale s is ln(99 (K - 1)) / (1 - mu), where mu
    is the maximum cosine of the given code.

    Args:
        code: The code of K points from which the descent starts.
        progress: Function that is called during the descent with a text, the number of finished steps, and the number
            of all steps.
    """
    scale = confident_scale(code.num_classes, float(code.max_cosine))
    points = margin_descent(
        code.points, 0.0, (scale, scale), SPREADING_STEPS, SPREADING_LR, progress
    )
    named = made_of(
        "optimized", code.num_classes, code.dim, code.dim, {}, {"start": "even"}
    )
    return _measured(points, "spread evenly, by its energy", named, progress)


def _catalogued(
    built: Sequence[SphericalCode], num_classes: int, dim: int, progress: Progress
) -> list[SphericalCode]:
    kept = shipped_catalogue().best_entry(num_classes, dim)
    # The code of the catalogue is of no use if the first built code, the best one, is as good.
    if kept is None or (built and float(built[0].max_cosine) <= kept.max_cosine):
        return []
    points = padded(shipped_catalogue().build(kept, progress)[:num_classes], dim)
    from_source = {"catalogue": kept.source}
    named = Provenance(
        "optimized",
        kept.num_points,
        kept.dim,
        {},
        kept.seed,
        "fixed",
        __version__,
        from_source,
    )
    steps = [Step(FIRST, num_classes)] if kept.num_points > num_classes else []
    steps += [Step(ZEROS, dim - kept.dim)] if kept.dim < dim else []
    part = f"part of K = {kept.num_points}, n = {kept.dim}, " if steps else ""
    return [
        _measured(
            points,
            f"{part}found by an earlier search and kept",
            named.then(*steps),
            progress,
        )
    ]


def _measured(
    points: Points, description: str, named: Provenance, progress: Progress
) -> SphericalCode:
    placement = dense_placement(description, points)
    return SphericalCode(placement, certified(placement, None, progress), named)
