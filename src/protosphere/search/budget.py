"""How much work an optimisation may do: evaluations, which give the same bits every time, or seconds, which do not."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from protosphere.types import Progress, ignore


@dataclass
class Budget:
    """The work that may be done. Evaluating the energy of a whole code costs 1, of its representatives their share.

    Attributes:
        iterations: evaluations in all.
        seconds: or the time in all; None for no limit.
        progress: called about a hundred times in all.
    """

    iterations: float
    seconds: float | None = None
    progress: Progress = ignore
    spent: float = 0.0
    starts: int = 0
    best: float = float("inf")
    started: float = field(default_factory=time.monotonic)
    told: float = -1.0

    @property
    def share(self) -> float:
        """Which part of it is used up, from 0 to 1 and beyond."""
        used = self.spent / self.iterations
        if self.seconds is None:
            return used
        return max(used, (time.monotonic() - self.started) / self.seconds)

    def spend(self, evaluations: float, limit: float = 1.0) -> bool:
        """Count work that was done; say whether less than `limit` of the budget is used."""
        self.spent += evaluations
        share = self.share
        if share - self.told >= 0.01:
            self.told = share
            best = f"best {self.best:.6g}, " if self.best < float("inf") else ""
            self.progress(f"optimising: {best}{self.starts} starts", min(100, int(100 * share)), 100)
        return share < limit
