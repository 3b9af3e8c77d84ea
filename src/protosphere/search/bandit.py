"""The state and the phases of a search: many short descents; the best results are varied and refined.

The arms of a multi-armed bandit are random points and every code that the caller gives. A start is one set of K initial
points, drawn from an arm. The pool holds the best codes found so far. The phases of a search are:

- Sprints: a search for a target begins with the shortest descents, from random points.
- Race: one brief descent from each arm. Afterward the arms that led to the lowest maximum cosines are drawn more often.
- Screening: short descents from many starts, drawn from the arms, from symmetric codes, or from variations of good
  codes. A variation moves some points of a good code into holes, which are places far from all points.
- Finishing: the best codes are annealed to the highest inverse temperature and polished by Newton's method.

A descent minimizes a smooth maximum of the cosines with an inverse temperature, by which the cosines are multiplied. To
anneal is to descend at one inverse temperature after another. Temperatures in this module are inverse temperatures.
"""

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np

from protosphere.geometry.gram import max_cosine
from protosphere.geometry.sphere import normalized
from protosphere.search.descent_backend import DescentBackend
from protosphere.search.initialization import refill, resize
from protosphere.search.orbit_search import OrbitCode, OrbitSearch
from protosphere.search.polish import Allowance, polish_code
from protosphere.search.pool import CodePool, ScreenedCode
from protosphere.types import Points

# Fractions of the budget at which phases end.
RACE_END = 0.4
EXPLORATION_END = 0.35
VARIATION_END = 0.8
FINISHING_END = 0.95

RACE_RANDOM_TEMPERATURE = 10.0
"""First inverse temperature of random points in the race."""

RACE_GIVEN_TEMPERATURE = 25.0
"""Given codes start the race at this inverse temperature times the nearness; a lower one would destroy the codes."""

RACE_LAST_TEMPERATURE = 1200.0
"""The race ends at this inverse temperature times `BanditSearch.nearness`."""

RACE_STEPS = 15
"""Largest number of evaluations at each temperature of the race."""

SPRINT_LAST_TEMPERATURE = 300.0
"""Last inverse temperature of the short descents with which a search for a target begins."""

# First temperatures of the leaders of the race.
DEEPEN_RANDOM_TEMPERATURE = 12.0
DEEPEN_GIVEN_TEMPERATURE = 25.0

HIGH_NEARNESS = 50.0
"""Value of `BanditSearch.nearness` above which first inverse temperatures are proportional to the nearness."""

# Lowest first temperatures of new starts, and the ratio of the highest to the lowest.
EXPLORE_RANDOM_TEMPERATURE = 5.0
EXPLORE_GIVEN_TEMPERATURE = 8.0
EXPLORE_TEMPERATURE_RATIO = 10.0

SCREENING_STEPS = 100
"""Largest number of evaluations at each temperature while a start is screened."""

FINISHED_TEMPERATURE = 1e6
"""Inverse temperature at which a code has practically converged."""

FINISHING_START_TEMPERATURE = 1e3

FINISHING_STEPS = 200
"""Largest number of evaluations at each temperature while a code is finished."""

POLISHING_SHARE = 0.05
"""Fraction of the budget that Newton's method may use for a code, even if the budget is used up."""

MIN_POLISHING_PRODUCTS = 1e9
"""Number of multiplications that Newton's method may use for a code in any case."""

OF_ORBITS = ("symmetric", "parent")
"""Names of the initializations that are codes with a symmetry group."""

ORBIT_SHARES = (0.5, 0.7, 0.3)
"""Fractions of the screening that symmetric codes may use.

The first applies to the first half of the budget. Afterward, the second applies if the best code came from a symmetric
code, and the third if it did not.
"""

FREED_GAIN = 1e-6
"""A code that lowers the lowest maximum cosine of symmetric codes by more than this is screened without symmetry."""

FREED_SHAKE = 0.01
"""Approximate length by which points of a symmetric code are moved, at most, before screening without the symmetry."""


@dataclass
class Arm:
    """A source of starts: random points, or a code to start from.

    Attributes:
        initialization: Name of the initialization, such as "random" or "given".
        code: The code to start from, of any size; None for random points.
        value: The lowest maximum cosine of the codes that descents from this arm have found.
    """

    initialization: str
    code: Points | None = None
    value: float = float("inf")


