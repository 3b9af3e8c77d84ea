"""The budget of a search: a largest number of evaluations, a largest number of seconds, or both.

A search lowers the maximum cosine of K points in R^n by descents. A descent moves points so that a smooth approximation
of the maximum cosine decreases. An evaluation computes this approximation from all pairs of points, and its gradient.
The result of a search is reproducible if only the number of evaluations is limited.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from protosphere.types import Progress, ignore

PRODUCTS_PER_SECOND = 6e9
"""Rough number of multiplications per second of a descent on one core, used until the speed has been measured."""

STEP_PAIRS = 20
"""Cost of a descent step without its evaluation, as a number of evaluated pairs per point."""

PAIR_PRODUCTS = 14
"""Cost of evaluating a pair of points without their dot product, as a number of multiplications."""

# `progress` is called again after this number of seconds, or after this fraction of the budget.
REPORT_SECONDS = 1.0
REPORT_SHARE = 0.01


def evaluation_products(num_points: int, dim: int) -> float:
    """Return the approximate number of multiplications of one evaluation and the descent step after it.

    An evaluation computes a smooth approximation of the maximum cosine from all pairs of points of a code, and its
    gradient with respect to the points.

    Args:
        num_points: Number K of points.
        dim: Dimension n.
    """
    pairs = num_points * (num_points + STEP_PAIRS)
    return float(pairs * (dim + PAIR_PRODUCTS))


@dataclass
class Budget:
    """The work that a search may do and has done.

    The unit of work is an evaluation: it computes a smooth approximation of the maximum cosine from all pairs of points
    of a code. An evaluation of fewer pairs counts as a fraction of this unit, according to its cost.

    Attributes:
        products: Number of multiplications in one evaluation. Until the speed has been measured, it is estimated as 6e9
            / `products` evaluations per second for each thread.
        iterations: Largest number of evaluations. Infinity means no limit.
        seconds: Largest number of seconds from the construction of this object. None means no limit.
        progress: Function that is called with a message, the percentage of the budget that is used, and 100. It is
            called when a second has passed, or 1% of the budget has been used, since the last call.
        clock: Function that returns a time in seconds, from any starting point.
        spent: Number of evaluations so far.
        seconds_spent: Number of seconds so far in which compiled descents ran. A second in which several descents ran
            in parallel counts once.
        best: Lowest maximum cosine found so far; infinity before the first one is found.
        starts: Number of descents so far.
        interrupted: True if the user pressed Ctrl-C, otherwise False.
        started_at: Value of `clock` at the construction of this object.
        reported_share: Fraction of the budget that was used at the last call of `progress`.
        reported_at: Value of `clock` at the last call of `progress`.
    """

    products: float
    iterations: float
    seconds: float | None = None
    progress: Progress = ignore
    clock: Callable[[], float] = time.monotonic
    spent: float = 0.0
    seconds_spent: float = 0.0
    best: float = float("inf")
    starts: int = 0
    interrupted: bool = False
    started_at: float = field(init=False)
    reported_share: float = -1.0
    reported_at: float = 0.0

    def __post_init__(self) -> None:
        self.started_at = self.clock()

    @property
    def elapsed(self) -> float:
        """Number of seconds since the construction of this object."""
        return self.clock() - self.started_at

    @property
    def share(self) -> float:
        """Fraction of the budget that is used, which may exceed 1.

        - If the user pressed Ctrl-C, the value is infinity.
        - Otherwise, if only evaluations are limited, it is the number of evaluations so far divided by `iterations`.
        - Otherwise, it is the larger of this quotient and the elapsed seconds divided by `seconds`.
        """
        if self.interrupted:
            used = float("inf")
        else:
            used = self.spent / self.iterations
        if self.seconds is None:
            return used
        return max(used, self.elapsed / self.seconds)

    def expired(self, limit: float = 1.0) -> bool:
        """Return whether the time is up or the user pressed Ctrl-C.

        The number of evaluations does not matter. If seconds are not limited, the time is never up.

        Args:
            limit: Fraction of the allowed seconds after which the time is up. By default, this is after all allowed
                seconds.
        """
        if self.interrupted:
            return True
        if self.seconds is None:
            return False
        return self.elapsed >= limit * self.seconds

    def left(self, limit: float, workers: int) -> float:
        """Return the number of evaluations that are left until a fraction of the budget is used.

        Args:
            limit: Fraction of the budget, between 0 and 1 or slightly larger than 1.
            workers: Number of threads that run descents. If seconds are limited, the result depends on the speed. Until
                the speed has been measured, it is estimated as proportional to the number of threads.

        Returns:
            The number of evaluations, at least 0.
        """
        evaluations = limit * self.iterations - self.spent
        if self.seconds is None:
            return max(0.0, evaluations)
        if self.seconds_spent:
            speed = self.spent / self.seconds_spent
        else:
            speed = workers * PRODUCTS_PER_SECOND / self.products
        seconds_left = limit * self.seconds - self.elapsed
        return max(0.0, min(evaluations, speed * seconds_left))

    def spend(self, evaluations: float, limit: float = 1.0) -> bool:
        """Count evaluations as used, and return whether the search may continue.

        Args:
            evaluations: Number of evaluations, which is added to `spent`.
            limit: Fraction of the budget at which the search, or the current phase of the search, ends.

        Returns:
            Whether less than the fraction `limit` of the budget is used.
        """
        self.spent += evaluations
        self.report()
        return self.share < limit

    def report(self, ahead: float = 0.0) -> None:
        """Call `progress` if a second has passed, or 1% of the budget has been used, since the last call.

        If the user presses Ctrl-C during the call, the search is marked as interrupted.

        Args:
            ahead: Number of evaluations that running descents have made and that `spent` does not contain yet.
        """
        share = self.share + ahead / self.iterations
        now = self.clock()
        is_recent = (
            share - self.reported_share < REPORT_SHARE
            and now - self.reported_at < REPORT_SECONDS
        )
        if self.interrupted or is_recent:
            return
        self.reported_share = share
        self.reported_at = now
        best = f"best {self.best:.6g}, " if self.best < float("inf") else ""
        message = f"optimizing: {best}{self.starts} starts"
        percent = int(100 * min(1.0, share))
        try:
            self.progress(message, percent, 100)
        except KeyboardInterrupt:
            self.interrupted = True
