"""The largest cosine of K points in R^n made as small as we can: `optimised`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from protosphere.errors import InvalidArgumentError, as_choice
from protosphere.geometry.gram import max_cosine
from protosphere.optimize.budget import Budget
from protosphere.optimize.polish import polished
from protosphere.optimize.search import EXPLORE, POLISH_ALL, Search
from protosphere.optimize.starts import KINDS, known_optimum
from protosphere.types import Points, Progress, silent

WORK = 4e9
"""Products K^2 n times evaluations of the default number of iterations: some seconds."""


@dataclass(frozen=True, eq=False)
class Optimised:
    """What a search found.

    Attributes:
        points, max_cosine: the code.
        kind: which kind of start it came from, with its symmetry where it had one.
        starts: how many starts of each kind were tried.
        iterations: evaluations of a whole code's energy that took.
    """

    points: Points
    max_cosine: float
    kind: str
    starts: dict[str, int]
    iterations: int


def default_iterations(num_points: int, dim: int) -> int:
    """Some seconds' worth: 60,000 for tiny codes, falling to 60 for huge ones."""
    return int(min(60_000, max(60, WORK / (num_points**2 * (dim + 10)))))


def checked_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """`kinds` if every one is of `KINDS` and there is one."""
    chosen = tuple(as_choice("starts", kind, KINDS) for kind in kinds)
    if not chosen:
        raise InvalidArgumentError(f"'starts' must name at least one of {', '.join(KINDS)}, got none")
    return chosen


def _weights(kinds: Sequence[str], dim: int) -> Points:
    """How often each kind is drawn: symmetric codes win most above three dimensions."""
    low = {"random": 0.5, "symmetric": 0.3, "shaken": 0.2, "given": 0.2}
    high = {"random": 0.1, "symmetric": 0.4, "shaken": 0.3, "given": 0.4}
    shares = low if dim <= 4 else high
    weights = np.array([shares[kind] for kind in kinds])
    return weights / weights.sum()


def optimised(
    num_points: int,
    dim: int,
    *,
    rng: np.random.Generator,
    iterations: int | None = None,
    budget: float | None = None,
    kinds: Iterable[str] = KINDS,
    start_points: Iterable[Points] = (),
    polish: bool = True,
    device: str = "cpu",
    progress: Progress = silent,
) -> Optimised:
    """The best code of `num_points` points in R^`dim` that a search finds.

    Args:
        num_points: K, at least 2.
        dim: n, at least 1.
        rng: of every start. The same generator and `iterations` give the same bits.
        iterations: evaluations of a whole code's energy; None for some seconds' worth, or no limit with `budget`.
        budget: seconds instead; what is found then depends on the machine.
        kinds: which kinds of starts to draw, of `KINDS`.
        start_points: codes in R^n to begin from, of any number of points; the result is no worse than any of K.
        polish: whether to end with Newton's method on the pairs that touch.
        device: where torch works.
        progress: told of the best value so far.
    """
    chosen = checked_kinds(kinds)
    exact = known_optimum(num_points, dim)
    if exact is not None:
        return Optimised(exact, max_cosine(exact), "exact", {}, 0)
    limit = iterations or (float("inf") if budget is not None else default_iterations(num_points, dim))
    return _searched(
        Search(num_points, dim, rng, Budget(limit, budget, progress), device), chosen, tuple(start_points), polish
    )


def _searched(search: Search, kinds: Sequence[str], given: Sequence[Points], polish: bool) -> Optimised:
    import torch

    kinds = [*kinds, "given"] if given else kinds
    weights = _weights(kinds, search.dim)
    with torch.inference_mode():
        for points in given:
            search.take(points)
        search.screen(kinds[0])
        while search.budget.share < EXPLORE:
            search.screen(kinds[search.rng.choice(len(kinds), p=weights)])
        while True:
            waiting = [one for one in search.pool if not one.finished]
            if not waiting or (any(one.finished for one in search.pool) and search.budget.share >= 1):
                break
            search.finish(waiting[0], polish)
    best = search.pool[0]
    kind = best.kind if best.arrangement is None else f"{best.kind} ({best.arrangement.name})"
    points = polished(best.points)[0] if polish and best.points.size > POLISH_ALL else best.points
    return Optimised(points, max_cosine(points), kind, dict(search.tried), round(search.budget.spent))