@dataclass
class BanditSearch:
    """The state of a search, and methods that run parts of its phases.

    Attributes:
        num_points: Number K of points.
        dim: Dimension n.
        rng: Random generator for all starts.
        backend: Object that runs the descents.
        initializations: Names of the initializations from which starts are drawn.
        polishes: Whether the search ends with Newton's method.
        target: A maximum cosine that is good enough: the search ends when a code reaches it.
        floor: A lower bound on the maximum cosine of any K points in R^n.
        thrifty: Whether the search ends early if improvement is unlikely.
        arms: Random points and given codes, from which starts are drawn.
        starts: Number of starts of each initialization.
        orbits: The search among symmetric codes; None if symmetric codes are not searched.
        screening_from: Fraction of the budget that was used before the screening.
    """

    num_points: int
    dim: int
    rng: np.random.Generator
    backend: DescentBackend
    initializations: tuple[str, ...]
    polishes: bool
    target: float
    floor: float
    thrifty: bool
    arms: list[Arm] = field(default_factory=list[Arm])
    starts: Counter[str] = field(default_factory=Counter[str])
    orbits: OrbitSearch | None = None
    screening_from: float = 0.0

    def __post_init__(self) -> None:
        self.budget = self.backend.budget
        self.pool = CodePool(self.budget)
        self.screening_finishes = self.backend.last >= FINISHED_TEMPERATURE
        if self.screening_finishes:
            self.screening_share = FINISHING_END
        else:
            self.screening_share = VARIATION_END

    @property
    def nearness(self) -> float:
        """The number 1 / (1 - c), where c is the lowest maximum cosine so far, or 0.5 if there is no code yet."""
        value = self.pool.best.value if self.pool else 0.5
        return 1 / (1 - min(value, 1 - 1e-6))

    @property
    def epochs_used(self) -> float:
        """Number of epochs that the used budget corresponds to; in each epoch, the search starts from scratch."""
        return self.budget.share / VARIATION_END * self.backend.epochs

    @property
    def is_varying(self) -> bool:
        """Whether the first part of the epoch, which explores new starts, is over, so that good codes are varied."""
        within_epoch = self.epochs_used % 1
        return within_epoch * VARIATION_END > EXPLORATION_END

    def begin_epochs(self) -> None:
        """Begin a new epoch if one is due: set the best code of the pool aside and discard the other codes."""
        is_due = self.epochs_used >= len(self.pool.earlier) + 1
        if is_due and self.pool:
            self.pool.earlier.append(self.pool.best)
            self.pool.codes = []
            self.explore()

    def add_code(self, points: Points, initialization: str) -> None:
        """Add a given code to the arms, unless it is there already, and to the pool if it has K points.

        Args:
            points: The code, of any size.
            initialization: Name of its origin, such as "given".
        """
        for arm in self.arms:
            if arm.code is not None and np.array_equal(arm.code, points):
                return
        self.arms.append(Arm(initialization, points))
        if len(points) == self.num_points and points.shape[1] <= self.dim:
            start = resize(points, self.num_points, self.dim, self.rng)
            value = max_cosine(start)
            code = ScreenedCode(value, start, initialization, finished=True)
            self.pool.admit(code)

    def sprint(self, patience: int) -> None:
        """Make one of the shortest descents, from random points, and admit the result to the pool.

        Args:
            patience: Factor of `DescentBackend.sprint_steps`, the number of evaluations at each temperature.
        """
        arm = Arm("random")
        start = self._start(arm)
        found = self.backend.descend(
            [start],
            np.full(1, self.backend.sprint_temperature),
            SPRINT_LAST_TEMPERATURE,
            patience * self.backend.sprint_steps,
            VARIATION_END,
            self.backend.sprints_as_tensors,
        )
        self._admit_all([arm], found)

    def race(self) -> None:
        """Make one brief descent from each arm, until `RACE_END` of the budget is used."""
        arms = sorted(self.arms, key=lambda arm: arm.code is not None)
        nearness = self.nearness
        random_first = RACE_RANDOM_TEMPERATURE * max(1.0, nearness / HIGH_NEARNESS)
        given_first = RACE_GIVEN_TEMPERATURE * nearness
        last = RACE_LAST_TEMPERATURE * nearness
        for begin in range(0, len(arms), self.backend.batch):
            if self.budget.share >= RACE_END:
                break
            batch = arms[begin : begin + self.backend.batch]
            starts = [self._start(arm) for arm in batch]
            first = np.array(
                [random_first if arm.code is None else given_first for arm in batch]
            )
            found = self.backend.descend(starts, first, last, RACE_STEPS, RACE_END)
            self._admit_all(batch, found)

    def deepen(self) -> None:
        """Screen the best codes of the race that are not finished yet."""
        leaders = self.pool.unfinished[: self._affordable_starts()]
        if not leaders:
            return
        arms = [Arm(code.initialization) for code in leaders]
        starts = [code.points for code in leaders]
        first = np.array([_deepening_temperature(code) for code in leaders])
        first *= max(1.0, self.nearness / HIGH_NEARNESS)
        self._screen(arms, starts, first)

    def explore(self) -> None:
        """Screen one batch of new starts; arms that led to low maximum cosines are drawn more often."""
        if not self.arms:
            self.explore_orbits()
            return
        arms = self._draw_arms()
        starts = [self._start(arm) for arm in arms]
        lowest = np.array([_exploring_temperature(arm) for arm in arms])
        ratios = EXPLORE_TEMPERATURE_RATIO ** self.rng.random(len(arms))
        self._screen(arms, starts, lowest * ratios)

    def _draw_arms(self) -> list[Arm]:
        """Return arms for a batch, drawn with probabilities that decrease exponentially with their rank."""
        ranked = sorted(self.arms, key=lambda arm: arm.value)
        breadth = self.backend.breadth
        ranks = self.rng.exponential(breadth, self._affordable_starts())
        worst = len(ranked) - 1
        return [ranked[min(worst, int(rank))] for rank in ranks.astype(int)]

    def vary(self) -> None:
        """Screen one batch of variations of good codes: some points of each code are moved into holes."""
        codes = self.pool.codes
        ranks = self.rng.exponential(2, self._affordable_starts()).astype(int)
        drawn = [codes[int(rank)] for rank in np.minimum(ranks, len(codes) - 1)]
        starts = [refill(code.points, self.rng) for code in drawn]
        lowest, highest = self.backend.variation
        first = lowest * (highest / lowest) ** self.rng.random(len(drawn))
        arms: list[Arm] = []
        for code in drawn:
            original = code.initialization.removesuffix(", refilled")
            arms.append(Arm(f"{original}, refilled"))
        self._screen(arms, starts, first)

    def _affordable_starts(self) -> int:
        """Return the number of starts of a batch, or the number that the budget still allows; at least one."""
        left = self.budget.left(self.screening_share, self.backend.workers)
        affordable = left / self.backend.screening
        return int(max(1, min(self.backend.batch, affordable)))

    def _start(self, arm: Arm) -> Points:
        """Return random points, or a perturbation of the arm's code."""
        if arm.code is None:
            return self.rng.standard_normal((self.num_points, self.dim))
        start = resize(arm.code, self.num_points, self.dim, self.rng)
        size = 10 ** self.rng.uniform(-2.5, -0.5) / np.sqrt(self.dim)
        return start + size * self.rng.standard_normal(start.shape)

    def _screen(self, arms: list[Arm], starts: list[Points], first: Points) -> None:
        """Anneal the starts and admit the results to the pool, each for its arm."""
        found = self.backend.descend(
            starts, first, self.backend.last, SCREENING_STEPS, self.screening_share
        )
        self._admit_all(arms, found, self.screening_finishes)

    @property
    def is_orbit_turn(self) -> bool:
        """Whether the next batch has symmetric codes.

        This is the case if the batches of symmetric codes have used at most the fraction of the screening that
        `ORBIT_SHARES` allows. If no symmetry fits K points in R^n, the value is False.
        """
        if self.orbits is None:
            return False
        is_late = self.budget.share > 0.5
        is_ahead = self.pool.best.initialization.startswith(OF_ORBITS)
        early, ahead, behind = ORBIT_SHARES
        share = (ahead if is_ahead else behind) if is_late else early
        return self.orbits.share <= share * (self.budget.share - self.screening_from)

    def explore_orbits(self) -> None:
        """Screen one batch of symmetric codes.

        Surplus points of a code with more than K points are removed if the code is better than the best code so far. If
        the best code of the batch is better than all previous symmetric codes, it is also screened without its
        symmetry. If no symmetry fits K points in R^n, the search among symmetric codes ends.
        """
        assert self.orbits is not None
        used = self.budget.share
        least = self.orbits.value - FREED_GAIN
        found = self.orbits.screen(SCREENING_STEPS, self.screening_share)
        if not found:
            self.orbits = None
            self.arms = self.arms or [Arm("random")]
            return
        for code in found:
            arm = Arm(code.label)
            if len(code.points) == self.num_points:
                self._admit_all([arm], [code.points], self.screening_finishes)
            elif not self.pool or code.value < self.pool.best.value:
                kept = resize(
                    code.points, self.num_points, self.dim, self.rng, caps=False
                )
                self._admit_all([arm], [normalized(kept)])
        best = min(found, key=lambda code: code.value)
        if best.value < least or not self.pool:
            self._free(best)
        self.orbits.share += self.budget.share - used

    def _free(self, code: OrbitCode) -> None:
        """Remove the surplus points of a symmetric code, and screen the other points without the symmetry."""
        kept = resize(code.points, self.num_points, self.dim, self.rng, caps=False)
        size = FREED_SHAKE * self.rng.random() ** 2 / np.sqrt(self.dim)
        start = kept + size * self.rng.standard_normal(kept.shape)
        lowest, highest = self.backend.variation
        first = lowest * (highest / lowest) ** self.rng.random(1)
        self._screen([Arm(code.label)], [start], first)

    def _admit_all(
        self, arms: list[Arm], found: list[Points], finished: bool = False
    ) -> None:
        """Admit codes to the pool, each for its arm."""
        for arm, points in zip(arms, found, strict=True):
            value = max_cosine(points)
            arm.value = min(arm.value, value)
            code = ScreenedCode(value, points, arm.initialization, finished)
            self.pool.admit(code)
            without_group = arm.initialization.partition(" (")[0]
            self.starts[without_group] += 1
        self.budget.starts += len(found)

    def finish(self, candidate: ScreenedCode, steps: int = FINISHING_STEPS) -> None:
        """Anneal a code of the pool to the highest inverse temperature, and mark the code as finished.

        The points stay the same if annealing does not lower the maximum cosine.

        Args:
            candidate: The code.
            steps: Largest number of evaluations at each temperature.
        """
        [points] = self.backend.descend(
            [candidate.points],
            np.full(1, FINISHING_START_TEMPERATURE),
            FINISHED_TEMPERATURE,
            steps,
            FINISHING_END,
        )
        if max_cosine(points) > candidate.value:
            points = candidate.points
        value = max_cosine(points)
        finished = replace(candidate, value=value, points=points, finished=True)
        self.pool.replace(candidate, finished)

    def polish(self, candidate: ScreenedCode) -> None:
        """Apply Newton's method to a code of the pool, and replace the code by the result.

        Args:
            candidate: The code.
        """
        affordable = self.budget.left(1 + POLISHING_SHARE, 1)
        evaluations = min(affordable, POLISHING_SHARE * self.budget.iterations)
        products = max(evaluations * self.budget.products, MIN_POLISHING_PRODUCTS)
        allowance = Allowance(products, self.budget.expired)
        points, value = polish_code(candidate.points, allowance)
        polished = ScreenedCode(
            value, points, candidate.initialization, finished=True, polished=True
        )
        self.pool.replace(candidate, polished)


def _deepening_temperature(code: ScreenedCode) -> float:
    if code.initialization == "random":
        return DEEPEN_RANDOM_TEMPERATURE
    return DEEPEN_GIVEN_TEMPERATURE


def _exploring_temperature(arm: Arm) -> float:
    if arm.code is None:
        return EXPLORE_RANDOM_TEMPERATURE
    return EXPLORE_GIVEN_TEMPERATURE
