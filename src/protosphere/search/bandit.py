"""The search for the best code: many cheap descents from starts of several kinds, the best of them varied and finished.

Every kind of start, and every code the caller gives, is an arm of a bandit: each is tried, then those that have led
furthest are tried more often. Meanwhile the best codes found have points moved into their holes and descend again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from protosphere.geometry.gram import max_cosine
from protosphere.search.arrangements import Arrangement, random_arrangement
from protosphere.search.budget import Budget
from protosphere.search.descent_backend import DescentBackend
from protosphere.search.polish import polish_code
from protosphere.search.starts import refill, resize
from protosphere.types import Points

EXPLORE, VARY = 0.35, 0.85
"""Shares of the budget at which varying the best codes takes over from new ones, and finishing from that."""

OVERDRAFT = 1.1
"""Share of the budget at which finishing stops wherever it is."""

STEPS = 100
"""Evaluations at each temperature while a start is screened."""

FIRST_TRIES = 4
"""Starts from a given code before it is known where it leads: with whole batches a short search would not try all."""

SPRINT_LAST = 300.0
"""Last temperature of the quick descents that a search with a target begins with."""

POOL = 12
SAME = 1e-6
"""Relative difference of values below which two codes count as one."""


@dataclass
class Arm:
    """A kind of start, or a code to start from, and how low it has led."""

    kind: str
    code: Points | None = None
    arrangement: Arrangement | None = None
    value: float = float("inf")


@dataclass(frozen=True, eq=False)
class ScreenedCode:
    """A code after a brief descent: its largest cosine, its points, and the kind of start it came from."""

    value: float
    points: Points
    kind: str
    finished: bool = False
    polished: bool = False


@dataclass
class BanditSearch:
    """The state of a search: its budget, its arms and the best codes so far, best first."""

    num_points: int
    dim: int
    rng: np.random.Generator
    budget: Budget
    backend: DescentBackend
    arms: list[Arm] = field(default_factory=list[Arm])
    pool: list[ScreenedCode] = field(default_factory=list[ScreenedCode])
    tried: dict[str, int] = field(default_factory=dict[str, int])
    earlier: list[ScreenedCode] = field(default_factory=list[ScreenedCode])

    @property
    def varying(self) -> bool:
        """Whether enough was explored: good codes are varied from now on, until the pool is emptied for a new epoch."""
        within = self.budget.share / VARY * self.backend.epochs % 1
        return within * VARY > EXPLORE

    def begin_epochs(self) -> None:
        """Where a new epoch is due, the best code is put aside and the pool is emptied: it may be in a dead end."""
        if self.budget.share / VARY * self.backend.epochs >= len(self.earlier) + 1 and self.pool:
            self.earlier.append(self.pool[0])
            self.pool = []
            self.explore()

    def recall(self) -> None:
        """Put the codes of earlier epochs into the pool again."""
        for candidate in self.earlier:
            self.admit(candidate)

    def admit(self, found: ScreenedCode) -> None:
        """Put a code into the pool, unless the pool has one of the same value or is full of better ones."""
        rivals = [other for other in self.pool if abs(other.value - found.value) > SAME * abs(found.value) + 1e-9]
        same = [other for other in self.pool if other not in rivals]
        winner = min([*same, found], key=lambda other: (not other.polished, other.value))
        self.pool = sorted([*rivals, winner], key=lambda other: other.value)[:POOL]
        self.budget.best = self.pool[0].value

    def take(self, points: Points, kind: str) -> None:
        """Start from the caller's points: as an arm and, if their size fits, as they are."""
        self.arms.append(Arm(kind, points))
        if len(points) == self.num_points and points.shape[1] <= self.dim:
            start = resize(points, self.num_points, self.dim, self.rng)
            self.admit(ScreenedCode(max_cosine(start), start, kind, finished=True))

    def sprint(self, patience: int) -> None:
        """One random start with few evaluations, `patience` times the fewest: enough where the target is modest."""
        first, steps = self.backend.sprint
        start = self.rng.standard_normal((self.num_points, self.dim))
        hurry = self.backend.descend([start], np.full(1, first), SPRINT_LAST, patience * steps, self.budget, VARY)
        self._admit_all("random", hurry)

    def explore(self) -> None:
        """One batch from an untried arm, or from one of those that led furthest."""
        untried = [arm for arm in self.arms if arm.value == float("inf")]
        ranked = sorted(self.arms, key=lambda arm: arm.value)
        arm = untried[0] if untried else ranked[min(len(ranked) - 1, int(self.rng.exponential(3)))]
        if arm.kind == "symmetric":
            arm.value = min(arm.value, self._symmetric())
        elif arm.code is not None:
            tries = min(self.backend.batch, FIRST_TRIES) if untried else self.backend.batch
            starts = [self._near(arm.code) for _ in range(tries)]
            arm.value = min(arm.value, self._screen(arm.kind, starts, 8, 80))
        else:
            starts = list(self.rng.standard_normal((self.backend.batch, self.num_points, self.dim)))
            arm.value = min(arm.value, self._screen(arm.kind, starts, 5, 50))

    def vary(self) -> None:
        """One batch of the best codes with points moved into holes."""
        ranks = np.minimum(self.rng.exponential(2, self.backend.batch).astype(int), len(self.pool) - 1)
        chosen = [self.pool[int(rank)] for rank in ranks]
        starts = [refill(one.points, self.rng) for one in chosen]
        self._screen(f"{chosen[0].kind.removesuffix(', refilled')}, refilled", starts, *self.backend.variation)

    def _near(self, code: Points) -> Points:
        start = resize(code, self.num_points, self.dim, self.rng)
        size = 10 ** self.rng.uniform(-2.5, -0.5) / np.sqrt(self.dim)
        return start + size * self.rng.standard_normal(start.shape)

    def _screen(self, kind: str, starts: list[Points], coolest: float, hottest: float) -> float:
        """Descend briefly from log-uniform first temperatures, and put the results into the pool; the lowest value."""
        first = np.exp(self.rng.uniform(np.log(coolest), np.log(hottest), len(starts)))
        found = self.backend.descend(starts, first, self.backend.last, STEPS, self.budget, VARY)
        return self._admit_all(kind, found)

    def _symmetric(self) -> float:
        """A batch of starts on orbits of one group."""
        arrangement = self._arrangement()
        if arrangement is None:
            return float("inf")
        batch = min(8, self.backend.batch)
        starts = arrangement.random_representatives(batch, self.rng)
        first = np.exp(self.rng.uniform(np.log(5), np.log(50), batch))
        found = self.backend.descend_orbits(arrangement, starts, first, self.backend.last, STEPS, self.budget, VARY)
        return self._admit_all(f"symmetric ({arrangement.name})", found)

    def _admit_all(self, kind: str, found: list[Points]) -> float:
        values = [max_cosine(points) for points in found]
        for value, points in zip(values, found, strict=True):
            self.admit(ScreenedCode(value, points, kind))
        self.budget.starts += len(found)
        name = kind.partition(" (")[0]
        self.tried[name] = self.tried.get(name, 0) + len(found)
        return min(values)

    def _arrangement(self) -> Arrangement | None:
        for _ in range(50):
            drawn = random_arrangement(self.num_points, self.dim, self.rng)
            if drawn is not None and sum(drawn.counts) <= 0.6 * self.num_points + 1:
                return drawn
        return None

    def finish(self, candidate: ScreenedCode) -> None:
        """Descend on up to temperature 1e6; the result takes the place of the candidate."""
        [points] = self.backend.descend([candidate.points], np.full(1, 1e3), 1e6, 200, self.budget, OVERDRAFT)
        if max_cosine(points) > candidate.value:
            points = candidate.points
        self._replace(candidate, replace(candidate, value=max_cosine(points), points=points, finished=True))

    def polish(self, candidate: ScreenedCode) -> None:
        """Polish by Newton's method; the result takes the place of the candidate."""
        points, value = polish_code(candidate.points)
        self._replace(candidate, ScreenedCode(value, points, candidate.kind, finished=True, polished=True))

    def _replace(self, old: ScreenedCode, new: ScreenedCode) -> None:
        self.pool = [other for other in self.pool if other is not old]
        self.admit(new)
