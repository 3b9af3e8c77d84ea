"""Run descents: by compiled loops on all cores for codes of moderate size, by tensor operations for larger codes.

A code has K unit vectors (points) of R^n. A descent moves the points of a code to lower its smooth maximum cosine, by
the algorithm L-BFGS. The smooth maximum cosine has a parameter, the inverse temperature, by which the cosines are
multiplied. All temperatures in this module are inverse temperatures. To anneal a code is to descend at one inverse
temperature after another, in ascending order. An evaluation computes the smooth maximum cosine and its gradient once.

A start is the set of initial points of a descent. The budget of a search limits the number of evaluations, the seconds,
or both.

A symmetric code is a union of orbits. The orbit of a point consists of its images under a group of orthogonal matrices.
The representative of an orbit is one of its points. A descent of a symmetric code moves only the representatives.
Orbits are of the same type if the same matrices keep their representatives fixed. An arrangement is a group, together
with the count of orbits of each type. An arrangement and one representative of each orbit determine a code.

Tensor operations are operations of torch on arrays that may contain several codes. A batch is a list of starts that are
annealed together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from typing import TYPE_CHECKING

import numpy as np

from protosphere.compiled.threads import processor_count, single_threaded
from protosphere.geometry.sphere import normalized
from protosphere.search.arrangements import Arrangement
from protosphere.search.budget import PRODUCTS_PER_SECOND, Budget, evaluation_products
from protosphere.types import Points, Progress

if TYPE_CHECKING:
    from torch import Tensor

    from protosphere.search.batched_energy import Orbits

TEMPERATURE_FACTOR = 5.0
"""Factor by which the inverse temperature rises from one descent to the next while a code is annealed."""

CONVERGED = 1e-3
"""A start has converged at inverse temperature t if twenty evaluations lower its value by less than CONVERGED / t.

The value is the smooth maximum cosine. This constant is for descents by tensor operations.
"""

MAX_COMPILED_POINTS = 6000
"""Largest number of points for compiled descents, which keep a K x K matrix of cosines in memory as float64."""

MAX_PAIRED_POINTS = 3000
"""Largest number of points for which a batch has at least two compiled descents."""

MAX_BATCH = 32
BATCH_GRAM_ENTRIES = 120_000

POLL_SECONDS = 0.05
"""Interval, in seconds, at which running descents are checked."""

TENSOR_SLOWNESS = 3.0
"""Time of an evaluation by tensor operations, relative to the time of a compiled evaluation."""

TENSOR_STEP_PRODUCTS = 4e6
"""Overhead of a step by tensor operations: the number of multiplications of a compiled loop in the same time."""

MAX_FLOAT32_TEMPERATURE = 2e3
"""Largest inverse temperature for single precision: a rounding error of 1e-7 changes exp(t cos) by a relative 2e-4."""

LARGE_GRAM_PRODUCTS = 4e7
LARGE_DIM = 48
"""If K^2 n and n are both above these values, short descents are faster by tensor operations in single precision.

For K = 1000 and n = 128, an evaluation by tensor operations takes 10 ms, and a compiled evaluation takes 24 ms. In
longer descents, compiled loops are faster, because their list of near pairs becomes short.
"""

LOW_DIM = 3
"""Dimension up to which there are many local optima of similar value.

In these dimensions, starts from random points and from small changes of good codes find better codes than symmetric
starts and large changes. For 43 points, one thread finds the best known code in 10 s. With the variations that are
used in higher dimensions, it does not find this code in 60 s.
"""

TINY_SIZE = 400
"""Largest product K n for which the last inverse temperature of screening is 1e6."""

SMALL_COUNT = 150
"""Largest number K of points for which the last inverse temperature of screening is 5e4, if K n is above 400."""

LARGE_COUNT = 300
"""Number K of points above which variations start at a low inverse temperature."""


def unless_diverged(found: Points, start: Points) -> Points:
    """Return the points that a compiled descent found, or its initial points if it diverged, as unit vectors.

    Compiled loops use fast math and do not test for infinities, so a step that is too long for float64 is not noticed.

    Args:
        found: (K, n) points that the descent returned. Their norms are about 1 unless the descent diverged.
        start: (K, n) points at which the descent began.

    Returns:
        The (K, n) points, each divided by its norm.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.linalg.norm(found, axis=1)
    is_sound = bool((np.abs(norms - 1) < 0.5).all())
    return normalized(found if is_sound else start)


