"""Where descents run: as compiled loops on all cores for codes of moderate size, as tensors for the rest."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import numpy as np

from protosphere.geometry.sphere import normalized
from protosphere.processors import processor_count, single_threaded
from protosphere.search.arrangements import Arrangement
from protosphere.search.batched_energy import ENERGIES
from protosphere.search.budget import Budget
from protosphere.types import Points, Progress

TEMPERATURE_FACTOR = 5.0
"""By which each temperature is multiplied to get the next."""

MAX_COMPILED_POINTS, MAX_COMPILED_DIM, MAX_COMPILED_PRODUCTS = 3000, 48, 4e7
"""Points and dimensions above which products of whole matrices are quicker than compiled loops, unless K^2 n is small:
an evaluation at (300, 128) takes 1.4 ms compiled, 2.7 ms as tensors; at (600, 96) 3.6 and 3.8."""

MAX_FLOAT32_TEMPERATURE = 2e3
"""The temperature up to which rounding of single precision, 1e-7, does not show: exp(t cos) is off by 2e-4 of it."""

LOW_DIM = 3
"""Up to this dimension local optima are many and alike: random starts and small changes of good codes find more than
symmetric starts and large ones. 43 points, one thread: the best known in 10 s, where from (10, 300) 60 do not do."""

TINY_SIZE, SMALL_COUNT, LARGE_COUNT = 400, 150, 300
"""K n up to which every start is finished, K up to which it is taken far, K above which variations start cold."""


@dataclass(frozen=True, eq=False)
class DescentBackend:
    """How descents are made.

    Attributes:
        batch: how many starts go together; a matter of the code's size alone, so that results do not depend on cores.
        last: the temperature screening ends at: high enough to tell codes apart, where that costs little.
        variation: the range of first temperatures for a good code with some points moved.
        epochs: how often a search begins anew within its budget.
        sprint: first temperature, and evaluations at each temperature, of the quickest start.
    """

    device: str
    energy: str
    compiled: bool
    batch: int
    last: float
    variation: tuple[float, float]
    epochs: int
    sprint: tuple[float, int]
    pool: ThreadPoolExecutor

    def descend(
        self, starts: list[Points], first: Points, last: float, steps: int, budget: Budget, limit: float
    ) -> list[Points]:
        """Each start after annealing by L-BFGS from its first temperature to the last one."""
        if not self.compiled:
            return self.descend_orbits(None, np.stack(starts), first, last, steps, budget, limit)
        from protosphere.search.compiled_lbfgs import compiled_anneal

        def one(job: tuple[Points, float]) -> tuple[Points, int]:
            return compiled_anneal(np.ascontiguousarray(job[0]), job[1], last, TEMPERATURE_FACTOR, steps)

        found = list(self.pool.map(one, zip(starts, first.tolist(), strict=True)))
        budget.spend(sum(evaluations for _, evaluations in found), limit)
        return [normalized(points) for points, _ in found]

    def descend_orbits(
        self,
        arrangement: Arrangement | None,
        starts: Points,
        first: Points,
        last: float,
        steps: int,
        budget: Budget,
        limit: float,
    ) -> list[Points]:
        """All points of codes that keep a symmetry, or none, while their representatives descend as tensors.

        Without symmetry they are of single precision, in half the time, where the last temperature resolves no more.
        """
        import torch

        from protosphere.search.batched_annealing import anneal_batch
        from protosphere.search.batched_energy import Orbits

        with torch.inference_mode(), single_threaded() if self.compiled else nullcontext():
            orbits = Orbits((starts.shape[1],)) if arrangement is None else arrangement.orbits(self.device)
            dtype = torch.float32 if arrangement is None and last <= MAX_FLOAT32_TEMPERATURE else torch.float64
            rows, t = (torch.as_tensor(array, device=self.device, dtype=dtype) for array in (starts, first))
            rows = anneal_batch(
                orbits, rows, t,
                last=last, factor=TEMPERATURE_FACTOR, steps=steps, budget=budget, limit=limit, energy=self.energy,
            )  # fmt: skip
            return [normalized(points) for points in orbits.points(rows.double()).cpu().numpy()]


def _last(num_points: int, dim: int) -> float:
    if num_points * dim <= TINY_SIZE:
        return 1e6
    return 5e4 if num_points <= SMALL_COUNT else 2e3


def compile_descent(progress: Progress) -> None:
    """Compile before the search begins, and say so: the first descent on a machine takes some seconds more."""
    progress("compiling the descent, once for this machine", 0, 1)
    from protosphere.search.compiled_lbfgs import compiled_anneal

    compiled_anneal(np.eye(3), 1.0, 1.0, TEMPERATURE_FACTOR, 1)


@contextmanager
def descent_backend(
    num_points: int, dim: int, device: str, energy: str, progress: Progress
) -> Generator[DescentBackend]:
    """The backend for codes of this size, its threads stopped at the end."""
    quick = num_points <= MAX_COMPILED_POINTS and (
        dim <= MAX_COMPILED_DIM or num_points**2 * dim <= MAX_COMPILED_PRODUCTS
    )
    compiled = (device, energy) == ("cpu", ENERGIES[0]) and quick
    batch = int(min(32, max(2 if compiled else 1, 120_000 // (num_points**2 + 1))))
    variation = (50.0, 3000.0) if dim <= LOW_DIM else (10.0, 300.0) if num_points <= LARGE_COUNT else (80.0, 800.0)
    sprint = (12.0, 19) if compiled else (20.0, 12)
    if compiled:
        compile_descent(progress)
    with ThreadPoolExecutor(processor_count()) as pool, single_threaded() if compiled else nullcontext():
        yield DescentBackend(
            device, energy, compiled, batch, _last(num_points, dim), variation, 3 if dim <= LOW_DIM else 1, sprint, pool
        )
