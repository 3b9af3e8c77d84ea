"""The search for the best code: many cheap descents from starts of several kinds, the best of them varied and finished.

Every kind of start, and every code the caller gives, is an arm of a bandit: a race tries each in a hurry, then those
that led furthest are tried more often. Meanwhile the best codes have points moved into their holes and descend again.
"""

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np

from protosphere.geometry.gram import max_cosine
from protosphere.search.arrangements import random_arrangement
from protosphere.search.descent_backend import DescentBackend
from protosphere.search.polish import Allowance, polish_code
from protosphere.search.pool import CodePool, ScreenedCode
from protosphere.search.starts import refill, resize
from protosphere.types import Points

RACE, EXPLORE, VARY, FINISH = 0.4, 0.35, 0.8, 0.95
"""Shares of the budget at which the race ends, varying the best codes takes over from new ones, finishing from that,
and polishing from that."""

RACE_RANDOM, RACE_GIVEN, RACE_LAST, RACE_STEPS = 10.0, 25.0, 1200.0, 15
"""First temperatures of the race, of random starts and, times the nearness of points, of codes given, which hotter ones
would melt; its last, times nearness; and evaluations at each."""

SPRINT_LAST = 300.0
"""Last temperature of the quick descents that a search with a target begins with."""

DEEPEN_RANDOM, DEEPEN_GIVEN = 12.0, 25.0
"""First temperatures of the leaders of the race."""

NEAR = 50.0
"""Nearness of points above which first temperatures rise with it."""

# lowest first temperatures of new starts
EXPLORE_RANDOM = 5.0
EXPLORE_GIVEN = 8.0
EXPLORE_SPREAD = 10.0  # how many times that the highest is

STEPS = 100
"""Evaluations at each temperature while a start is screened."""

FINISHED = 1e6  # the temperature at which a code is as good as at rest
FINISHING_STEPS = 200  # evaluations at each on the way there
POLISHING = 0.05  # share of the budget for Newton's method, also beyond all of it
QUICK_POLISH = 1e9  # products that it may take in any case


@dataclass
class Arm:
    """A kind of start, or a code to start from, and how low it has led."""

    kind: str
    code: Points | None = None
    value: float = float("inf")


