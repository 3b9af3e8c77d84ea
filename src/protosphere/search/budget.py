"""How much work a search may do: evaluations, which give the same bits every time, or seconds, which do not."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from protosphere.types import Progress, ignore

PRODUCTS_PER_SECOND = 6e9
"""Of a descent on one core, roughly: what seconds are worth before any have been measured."""

STEP = 20  # what a step of a descent costs beside its evaluation, in pairs a point
PAIR = 14  # what a pair costs beside its dot product
TELL_SECONDS = 1.0


def evaluation_products(num_points: int, dim: int) -> float:
    """Products of an evaluation of the energy over all pairs, and of the step that follows."""
    return float(num_points * (num_points + STEP) * (dim + PAIR))


@dataclass
class Budget:
    """What is left. An evaluation over all pairs of a code costs 1, over a list of pairs or of orbits its share."""

    products: float  # of an evaluation
    iterations: float  # evaluations in all
    seconds: float | None = None  # or the time in all, from now on; None for no limit
    progress: Progress = ignore  # told of the best so far whenever a hundredth is spent, and every second
    clock: Callable[[], float] = time.monotonic
    spent: float = 0.0  # evaluations so far
    seconds_spent: float = 0.0  # the time of those that were watched
    best: float = float("inf")  # the lowest value they led to
    starts: int = 0  # from so many
    interrupted: bool = False  # whether somebody wants it to end now
    begun: float = field(init=False)
    told: tuple[float, float] = (-1.0, 0.0)

    def __post_init__(self) -> None:
        self.begun = self.clock()

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self.clock() - self.begun

    @property
    def share(self) -> float:
        """How much of it is used up, from 0 to 1 and beyond."""
        used = float("inf") if self.interrupted else self.spent / self.iterations
        return used if self.seconds is None else max(used, self.elapsed / self.seconds)

    def expired(self, limit: float = 1.0) -> bool:
        """Whether so much of the time is up, or somebody interrupted: never for evaluations alone."""
        return self.interrupted or (
            self.seconds is not None and self.elapsed >= limit * self.seconds
        )

    def left(self, limit: float, workers: int) -> float:
        """Evaluations up to a share of it: of seconds, as many as there were in those so far, or as usual at first."""
        evaluations = limit * self.iterations - self.spent
        if self.seconds is None:
            return max(0.0, evaluations)
        usual = workers * PRODUCTS_PER_SECOND / self.products
        speed = self.spent / self.seconds_spent if self.seconds_spent else usual
        return max(0.0, min(evaluations, speed * (limit * self.seconds - self.elapsed)))

    def spend(self, evaluations: float, limit: float = 1.0) -> bool:
        """Count work that was done; say whether less than `limit` of the budget is used."""
        self.spent += evaluations
        self.tell()
        return self.share < limit

    def tell(self, ahead: float = 0.0) -> None:
        """Say how far it is, evaluations `ahead` of those spent, unless that was just said; Ctrl-C then ends it."""
        share = self.share + ahead / self.iterations
        now = self.clock()
        if self.interrupted or (
            share - self.told[0] < 0.01 and now - self.told[1] < TELL_SECONDS
        ):
            return
        self.told = share, now
        best = f"best {self.best:.6g}, " if self.best < float("inf") else ""
        try:
            self.progress(
                f"optimising: {best}{self.starts} starts",
                int(100 * min(1.0, share)),
                100,
            )
        except KeyboardInterrupt:
            self.interrupted = True
