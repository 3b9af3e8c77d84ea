"""The search for the best code: many cheap descents of several kinds, the best few finished and polished."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from protosphere.geometry.gram import max_cosine
from protosphere.geometry.sphere import normalized
from protosphere.optimize.arrangements import Arrangement, random_arrangement
from protosphere.optimize.budget import Budget
from protosphere.optimize.descent import annealed, largest_cosines
from protosphere.optimize.energy import Orbits
from protosphere.optimize.polish import polished
from protosphere.optimize.starts import fitted, shaken
from protosphere.types import Points

if TYPE_CHECKING:
    from torch import Tensor

EXPLORE = 0.75
"""Share of the budget for screening starts; the rest finishes the best of them."""

LAST, FACTOR, STEPS = 3e3, 5.0, 150
"""How a start is screened: the last temperature, from one to the next, and evaluations at each."""

OVERDRAFT = 1.1
"""Share of the budget at which finishing stops wherever it is."""

POLISH_ALL = 400
"""K n up to which every finished code is polished; of larger ones only the winner is."""

POOL = 12
BATCH_ENTRIES = 1 << 17
"""Gram entries of one batch: enough to keep the overhead of a step small, little enough to stay in cache."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A screened code."""

    value: float
    points: Points
    kind: str
    arrangement: Arrangement | None = None
    finished: bool = False


@dataclass
class Search:
    """The state of a search: its budget and the best codes so far, best first."""

    num_points: int
    dim: int
    rng: np.random.Generator
    budget: Budget
    device: str
    pool: list[Candidate] = field(default_factory=list[Candidate])
    given: list[Points] = field(default_factory=list[Points])
    tried: dict[str, int] = field(default_factory=dict[str, int])

    def admit(self, found: Candidate) -> None:
        """Into the pool, unless it is as good as another there already or the pool is full of better ones."""
        rivals = [other for other in self.pool if abs(other.value - found.value) > 1e-6 * abs(found.value) + 1e-9]
        same = [other for other in self.pool if other not in rivals]
        winner = min([*same, found], key=lambda other: other.value)
        self.pool = sorted([*rivals, winner], key=lambda other: other.value)[:POOL]
        self.budget.best = self.pool[0].value

    def tensor(self, array: NDArray[np.float64]) -> Tensor:
        """The array where the work is done."""
        import torch

        return torch.as_tensor(array, device=self.device, dtype=torch.float64)

    def batch_size(self, representatives: int) -> int:
        """How many starts to descend together."""
        return int(min(16, max(1, BATCH_ENTRIES // (representatives * self.num_points))))

    def temperatures(self, batch: int) -> Tensor:
        """First temperatures, log-uniform from 5 to 50: the choice that matters most, so no single one is trusted."""
        return self.tensor(np.exp(self.rng.uniform(np.log(5), np.log(50), batch)))

    def screen(self, kind: str) -> None:
        """One batch of starts of a kind, descended in a hurry; the best enters the pool."""
        start, arrangement, first = self._starts(kind)
        orbits = Orbits((self.num_points,)) if arrangement is None else arrangement.orbits(self.device)
        found = annealed(
            orbits,
            self.tensor(start),
            first,
            last=LAST,
            factor=FACTOR,
            steps=STEPS,
            budget=self.budget,
            limit=EXPLORE,
        )
        points = orbits.points(found)
        values = largest_cosines(points)
        self.budget.starts += len(start)
        self.tried[kind] = self.tried.get(kind, 0) + len(start)
        winner = int(values.argmin())
        self.admit(Candidate(float(values[winner]), normalized(points[winner].cpu().numpy()), kind, arrangement))

    def _starts(self, kind: str) -> tuple[NDArray[np.float64], Arrangement | None, Tensor]:
        batch = self.batch_size(self.num_points)
        if kind == "symmetric":
            arrangement = self._arrangement()
            if arrangement is not None:
                batch = self.batch_size(sum(arrangement.counts))
                return arrangement.random_representatives(batch, self.rng), arrangement, self.temperatures(batch)
        if kind == "given":
            chosen = [self.given[int(self.rng.integers(len(self.given)))] for _ in range(batch)]
            start = np.stack([fitted(one, self.num_points, self.dim, self.rng) for one in chosen])
            start += 0.02 / np.sqrt(self.dim) * self.rng.standard_normal(start.shape)
            return start, None, self.tensor(np.exp(self.rng.uniform(np.log(20), np.log(2000), batch)))
        if kind == "shaken" and self.pool:
            chosen = [self.pool[int(self.rng.integers(min(4, len(self.pool))))] for _ in range(batch)]
            start = np.stack([shaken(one.points, self.rng) for one in chosen])
            return start, None, 10 * self.temperatures(batch)
        start = self.rng.standard_normal((batch, self.num_points, self.dim))
        return start, None, self.temperatures(batch)

    def _arrangement(self) -> Arrangement | None:
        """A new one, or again one of those in the pool."""
        good = [one.arrangement for one in self.pool if one.arrangement is not None]
        if good and self.rng.random() < 0.4:
            return good[int(self.rng.integers(len(good)))]
        for _ in range(50):
            drawn = random_arrangement(self.num_points, self.dim, self.rng)
            if drawn is not None and sum(drawn.counts) <= 0.6 * self.num_points + 1:
                return drawn
        return None

    def take(self, points: Points) -> None:
        """The caller's points as they are if they fit, and in any case as something to start from.

        As they are they count as finished: mostly they are local optima, and finishing them again would cost what the
        other starts need.
        """
        self.given.append(points)
        if len(points) == self.num_points and points.shape[1] <= self.dim:
            start = fitted(points, self.num_points, self.dim, self.rng)
            self.admit(Candidate(max_cosine(start), start, "given", finished=True))

    def finish(self, candidate: Candidate, polish: bool) -> None:
        """All symmetry released, the temperature taken up to 1e6, then Newton: what comes out replaces what went in."""
        start = self.tensor(candidate.points[None])
        first = self.tensor(np.full(1, 1e3))
        found = annealed(
            Orbits((self.num_points,)),
            start,
            first,
            last=1e6,
            factor=5.0,
            steps=200,
            budget=self.budget,
            limit=OVERDRAFT,
        )
        points = normalized(found[0].cpu().numpy())
        if max_cosine(points) > candidate.value:
            points = candidate.points
        quick = polish and points.size <= POLISH_ALL
        points, value = polished(points) if quick else (points, max_cosine(points))
        self.pool = [other for other in self.pool if other is not candidate]
        self.admit(Candidate(value, points, candidate.kind, candidate.arrangement, finished=True))