@dataclass
class BanditSearch:
    """The state of a search: what it is after, as of `search_code`, its budget, its arms and the best codes so far."""

    num_points: int
    dim: int
    rng: np.random.Generator
    backend: DescentBackend
    kinds: tuple[str, ...]
    polishes: bool
    target: float
    floor: float
    thrifty: bool
    arms: list[Arm] = field(default_factory=list[Arm])
    tried: Counter[str] = field(default_factory=Counter[str])
    explored: bool = False

    def __post_init__(self) -> None:
        self.budget, self.pool = self.backend.budget, CodePool(self.backend.budget)
        self.screens_to_the_end = (
            self.backend.last >= FINISHED
        )  # a screened code is a finished one
        # of the budget
        if self.screens_to_the_end:
            self.screening_share = FINISH
        else:
            self.screening_share = VARY

    @property
    def nearness(self) -> float:
        """How near to 1 the largest cosine is: one over the difference."""
        return 1 / (1 - min(self.pool.best.value if self.pool else 0.5, 1 - 1e-6))

    @property
    def varying(self) -> bool:
        """Whether enough was explored: good codes are varied from now on, until the pool is emptied for a new epoch."""
        within = self.budget.share / VARY * self.backend.epochs % 1
        return within * VARY > EXPLORE

    def begin_epochs(self) -> None:
        """Where a new epoch is due, put the best code aside and forget the others, which may be in a dead end."""
        if (
            self.budget.share / VARY * self.backend.epochs >= len(self.pool.earlier) + 1
            and self.pool
        ):
            self.pool.earlier.append(self.pool.best)
            self.pool.codes = []
            self.explore()

    def take(self, points: Points, kind: str) -> None:
        """Start from the caller's points: as an arm, unless they are one, and, if their size fits, as they are."""
        if any(
            arm.code is not None and np.array_equal(arm.code, points)
            for arm in self.arms
        ):
            return
        self.arms.append(Arm(kind, points))
        if len(points) == self.num_points and points.shape[1] <= self.dim:
            start = resize(points, self.num_points, self.dim, self.rng)
            self.pool.admit(ScreenedCode(max_cosine(start), start, kind, finished=True))

    def sprint(self, patience: int) -> None:
        """One random start with few evaluations, `patience` times the fewest: enough where the target is modest."""
        first, steps = self.backend.sprint
        start = self._start(Arm("random"))
        as_tensors = self.backend.sprints_as_tensors
        found = self.backend.descend(
            [start], np.full(1, first), SPRINT_LAST, patience * steps, VARY, as_tensors
        )
        self._admit_all([Arm("random")], found)

    def race(self) -> None:
        """A few evaluations from a random start and from every code given, while their share of the budget lasts."""
        arms = sorted(
            (arm for arm in self.arms if arm.kind != "symmetric"),
            key=lambda arm: arm.code is not None,
        )
        nearness = self.nearness
        random = RACE_RANDOM * max(1.0, nearness / NEAR)
        given = RACE_GIVEN * nearness
        for begin in range(0, len(arms), self.backend.batch):
            if self.budget.share >= RACE:
                break
            batch = arms[begin : begin + self.backend.batch]
            starts = [self._start(arm) for arm in batch]
            first = np.array([random if arm.code is None else given for arm in batch])
            found = self.backend.descend(
                starts, first, RACE_LAST * nearness, RACE_STEPS, RACE
            )
            self._admit_all(batch, found)

    def deepen(self) -> None:
        """Anneal the leaders of the race with all the evaluations of a screening."""
        leaders = self.pool.unfinished[: self._affordable_starts()]
        if leaders:
            first = np.array(
                [
                    DEEPEN_RANDOM if one.kind == "random" else DEEPEN_GIVEN
                    for one in leaders
                ]
            )
            first *= max(1.0, self.nearness / NEAR)
            self._screen(
                [Arm(one.kind) for one in leaders],
                [one.points for one in leaders],
                first,
            )

    def explore(self) -> None:
        """One batch, each start from an arm drawn from those that led furthest."""
        arm = next((arm for arm in self.arms if arm.kind == "symmetric"), None)
        ranked = sorted(self.arms, key=lambda arm: arm.value)
        ranks = self.rng.exponential(
            self.backend.breadth, self._affordable_starts()
        ).astype(int)
        drawn = [ranked[min(len(ranked) - 1, int(rank))] for rank in ranks]
        if arm is not None and (
            drawn[0] is arm or (self.explored and arm.value == float("inf"))
        ):
            self._explore_symmetric(arm)
            return
        drawn = [one for one in drawn if one is not arm]
        starts = [self._start(one) for one in drawn]
        coolest = np.array(
            [EXPLORE_RANDOM if one.code is None else EXPLORE_GIVEN for one in drawn]
        )
        self._screen(
            drawn, starts, coolest * EXPLORE_SPREAD ** self.rng.random(len(drawn))
        )
        self.explored = True

    def vary(self) -> None:
        """One batch of the best codes with points moved into holes."""
        codes = self.pool.codes
        ranks = np.minimum(
            self.rng.exponential(2, self._affordable_starts()).astype(int),
            len(codes) - 1,
        )
        chosen = [codes[int(rank)] for rank in ranks]
        starts = [refill(one.points, self.rng) for one in chosen]
        coolest, hottest = self.backend.variation
        first = coolest * (hottest / coolest) ** self.rng.random(len(chosen))
        self._screen(
            [Arm(f"{one.kind.removesuffix(', refilled')}, refilled") for one in chosen],
            starts,
            first,
        )

    def _affordable_starts(self) -> int:
        """A batch, or as many as there is budget for, at least one."""
        left = self.budget.left(self.screening_share, self.backend.workers)
        return int(max(1, min(self.backend.batch, left / self.backend.screening)))

    def _start(self, arm: Arm) -> Points:
        """A random one, or one near the arm's code."""
        if arm.code is None:
            return self.rng.standard_normal((self.num_points, self.dim))
        start = resize(arm.code, self.num_points, self.dim, self.rng)
        size = 10 ** self.rng.uniform(-2.5, -0.5) / np.sqrt(self.dim)
        return start + size * self.rng.standard_normal(start.shape)

    def _screen(self, arms: list[Arm], starts: list[Points], first: Points) -> None:
        """Anneal the starts and put the results into the pool, each for its arm."""
        found = self.backend.descend(
            starts, first, self.backend.last, STEPS, self.screening_share
        )
        self._admit_all(arms, found, self.screens_to_the_end)

    def _explore_symmetric(self, arm: Arm) -> None:
        """A batch of starts on orbits of one group; random ones take their place where there is none."""
        drawn = (
            random_arrangement(self.num_points, self.dim, self.rng) for _ in range(50)
        )
        few_orbits = (
            one
            for one in drawn
            if one is not None and sum(one.counts) <= 0.6 * self.num_points + 1
        )
        arrangement = next(few_orbits, None)
        if arrangement is None:
            arm.kind = "random"
            return
        batch = min(8, self.backend.batch)
        share = self.screening_share
        starts = arrangement.random_representatives(batch, self.rng)
        first = EXPLORE_RANDOM * EXPLORE_SPREAD ** self.rng.random(batch)
        found = self.backend.descend_orbits(
            arrangement, starts, first, self.backend.last, STEPS, share
        )
        named = Arm(f"symmetric ({arrangement.name})")
        self._admit_all([named] * len(found), found, self.screens_to_the_end)
        arm.value = min(arm.value, named.value)

    def _admit_all(
        self, arms: list[Arm], found: list[Points], finished: bool = False
    ) -> None:
        """Put codes into the pool, each for its arm."""
        for arm, points in zip(arms, found, strict=True):
            value = max_cosine(points)
            arm.value = min(arm.value, value)
            self.pool.admit(ScreenedCode(value, points, arm.kind, finished))
            self.tried[arm.kind.partition(" (")[0]] += 1
        self.budget.starts += len(found)

    def finish(self, candidate: ScreenedCode, steps: int = FINISHING_STEPS) -> None:
        """Descend on up to the temperature `FINISHED`; the result takes the place of the candidate."""
        [points] = self.backend.descend(
            [candidate.points], np.full(1, 1e3), FINISHED, steps, FINISH
        )
        if max_cosine(points) > candidate.value:
            points = candidate.points
        self.pool.replace(
            candidate,
            replace(candidate, value=max_cosine(points), points=points, finished=True),
        )

    def polish(self, candidate: ScreenedCode) -> None:
        """Polish by Newton's method; the result takes the place of the candidate."""
        evaluations = min(
            self.budget.left(1 + POLISHING, 1), POLISHING * self.budget.iterations
        )
        allowance = Allowance(
            max(evaluations * self.budget.products, QUICK_POLISH), self.budget.expired
        )
        points, value = polish_code(candidate.points, allowance)
        self.pool.replace(
            candidate,
            ScreenedCode(value, points, candidate.kind, finished=True, polished=True),
        )
