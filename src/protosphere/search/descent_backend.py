"""Where descents run: as compiled loops on all cores for codes of moderate size, as tensors for the rest."""

from __future__ import annotations

import math
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
"""By which each temperature is multiplied to get the next."""

SETTLED = 1e-3
"""A start of tensors has settled at temperature t once twenty evaluations gain less than this over t."""

MAX_COMPILED_POINTS = (
    6000  # above, a Gram matrix is no longer held whole, of 8 bytes an entry
)
MAX_PAIRED_POINTS = 3000  # above, only one is

LOOK_SECONDS = 0.05
"""How often descents are looked at while they go on."""

TENSOR_SLOWNESS = 3.0  # how often a compiled evaluation goes into one of tensors
TENSOR_STEP = (
    4e6  # products of a compiled evaluation that a step of tensors takes beside its own
)

MAX_FLOAT32_TEMPERATURE = 2e3
"""The temperature up to which rounding of single precision, 1e-7, does not show: exp(t cos) is off by 2e-4 of it."""

LARGE_GRAM, LARGE_DIM = 4e7, 48
"""K^2 n and n above which a few evaluations are quicker as tensors of single precision: at (1000, 128) 10 ms, compiled
24; more of them are not, whose list of pairs that matter grows short."""

LOW_DIM = 3
"""Up to this dimension local optima are many and alike: random starts and small changes of good codes find more than
symmetric starts and large ones. 43 points, one thread: the best known in 10 s, where from (10, 300) 60 do not do."""

TINY_SIZE, SMALL_COUNT, LARGE_COUNT = 400, 150, 300
"""K n up to which every start is finished, K up to which it is taken far, K above which variations start cold."""


