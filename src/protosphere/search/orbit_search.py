"""The search among symmetric codes: unions of orbits of a few representatives under a group.

The orbit of a point consists of its images under all matrices of a group, and one point of each orbit is its
representative. Orbits are of the same type if the same matrices keep their representatives fixed. An arrangement is a
group, together with the count of orbits of each type. An arrangement and one representative of each orbit determine a
code. K is the number of points for which the search looks. A parent is a code of K to 1.25 K points, from which points
are removed later until K are left.

A descent begins at initial points, which are called a start, and minimizes a smooth approximation of the maximum
cosine. The approximation has a parameter, the inverse temperature, by which the cosines are multiplied. The higher the
inverse temperature is, the better is the approximation. To anneal a start is to descend from it at one inverse
temperature after another, in ascending order. A batch is a list of starts that are annealed together.

The search keeps a list of the codes with the lowest maximum cosines, at most one for each symmetry. A start is one of
these:

1. an arrangement of a random group, with random representatives,
2. a symmetric variation of a given code (a code that the caller of the search gives),
3. a new arrangement of the symmetry group of a code of the list, with random representatives,
4. the arrangement of a code of the list, with random representatives,
5. a code of the list, with some representatives replaced.

Starts 2 and 3 are used only if K is above 300. For such K, more starts are annealed briefly, and only those that lead
to the lowest maximum cosines are annealed further. For smaller K, a descent costs little, and the search finds lower
maximum cosines without starts 2 and 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from protosphere.geometry.gram import max_cosine
from protosphere.search.arrangements import (
    Arrangement,
    random_arrangement,
    random_parent,
    rearranged,
)
from protosphere.search.budget import Budget
from protosphere.search.descent_backend import LARGE_COUNT, DescentBackend
from protosphere.search.given_symmetries import GivenSymmetries
from protosphere.types import Points

MAX_CODES = 20
"""Largest number of codes in the list of the codes with the lowest maximum cosines."""

BATCH = 8
"""Number of starts that are annealed together if K is at most `LARGE_COUNT`."""

LARGE_BATCH = 4
"""Number of starts that are annealed together to the end if K is larger than `LARGE_COUNT`."""

NEW_PROBABILITY = 0.5
"""Probability that a start has a new arrangement rather than the symmetry of a code of the list."""

STARTS_OF_NEW = 2
"""Number of starts that are made of each new arrangement of a random group."""

VARIATION_PROBABILITY = 0.5
"""Probability of replacing only some representatives of a code of the list rather than all of them."""

MEAN_RANK = 2.0
"""Mean rank of the codes of the list from which starts are drawn. The lowest maximum cosine has rank 0."""

PARENT_PROBABILITY = 0.3
"""Probability of the initialization "parent" rather than "symmetric", if both were requested."""

NEW_TEMPERATURES = (5.0, 50.0)
"""Range of the first inverse temperature of a start whose representatives are all random."""

VARIED_TEMPERATURES = (10.0, 300.0)
"""Range of the first inverse temperature of a start that varies a given code, or some representatives of a code."""

RACE_MULTIPLE = 4
"""Number of starts that are annealed briefly for each start that is annealed further."""

RACE_LAST_TEMPERATURE = 300.0
"""Last inverse temperature of brief descents."""

RACE_STEPS = 20
"""Largest number of evaluations of a brief descent at each inverse temperature."""

CONTINUED_TEMPERATURE = 100.0
"""First inverse temperature of the codes that are annealed further."""

REARRANGED_PROBABILITY = 0.3
"""Probability that a start with the symmetry group of a code of the list gets new numbers of orbits.

