"""The state and the phases of a search for codes of K points in R^n with a low maximum cosine.

A search makes many short descents, and then varies and refines the best results. Terms of a search:

- An initialization is a method that produces initial points. It has a name: "random" (random points), "symmetric" (a
  union of orbits of a random symmetry group), "parent" (such a union with up to 1.25 K points, some of which are
  removed later), or "refilled" (a variation, see below).
- An arm is a source of initial points: either random points, or a code that the caller gives. The word comes from
  multi-armed bandits: arms that led to low maximum cosines are used more often.
- A start is one set of K initial points of a descent.
- A descent begins at a start and minimizes the smooth maximum cosine. This function of the points has a parameter, the
  inverse temperature, by which the cosines are multiplied. The higher the inverse temperature is, the closer the
  function is to the maximum cosine. Temperatures in this module are inverse temperatures.
- To anneal is to descend at one inverse temperature after another, in ascending order.
- An evaluation computes the smooth maximum cosine of a code and its gradient. The budget of a search limits the number
  of evaluations, the seconds, or both.
- The pool is the list of the codes with the lowest maximum cosines that were found so far.
- A hole is a place on the sphere that is far from all points of a code.
- A variation is a start made from a code of the pool: some points of the code are moved into holes.
- To screen starts is to anneal them to a moderate inverse temperature, the attribute `last` of the `DescentBackend`,
  and to add the results to the pool.
- A batch is a list of starts that are annealed together.
- A code is finished if it was annealed to the highest inverse temperature, 1e6. A code of K points that the caller gave
  counts as finished, too.
- An epoch is a part of the search that begins with an empty pool. A search has one epoch, or three if n is at most 3.
- A thrifty search ends early if a lower maximum cosine is unlikely to be found.

The phases of a search are:

1. Sprints: if the search has a target, it begins with one or two very short descents from random points.
2. Race: one brief descent is made from each arm. The results rank the arms. The best results are then annealed further.
3. Screening: many batches of starts are screened. A batch consists of starts from the arms, of variations, or of
   symmetric codes, which are unions of orbits of a symmetry group.
4. Finishing: the best codes are annealed to the inverse temperature 1e6.
5. Polishing: Newton's method computes the best codes to the last digits.
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

RACE_END = 0.4
"""Fraction of the budget at which the race ends, even if no descent has been made from some arms."""

EXPLORATION_END = 0.35
"""Fraction of the budget at which variations begin in a search with one epoch.

In a search with several epochs, variations begin after the fraction EXPLORATION_END / VARIATION_END of each epoch.
"""

VARIATION_END = 0.8
"""Fraction of the budget at which the last epoch ends."""

FINISHING_END = 0.95
"""Fraction of the budget at which the phase of finishing ends."""

RACE_RANDOM_TEMPERATURE = 10.0
"""First inverse temperature of random points in the race."""

RACE_GIVEN_TEMPERATURE = 25.0
"""Factor of `BanditSearch.nearness` in the first inverse temperature of given codes in the race.

A lower inverse temperature would destroy the codes.
"""

RACE_LAST_TEMPERATURE = 1200.0
"""Factor of `BanditSearch.nearness` in the last inverse temperature of the race."""

RACE_STEPS = 15
"""Largest number of evaluations at each inverse temperature of the race."""

SPRINT_LAST_TEMPERATURE = 300.0
"""Last inverse temperature of the short descents with which a search for a target begins."""

# First temperatures of the best codes of the race, which are annealed further.
DEEPEN_RANDOM_TEMPERATURE = 12.0
DEEPEN_GIVEN_TEMPERATURE = 25.0

HIGH_NEARNESS = 50.0
"""Value of `BanditSearch.nearness` above which some first inverse temperatures are proportional to the nearness."""

# Lowest first temperatures of new starts, and the ratio of the highest to the lowest.
EXPLORE_RANDOM_TEMPERATURE = 5.0
EXPLORE_GIVEN_TEMPERATURE = 8.0
EXPLORE_TEMPERATURE_RATIO = 10.0

SCREENING_STEPS = 100
"""Largest number of evaluations at each inverse temperature while a start is screened."""

FINISHED_TEMPERATURE = 1e6
"""Inverse temperature at which a code has practically converged."""

FINISHING_START_TEMPERATURE = 1e3
"""First inverse temperature while `finish` anneals a code."""

FINISHING_STEPS = 200
"""Largest number of evaluations at each inverse temperature while `finish` anneals a code."""

POLISHING_SHARE = 0.05
"""Fraction of the budget that Newton's method may use for a code, even if the other phases have used the budget."""

