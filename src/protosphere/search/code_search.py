"""The search for K points of R^n with the lowest maximum cosine.

Terms of this module:

- A descent moves K initial points so that the smooth maximum cosine decreases. This function of the points has a
  parameter, the inverse temperature, by which the cosines are multiplied. The higher the inverse temperature is, the
  closer the function is to the maximum cosine.
- An evaluation computes the smooth maximum cosine of a code and its gradient. The budget of a search limits the number
  of evaluations, the seconds, or both.
- An arm is a source of initial points: either random points, or a code that the caller gives.
- The race makes one brief descent from each arm, to compare the arms.
- A code is screened by a descent up to a moderate inverse temperature, finished by a descent up to the highest inverse
  temperature, and polished by Newton's method.
- The pool is the list of the codes with the lowest maximum cosines so far.
- A thrifty search ends early if a lower maximum cosine is unlikely to be found.
"""

import math
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from protosphere.compiled.threads import single_threaded
from protosphere.errors import InvalidArgumentError, as_choice
from protosphere.geometry.gram import max_cosine
from protosphere.search.bandit import (
    FINISHING_END,
    FINISHING_STEPS,
    OF_ORBITS,
    Arm,
    BanditSearch,
)
from protosphere.search.budget import Budget, evaluation_products
from protosphere.search.descent_backend import LARGE_COUNT, LOW_DIM, DescentBackend
from protosphere.search.given_symmetries import GivenSymmetries
from protosphere.search.initialization import (
    DEFAULT_INITIALIZATIONS,
    INITIALIZATIONS,
    known_optimum,
)
from protosphere.search.orbit_search import OrbitSearch, is_affordable
from protosphere.search.polish import MAX_DENSE_UNKNOWNS
from protosphere.types import Points, Progress, ignore

DEFAULT_PRODUCTS = 2.4e10
"""Number of multiplications of a search with the default number of evaluations. It takes some seconds on one core."""

MAX_DEFAULT_PRODUCTS = 3.6e10
"""Largest default number of multiplications of a search for large codes, which gain little from a search."""

MAX_ITERATIONS = 150_000
"""Largest default number of evaluations of a search. It is the default for tiny codes."""

DESCENT_ITERATIONS = 150
"""Number of evaluations of a complete descent for a large code."""

MIN_ITERATIONS = 60
"""Smallest number of evaluations for which a search is worthwhile."""

EXPECTED_DESCENT = 0.35
"""Expected decrease of the maximum cosine by a complete descent, after the brief descent of the race.

The decrease is relative to the difference between the result of the race and the lower bound (`floor`). Measured values
are 0.15 to 0.25 for random points, and up to 0.4 for a given code of about the right size.
"""

SPRINT_MULTIPLES = (1, 3)
"""Numbers of evaluations of the two sprints of a search for a target, relative to `DescentBackend.sprint_steps`."""

THRIFTY_STEPS = 50
"""Largest number of evaluations at each inverse temperature while a thrifty search finishes a code."""

VARIATION_PROBABILITY = 0.75
"""Probability of varying codes of the pool rather than exploring new starts, in the later part of an epoch."""

NUM_POLISHED = 4
"""Number of codes that are polished if K n is at most `MAX_POLISH_ALL_SIZE`; otherwise only the best code is polished.
"""

MAX_POLISH_ALL_SIZE = 400

FINISHING_REACH = 1e-3
"""Largest difference of the maximum cosine from the target at which a screened code is finished immediately."""

POLISHING_REACH = 1e-5
"""Largest difference of the maximum cosine from the target at which a code is polished immediately."""

SAME_CODE = 0.01
"""Relative difference of maximum cosines up to which an arm is assumed to lead to the best code itself.

The difference is between the result of the arm's brief descent and the best code, divided by 1 minus the maximum cosine
of the best code.
"""

MIN_RACE_SHARE = 0.1
"""Fraction of the budget that a race must use before conclusions are drawn from its results."""

PATIENCE_SHARE = 0.25
"""Fraction of the budget that a thrifty search may use without an improvement.

The search ends when the used budget exceeds twice the budget used at the last improvement, plus this fraction.
"""