This is used only if K is larger than `LARGE_COUNT`.
"""

GIVEN_PROBABILITY = 0.5
"""Probability that a new arrangement is drawn as a symmetric variation of a given code, if there are given codes."""

GIVEN_ATTEMPTS = 8
"""Largest number of attempts to draw a symmetric variation of a given code for one start."""

GIVEN_DRAWING_PRODUCTS = 5e7
"""Cost of an attempt to draw a symmetric variation of a given code, in multiplications of a descent."""

MAX_REPRESENTATIVE_SHARE = 0.5
"""Largest number of orbits, relative to K, for which a symmetric descent is worthwhile."""

ATTEMPTS = 50
"""Largest number of attempts to draw a new arrangement of a random group."""

DRAWING_PRODUCTS = 1e7
"""Cost of an attempt to draw an arrangement of a random group, in multiplications of a descent."""

MAX_DRAWING_SHARE = 1e-3
"""Largest cost of drawing an arrangement, relative to the budget, for which a search among symmetric codes pays."""


def is_affordable(budget: Budget) -> bool:
    """Return whether drawing one random symmetry group with its orbits costs at most 1/1000 of the budget.

    Args:
        budget: The budget of the search, a number of evaluations and their cost in multiplications.
    """
    largest = MAX_DRAWING_SHARE * budget.iterations * budget.products
    return largest >= DRAWING_PRODUCTS


@dataclass(frozen=True, eq=False)
class OrbitStart:
    """The start of a descent of a symmetric code, which may have more than K points.

    Attributes:
        initialization: "symmetric" for arrangements of K points, or "parent" for arrangements of K to 1.25 K points,
            from which points are removed later.
        arrangement: The symmetry group, and the count of its orbits of each type.
        representatives: (m, n) initial representatives, one for each orbit.
        temperature: First inverse temperature of the descent, a factor by which cosines are multiplied in the function
            to minimize.
    """

    initialization: str
    arrangement: Arrangement
    representatives: Points
    temperature: float


@dataclass(frozen=True, eq=False)
class OrbitCode:
    """A code with a symmetry group that a descent has found. It may have more than K points.

    Attributes:
        initialization: "symmetric" for arrangements of K points, or "parent" for arrangements of K to 1.25 K points,
            from which points are removed later.
        value: The maximum cosine of the code.
        arrangement: The symmetry group, and the count of its orbits of each type.
        points: All points of the code, orbit after orbit.
    """

    initialization: str
    value: float
    arrangement: Arrangement
    points: Points

    @property
    def representatives(self) -> Points:
        """The (m, n) representatives of the orbits: the first point of each orbit."""
        sizes = self.arrangement.sizes
        firsts = [0, *accumulate(sizes[:-1])]
        return self.points[firsts]

    def as_start(self) -> OrbitStart:
        """Return the start of another descent, which begins at the representatives of this code.

        The attribute `temperature` of the start is set to 0. The caller must choose the inverse temperature.
        """
        return OrbitStart(
            self.initialization, self.arrangement, self.representatives, 0.0
        )

    @property
    def label(self) -> str:
        """Text such as "symmetric (C7 2x7+1x1)": the attribute `initialization`, and the name of the arrangement.

        The first word is "symmetric" or "parent". In this example, the symmetry group is the cyclic group C7, and the
        code has two orbits of 7 points and one orbit of 1 point.
        """
        return f"{self.initialization} ({self.arrangement.name})"


@dataclass
class OrbitSearch:
    """The state of the search among symmetric codes, with the method `screen` that continues the search.

    Attributes:
        num_points: Number K of points.
        dim: Dimension n.
        rng: Random generator for all starts.
        backend: Object that runs the descents.
        initializations: Which kinds of random arrangements are drawn: "symmetric" for arrangements of K points,
            "parent" for arrangements of K to 1.25 K points, or both.
        given: Object that draws symmetric variations of the codes that the caller of the search gives. Its list of
            codes may be empty.
        codes: The codes with the lowest maximum cosines so far, at most one for each symmetry and at most 20, in
            ascending order of the maximum cosine.
        share: Fraction of the budget of the whole search that has been used for symmetric codes so far.
    """

    num_points: int
    dim: int
    rng: np.random.Generator
    backend: DescentBackend
    initializations: Sequence[str]
    given: GivenSymmetries
    codes: list[OrbitCode] = field(default_factory=list[OrbitCode])
    share: float = 0.0

    @property
    def value(self) -> float:
        """The lowest maximum cosine of the codes found so far, or infinity if there is no code yet."""
        return self.codes[0].value if self.codes else float("inf")

    @property
    def is_large(self) -> bool:
        """Whether K is above 300.

        In this case, all starts of a batch are annealed briefly. Only those that lead to the lowest maximum cosines are
        annealed completely.
        """
        return self.num_points > LARGE_COUNT

    def screen(self, steps: int, limit: float) -> list[OrbitCode]:
        """Anneal one batch of starts, and add the results to the attribute `codes`, the list of the best codes.

        Args:
            steps: Maximum number of evaluations of the function to minimize at each inverse temperature.
            limit: Fraction of the budget of the whole search. The descents end when this fraction has been used.

        Returns:
            The codes that result from the starts of the batch. The list is empty if no start for K points in R^n was
            found.
        """
        size = LARGE_BATCH if self.is_large else BATCH
        num_starts = RACE_MULTIPLE * size if self.is_large else size
        budget = self.backend.budget
        starts: list[OrbitStart] = []
        while len(starts) < num_starts:
            if starts and budget.expired(limit):
                break
            drawn = self._draw_starts()
            if not drawn:
                break
            starts += drawn
        if not starts:
            return []
        first = np.array([start.temperature for start in starts])
        if self.is_large:
            found = self._race(starts, first, steps, limit)
        else:
            found = self._anneal(starts, first, self.backend.last, steps, limit)
        for code in found:
            self._keep_if_good(code)
        return found

    def _race(
        self, starts: list[OrbitStart], first: Points, steps: int, limit: float
    ) -> list[OrbitCode]:
        # the brief descent of start i begins at the inverse temperature first[i]
        raced = self._anneal(starts, first, RACE_LAST_TEMPERATURE, RACE_STEPS, limit)
        best = sorted(raced, key=lambda code: code.value)[:LARGE_BATCH]
        if self.backend.budget.expired(
            limit
        ):  # the results of the brief descents count
            return best
        leaders = [code.as_start() for code in best]
        first = np.full(len(leaders), CONTINUED_TEMPERATURE)
        return self._anneal(leaders, first, self.backend.last, steps, limit)

    def _anneal(
        self,
        starts: list[OrbitStart],
        first: Points,
        last: float,
        steps: int,
        limit: float,
    ) -> list[OrbitCode]:
        # start i begins at the inverse temperature first[i]
        annealed = self.backend.descend_arrangements(
            [(start.arrangement, start.representatives) for start in starts],
            first,
            last,
            steps,
            limit,
        )
        return [
            OrbitCode(
                start.initialization, max_cosine(points), start.arrangement, points
            )
            for start, points in zip(starts, annealed, strict=True)
        ]

    def _keep_if_good(self, found: OrbitCode) -> None:
        symmetry = found.arrangement.symmetry
        # only the best code of each symmetry is kept
        same = [c for c in self.codes if c.arrangement.symmetry is symmetry]
        others = [c for c in self.codes if c.arrangement.symmetry is not symmetry]
        best = min([*same, found], key=lambda code: code.value)
        ranked = sorted([*others, best], key=lambda code: code.value)
        self.codes = ranked[:MAX_CODES]

    def _draw_starts(self) -> list[OrbitStart]:
        if not self.codes or self.rng.random() < NEW_PROBABILITY:
            return self._new_starts()
        rank = int(self.rng.exponential(MEAN_RANK))
        code = self.codes[min(rank, len(self.codes) - 1)]
        if self.is_large and self.rng.random() < REARRANGED_PROBABILITY:
            found = self._rearranged_start(code)
            if found:
                return found
        [fresh] = code.arrangement.random_representatives(1, self.rng)
        temperatures = NEW_TEMPERATURES
        if self.rng.random() < VARIATION_PROBABILITY:
            temperatures = VARIED_TEMPERATURES
            count = len(fresh)
            num_replaced = max(1, int(count ** self.rng.random() / 2))
            kept = self.rng.permutation(count)[num_replaced:]
            fresh[kept] = code.representatives[kept]
        temperature = self._random_temperature(temperatures)
        return [OrbitStart(code.initialization, code.arrangement, fresh, temperature)]

    def _rearranged_start(self, code: OrbitCode) -> list[OrbitStart]:
        count = sum(code.arrangement.sizes)
        arrangement = rearranged(code.arrangement.symmetry, count, self.rng)
        if arrangement is None:
            return []
        [fresh] = arrangement.random_representatives(1, self.rng)
        temperature = self._random_temperature(NEW_TEMPERATURES)
        return [OrbitStart(code.initialization, arrangement, fresh, temperature)]

    def _given_start(self) -> list[OrbitStart]:
        budget = self.backend.budget
        for _ in range(GIVEN_ATTEMPTS):
            budget.spend(GIVEN_DRAWING_PRODUCTS / budget.products)
            drawn = self.given.draw(self.num_points, self.dim, self.rng)
            if drawn is not None:
                arrangement, representatives = drawn
                temperature = self._random_temperature(VARIED_TEMPERATURES)
                return [
                    OrbitStart("symmetric", arrangement, representatives, temperature)
                ]
        return []

    def _new_starts(self) -> list[OrbitStart]:
        if self.given.codes and self.rng.random() < GIVEN_PROBABILITY:
            found = self._given_start()
            if found:
                return found
        initialization = self.initializations[0]
        if len(self.initializations) > 1:
            is_parent = self.rng.random() < PARENT_PROBABILITY
            initialization = "parent" if is_parent else "symmetric"
        draw = random_parent if initialization == "parent" else random_arrangement
        most = MAX_REPRESENTATIVE_SHARE * self.num_points + 1
        budget = self.backend.budget
        for _ in range(ATTEMPTS):
            budget.spend(DRAWING_PRODUCTS / budget.products)
            drawn = draw(self.num_points, self.dim, self.rng)
            if drawn is not None and sum(drawn.counts) <= most:
                chosen = drawn
                break
        else:
            return []
        representatives = chosen.random_representatives(STARTS_OF_NEW, self.rng)
        return [
            OrbitStart(
                initialization, chosen, rows, self._random_temperature(NEW_TEMPERATURES)
            )
            for rows in representatives
        ]

    def _random_temperature(self, between: tuple[float, float]) -> float:
        lowest, highest = between
        return lowest * (highest / lowest) ** self.rng.random()