MIN_POLISHING_PRODUCTS = 1e9
"""Number of multiplications that Newton's method may use for a code even if this exceeds POLISHING_SHARE."""

OF_ORBITS = ("symmetric", "parent")
"""Names of the initializations that draw codes with a symmetry group."""

ORBIT_SHARES = (0.5, 0.7, 0.3)
"""Fractions of the budget used by the screening that symmetric codes may use.

The first applies to the first half of the budget. Afterward, the second applies if the best code came from a symmetric
code, and the third if it did not.
"""

FREED_GAIN = 1e-6
"""Smallest decrease of the lowest maximum cosine by a symmetric code that is then annealed without its symmetry."""

FREED_SHAKE = 0.01
"""Approximate length by which points of a symmetric code are moved, at most, before screening without the symmetry."""


@dataclass
class Arm:
    """A source of initial points of descents: random points, or a given code.

    Attributes:
        initialization: Text that says where the points come from, such as "random", "given" (by the caller) or
            "catalogue" (stored from an earlier search).
        code: The given code, with any number of points and dimensions. None if there is no given code, for example if
            the points are random.
        value: The lowest maximum cosine of all codes that descents from this arm have found. Infinity before the first
            descent.
    """

    initialization: str
    code: Points | None = None
    value: float = float("inf")


