"""The search for K points of R^n with the lowest largest cosine."""

import math
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from protosphere.compiled.threads import single_threaded
from protosphere.errors import InvalidArgumentError, as_choice
from protosphere.geometry.gram import max_cosine
from protosphere.search.bandit import FINISH, FINISHING_STEPS, Arm, BanditSearch
from protosphere.search.budget import Budget, evaluation_products
from protosphere.search.descent_backend import (
    LARGE_COUNT,
    LOW_DIM,
    DescentBackend,
)
from protosphere.search.polish import DENSE
from protosphere.search.starts import KINDS, known_optimum
from protosphere.types import Points, Progress, ignore

WORK, MOST_WORK = 2.4e10, 3.6e10
"""Products of the default number of iterations, some seconds on one core, and of large codes, where it buys little."""

MOST, ENOUGH, LEAST = 150_000, 150, 60
"""Evaluations by default: of tiny codes, for a whole descent of a large one, and the fewest that are worth it."""

HOPE = 0.35
"""How much of the way from where the race ends to what nothing is below a whole descent may still go: .15 to .25 of it
from random starts, up to .4 from a code of about the size."""

SPRINTS = (1, 3)
"""Evaluations of the first two starts where there is a target, as multiples of the fewest."""

SYMMETRIC_STEPS = 500  # about how many steps a batch of symmetric starts takes
SYMMETRIC_SHARE = 0.15  # what of the budget left their overhead may be

THRIFTY_STEPS = 50
"""Evaluations at each temperature while a code is finished, where they count."""

VARYING = 0.75
"""After the exploration, how often good codes are varied rather than new ones sought."""

POLISHED, POLISH_ALL = 4, 400
"""How many of the best codes are polished in the end where K n is at most the second; else the best alone is."""

PROMISING, NEARLY = 1e-3, 1e-5
"""A screened code this near the target is finished at once, one this near polished."""

SAME_CODE = 0.01
"""What a race ends so little above the best code, relatively to 1 - cosine, has fallen back to it."""

HASTY = 0.1
"""Share of the budget below which a race says nothing: there is time enough to look."""

PATIENCE = 0.25
"""Share of the budget that may pass without anything better, beside twice what had passed by the last time."""

FINISHING_GAIN = 0.5
"""How much lower a screened code may come out once it is finished, in log K over the last temperature of screening."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found.

    Attributes:
        points, max_cosine: the code.
        kind: which kind of start it came from, with its symmetry where it had one.
        starts: how many starts of each kind were tried.
        iterations: evaluations of a whole code's energy that took.
        interrupted: whether Ctrl-C ended it.
    """

    points: Points
    max_cosine: float
    kind: str
    starts: dict[str, int]
    iterations: int
    interrupted: bool = False


def default_iterations(num_points: int, dim: int) -> int:
    """Some seconds' worth: 150,000 for tiny codes, falling to none where they would not make one short descent."""
    products = evaluation_products(num_points, dim)
    affordable = int(max(min(MOST, WORK / products), min(ENOUGH, MOST_WORK / products)))
    return affordable if affordable >= LEAST else 0


def check_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """`kinds` as a tuple, if each of them is one of `KINDS` and there is at least one."""
    chosen = tuple(as_choice("starts", kind, KINDS) for kind in kinds)
    if not chosen:
        raise InvalidArgumentError(
            f"'starts' must name at least one of {', '.join(KINDS)}, got none"
        )
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
    floor: float = -1.0,
    thrifty: bool = False,
    device: str = "cpu",
    progress: Progress = ignore,
    clock: Callable[[], float] = time.monotonic,
) -> SearchResult:
    """The best code of `num_points` points in R^`dim` that a search finds; after Ctrl-C the best so far.

    Args:
        num_points: K, at least 2.
        dim: n, at least 1.
        rng: of every start. The same generator and `iterations` give the same bits.
        iterations: evaluations of a whole code's energy; None for some seconds' worth, or no limit with `budget`.
            One over a list of the pairs that matter counts for their share.
        budget: seconds instead, from now on, compiling included; what is found then depends on the machine.
        kinds: which kinds of starts to draw, of `KINDS`.
        start_points: codes in R^n to begin from, of any number of points; the result is no worse than any of K.
        catalogued: such codes, too, of earlier searches.
        polish: whether to end with Newton's method on the pairs that touch.
        target: a largest cosine that is good enough: the search ends once it is reached.
        floor: a largest cosine that nothing is below.
        thrifty: whether to end early where what was given is unlikely to be beaten, or nothing better comes any more.
        device: where torch works.
        progress: told of the best value so far.
        clock: what tells the time, in seconds.
    """
    chosen = check_kinds(kinds)
    exact = known_optimum(num_points, dim)
    if exact is not None:
        return SearchResult(exact, max_cosine(exact), "exact", {}, 0)
    most = iterations or (
        float("inf")
        if budget is not None
        else max(LEAST, default_iterations(num_points, dim))
    )
    spending = Budget(
        evaluation_products(num_points, dim), most, budget, progress, clock
    )
    backend = DescentBackend(num_points, dim, device, spending)
    with single_threaded() if backend.compiled else nullcontext():
        search = BanditSearch(
            num_points, dim, rng, backend, chosen, polish, target, floor, thrifty
        )
        for points in catalogued:
            search.take(points, "catalogue")
        for points in start_points:
            search.take(points, "given")
        try:
            _run(search)
        except KeyboardInterrupt:
            if not search.pool:
                raise
            spending.interrupted = True
    search.pool.recall()
    best = search.pool.best
    spent = round(spending.spent)
    return SearchResult(
        best.points,
        best.value,
        best.kind,
        dict(search.tried),
        spent,
        spending.interrupted,
    )