class DescentBackend:
    """Runs the descents of a search, with parameters that depend on the size of the code.

    A descent lowers the smooth maximum cosine of a code. The inverse temperature is the number by which this function
    multiplies the cosines. To anneal a code is to descend at one inverse temperature after another, in ascending order.
    A start is the set of initial points of a descent.

    A sprint is a very short descent from random points. To screen starts is to anneal them to a moderate inverse
    temperature. A variation is a start that is made from a good code by moving some of its points. An arm is a source
    of starts: either random points, or a code that the caller gives. An epoch is a part of the search that begins
    without any codes.

    Attributes:
        num_points: Number K of points.
        device: The torch device of descents by tensor operations.
        budget: The budget of the search, which counts the evaluations of descents.
        compiled: True if descents run as compiled loops, False if they run as tensor operations of torch.
        batch: Number of starts that are annealed together. The number depends on K and the device, but not on the
            number of cores, so that results are the same for any number of cores.
        last: Last inverse temperature of screening: 1e6 if K n is at most 400, otherwise 5e4 if K is at most 150,
            otherwise 2e3.
        variation: Lowest and highest inverse temperature at which descents of variations begin.
        epochs: Number of epochs of the search.
        screening: Approximate number of evaluations of a start in screening.
        breadth: Approximate mean rank of the arms from which starts are drawn. The arms are ranked by the lowest
            maximum cosine to which they led: the arm with the lowest has rank 0.
        sprint_temperature: First inverse temperature of sprints.
        sprint_steps: Largest number of evaluations at each inverse temperature in the first sprint of a search. An
            evaluation computes the smooth maximum cosine and its gradient once.
        sprints_as_tensors: If True, sprints use tensor operations even if other descents are compiled. If False,
            sprints run like the other descents.
        workers: Number of threads that run compiled descents.
    """

    def __init__(self, num_points: int, dim: int, device: str, budget: Budget) -> None:
        self.num_points = num_points
        gram_products = num_points**2 * dim
        is_wide = dim > LARGE_DIM and gram_products > LARGE_GRAM_PRODUCTS
        self.device = device
        self.budget = budget
        self.compiled = device == "cpu" and num_points <= MAX_COMPILED_POINTS
        self.batch = self._batch_size(num_points)
        self.last = _last_screening_temperature(num_points, dim)
        self.variation = _variation_temperatures(num_points, dim)
        self.epochs = 3 if dim <= LOW_DIM else 1
        is_large = num_points > LARGE_COUNT
        self.screening = 150.0 if is_large else 400.0
        self.breadth = 1.0 if is_large else 3.0
        if self.compiled and not is_wide:
            self.sprint_temperature = 12.0
            self.sprint_steps = 19
        else:
            # For many points in many dimensions, sprints with these values found a lower maximum cosine than the
            # descent of Lindström et al. (2024) in 29 of 30 cases.
            self.sprint_temperature = 16.0
            self.sprint_steps = 9
        self.sprints_as_tensors = is_wide
        self.workers = processor_count()
        if self.compiled:
            compile_descent(budget.progress)

    def _batch_size(self, num_points: int) -> int:
        holds_two = self.compiled and num_points <= MAX_PAIRED_POINTS
        smallest = 2 if holds_two else 1
        affordable = BATCH_GRAM_ENTRIES // (num_points**2 + 1)
        return int(min(MAX_BATCH, max(smallest, affordable)))

    def descend(
        self,
        starts: list[Points],
        first: Points,
        last: float,
        steps: int,
        limit: float,
        as_tensors: bool = False,
    ) -> list[Points]:
        """Anneal each of B codes: lower its smooth maximum cosine by descents at one inverse temperature after another.

        The inverse temperature is the number by which the smooth maximum cosine multiplies the cosines. It rises by the
        factor 5 from one descent to the next.

        Args:
            starts: For each code, its (K, n) initial points.
            first: (B,) first inverse temperatures, one for each code.
            last: The last inverse temperature of all codes.
            steps: Maximum number of evaluations at each inverse temperature.
            limit: Fraction of the budget of the search. The descents end early when this fraction is used.
            as_tensors: If True, the descents use tensor operations. If False, they run as compiled loops if the
                attribute `compiled` is True, otherwise as tensor operations.

        Returns:
            For each code, the (K, n) unit points at the end.
        """
        if as_tensors or not self.compiled:
            stacked = np.stack(starts)
            return self.descend_orbits(None, stacked, first, last, steps, limit)
        from protosphere.search.compiled_lbfgs import compiled_anneal, new_meters

        affordable = self.budget.left(limit, self.workers)
        meters = new_meters(len(starts), affordable / len(starts))
        jobs: list[Future[Points]] = []
        with ThreadPoolExecutor(self.workers) as threads:
            for start, t, meter in zip(starts, first.tolist(), meters, strict=True):
                job = threads.submit(
                    compiled_anneal, start, t, last, TEMPERATURE_FACTOR, steps, meter
                )
                jobs.append(job)
            watch(jobs, meters, self.budget, limit)
        return [
            unless_diverged(job.result(), start)
            for job, start in zip(jobs, starts, strict=True)
        ]

    def descend_arrangements(
        self,
        starts: list[tuple[Arrangement, Points]],
        first: Points,
        last: float,
        steps: int,
        limit: float,
    ) -> list[Points]:
        """Anneal each of B symmetric codes: lower its smooth maximum cosine by descents at rising inverse temperatures.

        A symmetric code is a union of orbits: the images of some points, called representatives, under a group of
        matrices. A descent moves only the representatives. The inverse temperature is the number by which the smooth
        maximum cosine multiplies the cosines. It rises by the factor 5 from one descent to the next. The symmetry
        groups of the codes may differ.

        Args:
            starts: For each code, its arrangement (a symmetry group, and the count of orbits of each type) and the (m,
                n) initial representatives of its m orbits.
            first: (B,) first inverse temperatures, one for each code.
            last: The last inverse temperature of all codes.
            steps: Maximum number of evaluations at each inverse temperature.
            limit: Fraction of the budget of the search. The descents end early when this fraction is used.

        Returns:
            For each code, all its unit points at the end, orbit after orbit.
        """
        if not self.compiled:
            return [
                self.descend_orbits(arrangement, rows[None], t, last, steps, limit)[0]
                for (arrangement, rows), t in zip(starts, first[:, None], strict=True)
            ]
        from protosphere.search.compiled_lbfgs import new_meters
        from protosphere.search.compiled_orbits import anneal_orbits, orbit_products

        affordable = self.budget.left(limit, self.workers)
        meters = new_meters(len(starts), affordable / len(starts))
        jobs: list[Future[Points]] = []
        with ThreadPoolExecutor(self.workers) as threads:
            for (arrangement, rows), t, meter in zip(
                starts, first.tolist(), meters, strict=True
            ):
                products = orbit_products(
                    len(rows), sum(arrangement.sizes), rows.shape[1]
                )
                work = products / self.budget.products
                job = threads.submit(
                    anneal_orbits,
                    rows,
                    arrangement.cosets,
                    arrangement.counts,
                    t,
                    last,
                    TEMPERATURE_FACTOR,
                    steps,
                    work,
                    meter,
                )
                jobs.append(job)
            watch(jobs, meters, self.budget, limit)
        return [
            unless_diverged(job.result(), arrangement.points(rows))
            for job, (arrangement, rows) in zip(jobs, starts, strict=True)
        ]

    @property
    def tensor_overhead(self) -> float:
        """Cost of a step of a descent by tensor operations, in addition to the cost of the evaluation in the step.

        The unit is the cost of one compiled evaluation over all pairs of points. If the attribute `compiled` is False,
        no descent is compiled, so the costs of all descents are compared without this overhead, and the value is 0.
        """
        if not self.compiled:
            return 0.0
        return TENSOR_STEP_PRODUCTS / self.budget.products

    def descend_orbits(
        self,
        arrangement: Arrangement | None,
        starts: Points,
        first: Points,
        last: float,
        steps: int,
        limit: float,
    ) -> list[Points]:
        """Anneal B codes that all have the same symmetry, or that all have none, by tensor operations.

        To anneal a code is to lower its smooth maximum cosine by descents at one inverse temperature after another. The
        inverse temperature is the number by which the smooth maximum cosine multiplies the cosines. It rises by the
        factor 5 from one descent to the next. A descent moves only the representatives, one point of each orbit.

        Args:
            arrangement: The symmetry of all codes: a group, and the count of orbits of each type. None means that the
                codes have no symmetry, and each point is an orbit of its own.
            starts: (B, m, n) initial representatives of the m orbits of each code.
            first: (B,) first inverse temperatures, one for each code.
            last: The last inverse temperature of all codes.
            steps: Maximum number of evaluations at each inverse temperature.
            limit: Fraction of the budget of the search. The descents end early when this fraction is used.

        Returns:
            For each code, all its unit points at the end, orbit after orbit.
        """
        import torch

        threads = single_threaded() if self.compiled else nullcontext()
        with torch.inference_mode(), threads:
            orbits = self._orbits(arrangement, starts.shape[1])
            # Single precision takes half the time where the last temperature resolves no more than that.
            if arrangement is None and last <= MAX_FLOAT32_TEMPERATURE:
                dtype = torch.float32
            else:
                dtype = torch.float64
            rows = torch.as_tensor(starts, device=self.device, dtype=dtype)
            temperature = torch.as_tensor(first, device=self.device, dtype=dtype)
            rows = self._anneal(orbits, rows, temperature, last, steps, limit)
            points = orbits.points(rows.double()).cpu().numpy()
            return [normalized(code) for code in points]

    def _orbits(self, arrangement: Arrangement | None, count: int) -> Orbits:
        import torch

        from protosphere.search.batched_energy import Orbits

        if arrangement is None:  # `count` orbits of one point each
            return Orbits((count,))
        cosets = tuple(
            torch.as_tensor(matrices, device=self.device)
            for matrices in arrangement.cosets
        )
        return Orbits(arrangement.counts, cosets)

    def _anneal(
        self,
        orbits: Orbits,
        rows: Tensor,
        t: Tensor,
        last: float,
        steps: int,
        limit: float,
    ) -> Tensor:
        from protosphere.search.batched_energy import smooth_max_cosine, unit_rows
        from protosphere.search.batched_lbfgs import batched_lbfgs

        batch, count, dim = rows.shape
        budget = self.budget
        slowness = TENSOR_SLOWNESS if self.compiled else 1.0
        weight = slowness * count / sum(orbits.sizes)
        # A parent code has more points than the codes that the budget counts.
        weight *= (sum(orbits.sizes) / self.num_points) ** 2
        overhead = self.tensor_overhead
        spend = _spender(budget, weight, overhead, limit)
        while True:
            rows = unit_rows(rows)[0]
            stages = _stages_left(float(t.min()), last)
            # The rest of the budget is divided among the remaining temperatures.
            stage_cost = stages * (batch * weight + overhead)
            affordable = budget.left(limit, 1) / stage_cost
            found = batched_lbfgs(
                smooth_max_cosine(orbits, dim, t),
                rows.reshape(batch, -1),
                max(2, int(min(affordable, steps))),
                CONVERGED / t,
                spend,
            )
            rows = found.reshape(batch, count, dim)
            if bool((t >= last).all()) or budget.share >= limit:
                return unit_rows(rows)[0]
            t = (t * TEMPERATURE_FACTOR).clamp_max(last)


