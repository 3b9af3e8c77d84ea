"""The search for K points of R^n with the lowest largest cosine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from protosphere.errors import InvalidArgumentError, as_choice
from protosphere.geometry.gram import max_cosine
from protosphere.search.bandit import VARY, Arm, BanditSearch
from protosphere.search.batched_energy import ENERGIES
from protosphere.search.budget import Budget
from protosphere.search.descent_backend import LOW_DIM, descent_backend
from protosphere.search.starts import KINDS, known_optimum
from protosphere.types import Points, Progress, ignore

WORK = 1e11
"""Products K^2 n times evaluations of the default number of iterations: some seconds."""


SPRINTS = (1, 3)
"""Evaluations of the first two starts where there is a target, as multiples of the fewest."""

VARYING = 0.75
"""After the exploration, how often good codes are varied rather than new ones sought."""

POLISHED, POLISH_ALL = 4, 400
"""How many of the best codes are polished in the end where K n is at most the second; else the best alone is."""

PROMISING, NEARLY = 1e-3, 1e-5
"""A screened code this near the target is finished at once, one this near polished."""


@dataclass(frozen=True, eq=False)
class SearchResult:
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
    """As many as take some seconds: 150,000 for tiny codes, falling to 600, those of one start, for large ones."""
    return int(min(150_000, max(600, WORK / (num_points**2 * (dim + 10)))))


def check_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """`kinds` as a tuple, if each of them is one of `KINDS` and there is at least one."""
    chosen = tuple(as_choice("starts", kind, KINDS) for kind in kinds)
    if not chosen:
        raise InvalidArgumentError(f"'starts' must name at least one of {', '.join(KINDS)}, got none")
    return chosen


def search_code(
    num_points: int,
    dim: int,
    *,
    rng: np.random.Generator,
    iterations: int | None = None,
    budget: float | None = None,
    kinds: Iterable[str] = KINDS,
    start_points: Iterable[Points] = (),
    catalogued: Iterable[Points] = (),
    polish: bool = True,
    target: float = -1.0,
    device: str = "cpu",
    energy: str = ENERGIES[0],
    progress: Progress = ignore,
) -> SearchResult:
    """The best code of `num_points` points in R^`dim` that a search finds.

    Args:
        num_points: K, at least 2.
        dim: n, at least 1.
        rng: of every start. The same generator and `iterations` give the same bits.
        iterations: evaluations of a whole code's energy; None for some seconds' worth, with `budget` for no limit.
        budget: seconds instead; what is found then depends on the machine.
        kinds: which kinds of starts to draw, of `KINDS`.
        start_points: codes in R^n to begin from, of any number of points; the result is no worse than any of K.
        catalogued: such codes, too, of earlier searches.
        polish: whether to end with Newton's method on the pairs that touch.
        target: a largest cosine that is good enough: the search ends once it is reached.
        device: where torch works.
        energy: what descends, of `ENERGIES`; only the first is compiled.
        progress: told of the best value so far.
    """
    chosen = check_kinds(kinds)
    exact = known_optimum(num_points, dim)
    if exact is not None:
        return SearchResult(exact, max_cosine(exact), "exact", {}, 0)
    limit = iterations or (float("inf") if budget is not None else default_iterations(num_points, dim))
    with descent_backend(num_points, dim, device, as_choice("energy", energy, ENERGIES), progress) as backend:
        search = BanditSearch(num_points, dim, rng, Budget(limit, budget, progress), backend)
        for points in catalogued:
            search.take(points, "catalogue")
        for points in start_points:
            search.take(points, "given")
        return _run_search(search, chosen, polish, target)


def _run_search(search: BanditSearch, kinds: Sequence[str], polish: bool, target: float) -> SearchResult:
    without = {"refilled"} if search.dim > LOW_DIM or "random" not in kinds else {"refilled", "symmetric"}
    own = [Arm(kind) for kind in kinds if kind not in without] or [Arm("random")]
    few = not search.backend.compiled  # so large that a random start may be all there is time for
    search.arms = [*own, *search.arms] if few else [*search.arms, *own]
    for patience in SPRINTS if target > -1 else ():
        search.sprint(patience)
        if search.pool[0].value <= target:
            break
    else:
        search.explore()
    while search.budget.share < VARY and not _reached(search, target, polish):
        search.begin_epochs()
        varying = search.varying and "refilled" in kinds and search.rng.random() < VARYING
        (search.vary if varying else search.explore)()
    search.recall()
    while not _reached(search, target, polish):
        waiting = [one for one in search.pool if not one.finished]
        if not waiting or (any(one.finished for one in search.pool) and search.budget.share >= 1):
            break
        search.finish(waiting[0])
    small = search.num_points * search.dim <= POLISH_ALL
    for candidate in search.pool[: POLISHED if polish and small else 1 if polish else 0]:
        if not candidate.polished:
            search.polish(candidate)
    best = search.pool[0]
    return SearchResult(best.points, best.value, best.kind, dict(search.tried), round(search.budget.spent))


def _reached(search: BanditSearch, target: float, polish: bool) -> bool:
    """Whether the best code meets the target; one that may once it is finished is finished first."""
    if search.pool[0].value <= target:
        return True
    while search.pool[0].value < target + PROMISING and not search.pool[0].finished:
        search.finish(search.pool[0])
    best = search.pool[0]
    if polish and target < best.value < target + NEARLY and not best.polished:
        search.polish(best)
    return search.pool[0].value <= target