FINISHING_GAIN = 0.5
"""Expected decrease of the maximum cosine when a screened code is finished.

The unit is log K divided by the last inverse temperature of the screening.
"""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The code with the lowest maximum cosine that a search has found, and how the code was found.

    Attributes:
        points: The (K, n) points of the code.
        max_cosine: The maximum cosine of the code.
        initialization: Where the code comes from. "random" means random initial points. "symmetric" means K initial
            points with a symmetry group, and "parent" means up to 1.25 K such points, of which some were removed. After
            these two words, the name of the group follows in parentheses. "given" and "catalogue" mean the arguments
            `start_points` and `catalogued` of `search_code`. "exact" means an optimal code in closed form. If some
            points were later moved to empty places of the sphere, ", refilled" follows.
        starts: For each source of initial points, the count of descents from such points. A source has the same name as
            in `initialization`, up to the first parenthesis if there is one.
        iterations: Number of evaluations of the smooth maximum cosine over all pairs of points, rounded to an integer.
            An evaluation over fewer pairs counts as a fraction.
        interrupted: True if Ctrl-C ended the search, otherwise False.
    """

    points: Points
    max_cosine: float
    initialization: str
    starts: dict[str, int]
    iterations: int
    interrupted: bool = False


def default_iterations(num_points: int, dim: int) -> int:
    """Return the default number of evaluations of a search, chosen so that the search takes some seconds.

    An evaluation computes the smooth maximum cosine of a code and its gradient.

    Args:
        num_points: Number K of points.
        dim: Dimension n.

    Returns:
        150,000 for tiny codes and a smaller number for larger codes, down to 60. For even larger codes, the result is
        0: a search is not worthwhile.
    """
    products = evaluation_products(num_points, dim)
    usual = min(MAX_ITERATIONS, DEFAULT_PRODUCTS / products)
    of_large_code = min(DESCENT_ITERATIONS, MAX_DEFAULT_PRODUCTS / products)
    affordable = int(max(usual, of_large_code))
    return affordable if affordable >= MIN_ITERATIONS else 0


def check_initializations(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of methods that make initial points, as a tuple, after checking that each name is known.

    Args:
        names: Some of "random", "symmetric", "refilled" and "parent".

    Raises:
        InvalidArgumentError: If there is no name, or if a name is unknown.
    """
    checked = tuple(as_choice("starts", name, INITIALIZATIONS) for name in names)
    if not checked:
        known = ", ".join(INITIALIZATIONS)
        raise InvalidArgumentError(
            f"'starts' must name at least one of {known}, got none"
        )
    return checked