def _spender(
    budget: Budget, weight: float, overhead: float, limit: float
) -> Callable[[int], bool]:
    # The result says whether the descent may continue.
    def spend(evaluations: int) -> bool:
        return budget.spend(evaluations * weight + overhead, limit)

    return spend


def _stages_left(temperature: float, last: float) -> int:
    # The stages are descents at the inverse temperatures from `temperature` to `last`, including both.
    ratio = math.log(last / temperature) / math.log(TEMPERATURE_FACTOR)
    return 1 + max(0, math.ceil(ratio - 1e-6))


def _last_screening_temperature(num_points: int, dim: int) -> float:
    if num_points * dim <= TINY_SIZE:
        return 1e6
    if num_points <= SMALL_COUNT:
        return 5e4
    return 2e3


def _variation_temperatures(num_points: int, dim: int) -> tuple[float, float]:
    if dim <= LOW_DIM:
        return 50.0, 3000.0
    if num_points > LARGE_COUNT:
        return 80.0, 800.0
    return 10.0, 300.0


def watch(
    jobs: list[Future[Points]], meters: Points, budget: Budget, limit: float
) -> None:
    """Wait until all given compiled descents have ended, and report their progress to the budget of the search.

    The descents are stopped early when the time is up or when the user presses Ctrl-C.

    Args:
        jobs: The B descents, which run in other threads.
        meters: (B, 3) array with a row of three numbers for each descent: the stop flag, the work done so far in
            evaluations, and the largest work allowed. The descent updates the work done. It stops when this function
            sets the stop flag to 1.
        budget: The budget of the search.
        limit: Fraction of the time limit of the budget after which the descents are stopped.
    """
    from protosphere.search.compiled_lbfgs import SPENT, STOP

    started_at = budget.clock()
    try:
        while wait(jobs, timeout=POLL_SECONDS).not_done:
            budget.report(float(meters[:, SPENT].sum()))
            meters[:, STOP] = budget.expired(limit)
    except KeyboardInterrupt:
        budget.interrupted = True
        meters[:, STOP] = True
        wait(jobs)
    budget.seconds_spent += budget.clock() - started_at
    budget.spend(float(meters[:, SPENT].sum()), limit)


def compile_descent(progress: Progress) -> None:
    """Compile the descent, unless this process has compiled it already.

    The first compilation on a machine takes many seconds.

    Args:
        progress: Function that is called before the compilation, with a message, the number 0 of finished steps and the
            number 1 of all steps.
    """
    from protosphere.search import compiled_lbfgs

    if not compiled_lbfgs.is_compiled():
        progress("compiling the descent, the first time on a machine", 0, 1)
        compiled_lbfgs.compiled_anneal(np.eye(3), 1.0, 1.0, TEMPERATURE_FACTOR, 1)


def evaluation_seconds(num_points: int, dim: int) -> float:
    """Return a rough estimate of the seconds for one evaluation of the smooth maximum cosine over all pairs of a code.

    Args:
        num_points: Number K of points.
        dim: Dimension n.
    """
    slowness = 1.0 if num_points <= MAX_COMPILED_POINTS else TENSOR_SLOWNESS
    return slowness * evaluation_products(num_points, dim) / PRODUCTS_PER_SECOND