def _run(search: BanditSearch) -> None:
    """All phases of the search, as far as they are worth it: the pool has what it found."""
    search.arms += _own_arms(search)
    for patience in SPRINTS if search.target > -1 else ():
        search.sprint(patience)
        if search.pool.best.value <= search.target:
            break
    if not (search.pool and search.pool.best.value <= search.target):
        search.race()
        while not search.pool:
            search.explore()
        if search.thrifty and _is_hopeless(search):
            return
        search.deepen()
    _screen(search)
    search.pool.recall()
    _finish(search)
    size = search.num_points * search.dim
    if search.polishes and not (
        search.budget.expired() or (search.thrifty and size > DENSE)
    ):
        for candidate in search.pool.codes[: POLISHED if size <= POLISH_ALL else 1]:
            if not candidate.polished:
                search.polish(candidate)


def _own_arms(search: BanditSearch) -> list[Arm]:
    """The kinds of starts asked for; symmetric ones only where they are worth what they take."""
    asked = [kind for kind in search.kinds if kind != "refilled"] or ["random"]
    overhead = (
        SYMMETRIC_STEPS * search.backend.tensor_overhead
    )  # tensors are slow for small codes
    affordable = SYMMETRIC_SHARE * search.budget.left(1.0, search.backend.workers)
    too_dear = (
        search.thrifty and search.num_points > LARGE_COUNT
    ) or overhead > affordable
    if "random" in asked and (search.dim <= LOW_DIM or too_dear):
        asked = ["random"]
    return [Arm(kind) for kind in asked]


def _screen(search: BanditSearch) -> None:
    """New codes and changes of good ones, until the budget, the target or the patience is at its end."""
    while search.budget.share < search.screening_share and not _reached(search):
        stale = (
            search.budget.spent
            > 2 * search.pool.noticed_at + PATIENCE * search.budget.iterations
        )
        if search.thrifty and stale:
            break
        search.begin_epochs()
        varying = (
            search.varying
            and "refilled" in search.kinds
            and search.rng.random() < VARYING
        )
        (search.vary if varying else search.explore)()


def _finish(search: BanditSearch) -> None:
    """The best codes taken to the highest temperature, at least one unless the time is up."""
    gain = FINISHING_GAIN * math.log(search.num_points) / search.backend.last
    while search.pool.unfinished and not (search.budget.expired() or _reached(search)):
        candidate = search.pool.unfinished[0]
        may_lead = candidate.value <= search.pool.best.value + gain
        worth = may_lead if search.thrifty else search.budget.share < FINISH
        if not worth and any(one.finished for one in search.pool.codes):
            break
        search.finish(candidate, THRIFTY_STEPS if search.thrifty else FINISHING_STEPS)


def _reached(search: BanditSearch) -> bool:
    """Whether the best code meets the target; one that may once it is finished is finished first."""
    target = search.target
    if search.pool.best.value <= target:
        return True
    while search.pool.best.value < target + PROMISING and not search.pool.best.finished:
        search.finish(search.pool.best)
    best = search.pool.best
    if search.polishes and target < best.value < target + NEARLY and not best.polished:
        search.polish(best)
    return search.pool.best.value <= target


def _is_hopeless(search: BanditSearch) -> bool:
    """Whether a code that was given leads the race, and nothing came near enough to pass it after a whole descent."""
    best = search.pool.best
    if not best.finished or search.budget.share < HASTY:
        return False
    same = best.value + SAME_CODE * (1 - best.value)
    others = [arm.value for arm in search.arms if same < arm.value < math.inf]
    return all(value - HOPE * (value - search.floor) >= best.value for value in others)