def search_code(
    num_points: int,
    dim: int,
    *,
    rng: np.random.Generator,
    iterations: int | None = None,
    budget: float | None = None,
    initializations: Iterable[str] = DEFAULT_INITIALIZATIONS,
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
    """Search for K points in R^n with the lowest maximum cosine.

    If an optimal code is known in closed form, it is returned at once. Ctrl-C ends the search: the code with the lowest
    maximum cosine so far is returned, or KeyboardInterrupt is raised if there is no code yet.

    Args:
        num_points: Number K of points, at least 2.
        dim: Dimension n, at least 1.
        rng: Random generator for all initial points. The same state of the generator and the same `iterations` give the
            same points, bit for bit, if `budget` is None.
        iterations: Largest number of evaluations of the smooth maximum cosine over all pairs of points. An evaluation
            over fewer pairs counts as a fraction. None means no limit if `budget` is given. If `budget` is None too,
            None means a number that takes some seconds.
        budget: Largest number of seconds from the call, including compilation. The result then depends on the machine.
            None means no limit.
        initializations: Methods that make initial points. "random" is random points, "symmetric" is codes with a random
            symmetry group, and "refilled" is good codes of this search, some points of which are moved to empty places.
            "parent" is symmetric codes of up to 1.25 K points, from which points are removed. The default is the first
            three.
        start_points: Codes to start from, with any number of points and dimensions. If such a code has K points in at
            most n dimensions, the maximum cosine of the result is not larger than the maximum cosine of this code.
        catalogued: Further codes to start from, which come from earlier searches.
        polish: If True, the search ends by applying Newton's method to the best codes, which computes them to the last
            digits. If False, it ends without this step.
        target: The search ends when the maximum cosine of a code is at most this number. -1 means no target.
        floor: A lower bound on the maximum cosine of any K points in R^n. A thrifty search uses the bound to estimate
            how much a descent can still gain.
        thrifty: If True, the search ends early if the codes in `start_points` and `catalogued` are unlikely to be
            improved, or if improvements stop. If False, it does not end for these reasons.
        device: The torch device.
        progress: Function that is called with a message, the percentage of the budget that is used, and 100. The
            message contains the lowest maximum cosine so far.
        clock: Function that returns the time in seconds.

    Returns:
        The code with the lowest maximum cosine, and how it was found.

    Raises:
        InvalidArgumentError: If `initializations` is empty or has an unknown name.
    """
    checked = check_initializations(initializations)
    exact = known_optimum(num_points, dim)
    if exact is not None:
        return SearchResult(exact, max_cosine(exact), "exact", {}, 0)
    spending = Budget(
        evaluation_products(num_points, dim),
        iterations or _iteration_limit(num_points, dim, budget),
        budget,
        progress,
        clock,
    )
    backend = DescentBackend(num_points, dim, device, spending)
    with single_threaded() if backend.compiled else nullcontext():
        search = BanditSearch(
            num_points, dim, rng, backend, checked, polish, target, floor, thrifty
        )
        for points in catalogued:
            search.add_code(points, "catalogue")
        for points in start_points:
            search.add_code(points, "given")
        try:
            _run(search)
        except KeyboardInterrupt:
            if not search.pool:
                raise
            spending.interrupted = True
    search.pool.recall()
    best = search.pool.best
    return SearchResult(
        points=best.points,
        max_cosine=best.value,
        initialization=best.initialization,
        starts=dict(search.starts),
        iterations=round(spending.spent),
        interrupted=spending.interrupted,
    )


def _iteration_limit(num_points: int, dim: int, seconds: float | None) -> float:
    if seconds is not None:
        # only the time limits the search
        return float("inf")
    return max(MIN_ITERATIONS, default_iterations(num_points, dim))


def _run(search: BanditSearch) -> None:
    search.arms += _initialization_arms(search)
    if search.target > -1:
        _sprint_to_target(search)
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
    _polish(search)


def _sprint_to_target(search: BanditSearch) -> None:
    for patience in SPRINT_MULTIPLES:
        search.sprint(patience)
        if search.pool.best.value <= search.target:
            return


def _initialization_arms(search: BanditSearch) -> list[Arm]:
    # Symmetric codes are left out in few dimensions, by thrifty searches for many points, and if the budget is small.
    names = [name for name in search.initializations if name != "refilled"]
    of_orbits = [name for name in names if name in OF_ORBITS]
    is_large = search.num_points > LARGE_COUNT
    is_left_out = (
        search.dim <= LOW_DIM
        or (search.thrifty and is_large)
        or not is_affordable(search.budget)
    )
    if "random" in names and is_left_out:
        of_orbits = []
    if of_orbits:
        codes = [arm.code for arm in search.arms if arm.code is not None and is_large]
        given = GivenSymmetries.suited_to(codes, search.num_points, search.dim)
        search.orbits = OrbitSearch(
            search.num_points, search.dim, search.rng, search.backend, of_orbits, given
        )
    if "random" in names or not of_orbits:
        return [Arm("random")]
    return []


def _screen(search: BanditSearch) -> None:
    may_vary = "refilled" in search.initializations
    search.screening_from = search.budget.share
    while search.budget.share < search.screening_share:
        if _reaches_target(search) or (search.thrifty and _is_stale(search)):
            break
        search.begin_epochs()
        is_varying = search.is_varying and may_vary
        if search.is_orbit_turn:
            search.explore_orbits()
        elif is_varying and search.rng.random() < VARIATION_PROBABILITY:
            search.vary()
        else:
            search.explore()


def _is_stale(search: BanditSearch) -> bool:
    patience = PATIENCE_SHARE * search.budget.iterations
    return search.budget.spent > 2 * search.pool.improved_at + patience


def _finish(search: BanditSearch) -> None:
    gain = FINISHING_GAIN * math.log(search.num_points) / search.backend.last
    steps = THRIFTY_STEPS if search.thrifty else FINISHING_STEPS
    while search.pool.unfinished:
        if search.budget.expired() or _reaches_target(search):
            break
        candidate = search.pool.unfinished[0]
        if search.thrifty:
            is_worthwhile = candidate.value <= search.pool.best.value + gain
        else:
            is_worthwhile = search.budget.share < FINISHING_END
        if not is_worthwhile and any(code.finished for code in search.pool.codes):
            break
        search.finish(candidate, steps)


def _polish(search: BanditSearch) -> None:
    size = search.num_points * search.dim
    is_too_large = search.thrifty and size > MAX_DENSE_UNKNOWNS
    if not search.polishes or search.budget.expired() or is_too_large:
        return
    count = NUM_POLISHED if size <= MAX_POLISH_ALL_SIZE else 1
    for candidate in search.pool.codes[:count]:
        if not candidate.polished:
            search.polish(candidate)


def _reaches_target(search: BanditSearch) -> bool:
    target = search.target
    if search.pool.best.value <= target:
        return True
    # a best code near the target is finished and polished first
    while not search.pool.best.finished:
        if search.pool.best.value >= target + FINISHING_REACH:
            break
        search.finish(search.pool.best)
    best = search.pool.best
    is_near = target < best.value < target + POLISHING_REACH
    if search.polishes and is_near and not best.polished:
        search.polish(best)
    return search.pool.best.value <= target


def _is_hopeless(search: BanditSearch) -> bool:
    best = search.pool.best
    if not best.finished or search.budget.share < MIN_RACE_SHARE:
        return False
    # the result of a complete descent is predicted from the result of the brief descent in the race
    same_code = best.value + SAME_CODE * (1 - best.value)
    for arm in search.arms:
        if not same_code < arm.value < math.inf:
            continue
        expected = arm.value - EXPECTED_DESCENT * (arm.value - search.floor)
        if expected < best.value:
            return False
    return True