@dataclass
class BanditSearch:
    """The state of a search, with methods that run parts of its phases.

    An arm is a source of initial points: random points, or a given code. A start is one set of K initial points. The
    pool is the list of the codes with the lowest maximum cosines so far. To anneal is to descend at one inverse
    temperature after another, in ascending order. The inverse temperature is the number by which the minimized function
    multiplies the cosines. To screen starts is to anneal them to the inverse temperature `backend.last`, and to add the
    results to the pool. An epoch is a part of the search that begins with an empty pool. A code is finished if it was
    annealed to the inverse temperature 1e6, or if it has K points and the caller gave it.

    Attributes:
        num_points: Number K of points.
        dim: Dimension n.
        rng: Random generator for all starts.
        backend: Object that runs the descents.
        initializations: Names of the methods by which starts are made: some of "random", "symmetric", "refilled" and
            "parent".
        polishes: If True, the search ends by applying Newton's method to the best codes. If False, this phase is left
            out.
        target: The search ends when the maximum cosine of a code is at most this number.
        floor: A lower bound on the maximum cosine of any K points in R^n.
        thrifty: If True, the search ends early if a lower maximum cosine is unlikely to be found. If False, it does not
            end for this reason.
        arms: Random points and given codes, from which starts are drawn.
        starts: For each source of initial points, such as "random" or "given", the count of descents from such points
            so far.
        orbits: The search among symmetric codes, which are unions of orbits of a symmetry group. None means that
            symmetric codes are not searched.
        screening_from: Fraction of the budget that was used when the screening began.
        budget: The limit on the number of evaluations and on the time, with the amounts used so far.
        pool: The codes with the lowest maximum cosines so far.
        screening_finishes: True if screening anneals to an inverse temperature of at least 1e6, so that screened codes
            are finished. Otherwise False.
        screening_share: Fraction of the budget at which the screening ends.
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
        """The number 1 / (1 - c), where c is the lowest maximum cosine in the pool, or 0.5 if the pool is empty.

        The number is at most 10^6. The closer the closest points of a code are, the higher are the inverse temperatures
        that its descents need. Therefore the search multiplies some of its inverse temperatures by this number.
        """
        value = self.pool.best.value if self.pool else 0.5
        return 1 / (1 - min(value, 1 - 1e-6))

    @property
    def epochs_used(self) -> float:
        """The count of epochs that are over, plus the fraction of the current epoch that is over.

        An epoch is a part of the search that begins with an empty pool of codes. All epochs together have 80% of the
        budget (`VARIATION_END`), in equal parts. After the last epoch, the value keeps growing.
        """
        return self.budget.share / VARIATION_END * self.backend.epochs

    @property
    def is_varying(self) -> bool:
        """Whether more than 7/16 of the current epoch is over, so that its later part has begun.

        An epoch is a part of the search that begins with an empty pool of codes. In its later part, the starts of
        descents include codes of the pool in which some points were moved.
        """
        within_epoch = self.epochs_used % 1
        return within_epoch * VARIATION_END > EXPLORATION_END

    def begin_epochs(self) -> None:
        """Begin a new epoch if the current epoch is over and the pool of the best codes is not empty.

        An epoch is a part of the search that begins with an empty pool of codes. The code of the pool with the lowest
        maximum cosine is moved to the list `pool.earlier`, and the other codes of the pool are discarded. Then the
        method `explore` makes codes for the new pool.
        """
        is_due = self.epochs_used >= len(self.pool.earlier) + 1
        if is_due and self.pool:
            self.pool.earlier.append(self.pool.best)
            self.pool.codes = []
            self.explore()

    def add_code(self, points: Points, initialization: str) -> None:
        """Add a code to the arms, which are the sources of initial points, unless an arm already has the same code.

        A code of K points in at most n dimensions is also added to the pool of the best codes, with zeros as missing
        coordinates.

        Args:
            points: The code, with any number of points and dimensions.
            initialization: Where the code comes from: "given" (by the caller) or "catalogue" (stored from an earlier
                search).
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
        """Make one very short descent from random points, and add the result to the pool.

        Args:
            patience: Factor of the limit on evaluations: at most `patience` times `backend.sprint_steps` evaluations
                are made at each inverse temperature.
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
        """Make one brief descent from each arm (random points or a given code), and add the results to the pool.

        When 40% of the budget is used (`RACE_END`), no further descents are begun.
        """
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
        """Continue the descents of the best unfinished codes of the pool, and add the results to the pool.

        A code is unfinished if it was not annealed to the inverse temperature 1e6. As many of these codes as the budget
        allows form one batch: they are annealed together to the inverse temperature `backend.last`.
        """
        leaders = self.pool.unfinished[: self._affordable_starts()]
        if not leaders:
            return
        arms = [Arm(code.initialization) for code in leaders]
        starts = [code.points for code in leaders]
        first = np.array([_deepening_temperature(code) for code in leaders])
        first *= max(1.0, self.nearness / HIGH_NEARNESS)
        self._screen(arms, starts, first)

    def explore(self) -> None:
        """Draw one batch of starts from the arms, anneal them, and add the results to the pool.

        The starts are annealed together to the inverse temperature `backend.last`. An arm is random points or a given
        code. Arms that led to lower maximum cosines are drawn more often. If there are no arms, `explore_orbits` is
        called.
        """
        if not self.arms:
            self.explore_orbits()
            return
        arms = self._draw_arms()
        starts = [self._start(arm) for arm in arms]
        lowest = np.array([_exploring_temperature(arm) for arm in arms])
        ratios = EXPLORE_TEMPERATURE_RATIO ** self.rng.random(len(arms))
        self._screen(arms, starts, lowest * ratios)

    def _draw_arms(self) -> list[Arm]:
        # The probability of an arm decreases exponentially with its rank; the arm with the lowest `value` has rank 0.
        ranked = sorted(self.arms, key=lambda arm: arm.value)
        breadth = self.backend.breadth
        ranks = self.rng.exponential(breadth, self._affordable_starts())
        worst = len(ranked) - 1
        return [ranked[min(worst, int(rank))] for rank in ranks.astype(int)]

    def vary(self) -> None:
        """Anneal one batch of variations of codes of the pool, and add the results to the pool.

        A variation is a code in which some points were moved into holes, places on the sphere that are far from all
        points. Codes with a lower maximum cosine are varied more often.
        """
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
        left = self.budget.left(self.screening_share, self.backend.workers)
        affordable = left / self.backend.screening  # few if the budget is nearly used
        return int(max(1, min(self.backend.batch, affordable)))

    def _start(self, arm: Arm) -> Points:
        if arm.code is None:
            return self.rng.standard_normal((self.num_points, self.dim))
        start = resize(arm.code, self.num_points, self.dim, self.rng)
        size = 10 ** self.rng.uniform(-2.5, -0.5) / np.sqrt(self.dim)
        return start + size * self.rng.standard_normal(start.shape)

    def _screen(self, arms: list[Arm], starts: list[Points], first: Points) -> None:
        # start i comes from arms[i], and its first inverse temperature is first[i]
        found = self.backend.descend(
            starts, first, self.backend.last, SCREENING_STEPS, self.screening_share
        )
        self._admit_all(arms, found, self.screening_finishes)

    @property
    def is_orbit_turn(self) -> bool:
        """Whether the next batch of starts that are annealed together consists of symmetric codes.

        A symmetric code is a union of orbits of a symmetry group. If symmetric codes are not searched, the value is
        False. Otherwise, the value is True if symmetric codes have used at most the fraction r of that part of the
        budget that was used since the screening began. There are three cases:

        - At most half of the budget is used: r = 0.5.
        - More than half is used, and the best code of the pool came from a symmetric code: r = 0.7.
        - More than half is used, and the best code of the pool came from another start: r = 0.3.
        """
        if self.orbits is None:
            return False
        is_late = self.budget.share > 0.5
        is_ahead = self.pool.best.initialization.startswith(OF_ORBITS)
        early, ahead, behind = ORBIT_SHARES
        share = (ahead if is_ahead else behind) if is_late else early
        return self.orbits.share <= share * (self.budget.share - self.screening_from)

    def explore_orbits(self) -> None:
        """Anneal one batch of symmetric codes, and add results to the pool, the list of the best codes.

        A symmetric code is a union of orbits of a symmetry group. There are three cases:

        - A result with K points is added to the pool.
        - A result has more than K points, and its maximum cosine is below those of all codes of the pool: surplus
          points are removed until K points are left, and these K points are added to the pool.
        - Any other result with more than K points is ignored.

        If the best result has a maximum cosine more than 1e-6 below those of all earlier symmetric codes, it is also
        annealed without its symmetry, so that each point moves freely. If no symmetry for K points in R^n is found, the
        search among symmetric codes ends.
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
        # without the surplus points of the code
        kept = resize(code.points, self.num_points, self.dim, self.rng, caps=False)
        size = FREED_SHAKE * self.rng.random() ** 2 / np.sqrt(self.dim)
        start = kept + size * self.rng.standard_normal(kept.shape)
        lowest, highest = self.backend.variation
        first = lowest * (highest / lowest) ** self.rng.random(1)
        self._screen([Arm(code.label)], [start], first)

    def _admit_all(
        self, arms: list[Arm], found: list[Points], finished: bool = False
    ) -> None:
        for arm, points in zip(arms, found, strict=True):  # found[i] is from arms[i]
            value = max_cosine(points)
            arm.value = min(arm.value, value)
            code = ScreenedCode(value, points, arm.initialization, finished)
            self.pool.admit(code)
            without_group = arm.initialization.partition(" (")[0]
            self.starts[without_group] += 1
        self.budget.starts += len(found)

    def finish(self, candidate: ScreenedCode, steps: int = FINISHING_STEPS) -> None:
        """Anneal a code of the pool to the inverse temperature 1e6, and mark the code as finished.

        To anneal a code is to descend from it at one inverse temperature after another. If this raises the maximum
        cosine, the points of the code do not change.

        Args:
            candidate: The code, which is replaced in the pool by the result.
            steps: Largest number of evaluations at each inverse temperature.
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
        """Apply Newton's method to a code of the pool, in order to lower its maximum cosine.

        Args:
            candidate: The code, which is replaced in the pool by the result.
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