class DescentBackend:
    """How descents are made.

    Attributes:
        budget: what they spend.
        compiled: whether they run as compiled loops.
        batch: how many starts go together; a matter of the code's size alone, so that results do not depend on cores.
        last: the temperature screening ends at: high enough to tell codes apart, where that costs little.
        variation: the range of first temperatures for a good code with some points moved.
        epochs: how often a search begins anew within its budget.
        screening: evaluations that a start takes, about.
        breadth: how many of the leading arms are drawn from.
        sprint: first temperature, and evaluations at each, of a start in a great hurry; of wide codes 29 in 30 pass
            the paper's descent with 9 from 16 on, as many as with 12 from 20 on.
        sprints_as_tensors: whether that start descends in single precision although others are compiled.
        workers: how many threads descend.
    """

    def __init__(self, num_points: int, dim: int, device: str, budget: Budget) -> None:
        large = num_points > LARGE_COUNT
        wide = dim > LARGE_DIM and num_points**2 * dim > LARGE_GRAM
        self.device = device
        self.budget = budget
        self.compiled = device == "cpu" and num_points <= MAX_COMPILED_POINTS
        least = 2 if self.compiled and num_points <= MAX_PAIRED_POINTS else 1
        self.batch = int(min(32, max(least, 120_000 // (num_points**2 + 1))))
        if num_points * dim <= TINY_SIZE:
            self.last = 1e6
        elif num_points <= SMALL_COUNT:
            self.last = 5e4
        else:
            self.last = 2e3
        if dim <= LOW_DIM:
            self.variation = (50.0, 3000.0)
        elif large:
            self.variation = (80.0, 800.0)
        else:
            self.variation = (10.0, 300.0)
        self.epochs = 3 if dim <= LOW_DIM else 1
        self.screening, self.breadth = (150.0, 1.0) if large else (400.0, 3.0)
        self.sprint = (12.0, 19) if self.compiled and not wide else (16.0, 9)
        self.sprints_as_tensors = wide
        self.workers = processor_count()
        if self.compiled:
            compile_descent(budget.progress)

    def descend(
        self,
        starts: list[Points],
        first: Points,
        last: float,
        steps: int,
        limit: float,
        as_tensors: bool = False,
    ) -> list[Points]:
        """Each start after annealing by L-BFGS from its first temperature to the last one."""
        if as_tensors or not self.compiled:
            return self.descend_orbits(
                None, np.stack(starts), first, last, steps, limit
            )
        from protosphere.search.compiled_lbfgs import compiled_anneal, new_meters

        meters = new_meters(
            len(starts), self.budget.left(limit, self.workers) / len(starts)
        )
        with ThreadPoolExecutor(self.workers) as threads:
            jobs = [
                threads.submit(
                    compiled_anneal, start, t, last, TEMPERATURE_FACTOR, steps, meter
                )
                for start, t, meter in zip(starts, first.tolist(), meters, strict=True)
            ]
            watch(jobs, meters, self.budget, limit)
        return [normalized(job.result()) for job in jobs]

    @property
    def tensor_overhead(self) -> float:
        """Evaluations that a step of tensors takes beside its own: many, of a small code, where others are compiled."""
        return TENSOR_STEP / self.budget.products if self.compiled else 0.0

    def descend_orbits(
        self,
        arrangement: Arrangement | None,
        starts: Points,
        first: Points,
        last: float,
        steps: int,
        limit: float,
    ) -> list[Points]:
        """All points of codes that keep a symmetry, or none, while their representatives descend as tensors."""
        import torch

        from protosphere.search.batched_energy import Orbits

        with (
            torch.inference_mode(),
            single_threaded() if self.compiled else nullcontext(),
        ):
            counts, cosets = (
                (arrangement.counts, arrangement.cosets)
                if arrangement
                else ((starts.shape[1],), ())
            )
            orbits = Orbits(
                counts,
                tuple(
                    torch.as_tensor(matrices, device=self.device) for matrices in cosets
                ),
            )
            # without symmetry of single precision, in half the time, where the last temperature resolves no more
            if arrangement is None and last <= MAX_FLOAT32_TEMPERATURE:
                dtype = torch.float32
            else:
                dtype = torch.float64
            rows, t = (
                torch.as_tensor(array, device=self.device, dtype=dtype)
                for array in (starts, first)
            )
            rows = self._anneal(orbits, rows, t, last, steps, limit)
            return [
                normalized(points)
                for points in orbits.points(rows.double()).cpu().numpy()
            ]

    def _anneal(
        self,
        orbits: Orbits,
        rows: Tensor,
        t: Tensor,
        last: float,
        steps: int,
        limit: float,
    ) -> Tensor:
        """Representatives (B, m, n) after L-BFGS at temperatures t (B,), then at sharper ones up to the last."""
        from protosphere.search.batched_energy import smooth_max_cosine, unit_rows
        from protosphere.search.batched_lbfgs import batched_lbfgs

        batch, count, dim = rows.shape
        weight = (TENSOR_SLOWNESS if self.compiled else 1.0) * count / sum(orbits.sizes)
        budget = self.budget
        overhead = self.tensor_overhead
        while True:
            rows = unit_rows(rows)[0]
            stages = 1 + max(
                0,
                math.ceil(
                    math.log(last / float(t.min())) / math.log(TEMPERATURE_FACTOR)
                    - 1e-6
                ),
            )
            # what is left is shared among the temperatures to come, so that a short descent sees all of them
            affordable = budget.left(limit, 1) / (stages * (batch * weight + overhead))
            found = batched_lbfgs(
                smooth_max_cosine(orbits, dim, t),
                rows.reshape(batch, -1),
                max(2, int(min(affordable, steps))),
                SETTLED / t,
                lambda evaluations: budget.spend(
                    evaluations * weight + overhead, limit
                ),
            )
            rows = found.reshape(batch, count, dim)
            if bool((t >= last).all()) or budget.share >= limit:
                return unit_rows(rows)[0]
            t = (t * TEMPERATURE_FACTOR).clamp_max(last)


def watch(
    jobs: list[Future[Points]], meters: Points, budget: Budget, limit: float
) -> None:
    """Wait for descents and say how far they are; once the time is up, or Ctrl-C pressed, they end where they are."""
    from protosphere.search.compiled_lbfgs import SPENT, STOP

    begun = budget.clock()
    try:
        while wait(jobs, timeout=LOOK_SECONDS).not_done:
            budget.tell(float(meters[:, SPENT].sum()))
            meters[:, STOP] = budget.expired(limit)
    except KeyboardInterrupt:
        budget.interrupted = True
        meters[:, STOP] = True
        wait(jobs)
    budget.seconds_spent += budget.clock() - begun
    budget.spend(float(meters[:, SPENT].sum()), limit)


def compile_descent(progress: Progress) -> None:
    """The first descent of a process takes a while more, the first on a machine many seconds: better now, and said."""
    from protosphere.search import compiled_lbfgs

    if not compiled_lbfgs.is_compiled():
        progress("compiling the descent, the first time on a machine", 0, 1)
        compiled_lbfgs.compiled_anneal(np.eye(3), 1.0, 1.0, TEMPERATURE_FACTOR, 1)


def evaluation_seconds(num_points: int, dim: int) -> float:
    """What an evaluation over all pairs takes, roughly."""
    slowness = 1.0 if num_points <= MAX_COMPILED_POINTS else TENSOR_SLOWNESS
    return slowness * evaluation_products(num_points, dim) / PRODUCTS_PER_SECOND
