"""Estimate the remaining time of a sweep from the epochs that were observed so far."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapreplace

from protosphere.experiments.epochs import EpochMetrics
from protosphere.experiments.record import RunRecord


@dataclass
class _Pace:
    """Observed progress of one run.

    Attributes:
        before: Number of epochs that were already finished when the run was first observed.
        since: Time in seconds at which the observed epochs began; None if unknown.
        epochs: Number of observed epochs, those that finished after `before`.
        until: Time in seconds at which the last observed epoch ended.
    """

    before: int
    since: float | None
    epochs: int = 0
    until: float = 0.0

    @property
    def seconds(self) -> float:
        """Seconds that the observed epochs took together; 0 before the first of them has ended."""
        return 0.0 if self.since is None else self.until - self.since


@dataclass
class SweepEstimate:
    """Estimator of the remaining time of a sweep; there is no estimate before the first epoch has ended.

    The estimate is the number of remaining epochs times the mean time of the observed epochs, divided among the
    simultaneous runs. The mean time includes the time between epochs, but no one-time costs such as imports.

    Attributes:
        todo: Number of epochs of each run to do, by the digest of the run.
        workers: Number of simultaneous runs; None to estimate this number from the observed epochs.
        clock: Function that returns the time in seconds.
        paces: Observed epochs of the runs in progress, by digest.
        ended: Observed epochs of the runs that have ended, by digest.
    """

    todo: Mapping[str, int]
    workers: int | None
    clock: Callable[[], float] = time.monotonic
    paces: dict[str, _Pace] = field(default_factory=dict[str, _Pace])
    ended: dict[str, _Pace] = field(default_factory=dict[str, _Pace])

    def saw(self, running: Mapping[str, Sequence[EpochMetrics]]) -> None:
        """Record the epochs that the runs in progress have finished.

        `running` maps the digest of each run to the metrics of its finished epochs.
        """
        now = self.clock()
        for digest, history in running.items():
            # a process that has finished a run begins the next immediately
            if self.ended:
                warm = now
            else:
                warm = None
            pace = self.paces.setdefault(digest, _Pace(len(history), warm))
            if len(history) - pace.before != pace.epochs:
                pace.epochs = len(history) - pace.before
                pace.until = now
            if pace.since is None and pace.epochs > 0:
                pace.since = now - sum(
                    metrics.seconds for metrics in history[pace.before :]
                )

    def finished(self, record: RunRecord) -> None:
        """Record a run that has ended; if its epochs were not observed, the time in its record is used."""
        now = self.clock()
        pace = self.paces.pop(record.digest, _Pace(0, None))
        start = now - (record.seconds or 0.0) if pace.since is None else pace.since
        epochs = record.config.epochs - pace.before if record.status == "done" else 0
        self.ended[record.digest] = _Pace(pace.before, start, epochs, now)

    def seconds_left(self) -> float | None:
        """Return the seconds until the last run ends; None if no epoch has been observed yet."""
        seen = [
            pace
            for pace in (*self.ended.values(), *self.paces.values())
            if pace.epochs > 0
        ]
        seconds = sum(pace.seconds for pace in seen)
        if not seen or seconds <= 0:
            return None
        an_epoch = seconds / sum(pace.epochs for pace in seen)
        queues = [0.0] * (self.workers or self._at_once(seen))
        for digest in sorted(
            self.todo, key=lambda digest: digest not in self.paces
        ):  # runs under way first
            heapreplace(queues, queues[0] + self._left(digest, an_epoch))
        return max(queues)

    def _left(self, digest: str, an_epoch: float) -> float:
        """Return the estimated seconds until a run ends; `an_epoch` is the estimated time of an epoch in seconds."""
        if digest in self.ended:
            return 0.0
        pace = self.paces.get(digest, _Pace(0, None))
        begun = min(an_epoch, self.clock() - pace.until) if pace.epochs else 0.0
        return max(
            0.0, an_epoch * (self.todo[digest] - pace.before - pace.epochs) - begun
        )

    def _at_once(self, seen: Sequence[_Pace]) -> int:
        """Return an estimated number of simultaneous runs: the runs in progress, or the average so far if larger."""
        taken = max(pace.until for pace in seen) - min(
            pace.until - pace.seconds for pace in seen
        )
        over_time = round(sum(pace.seconds for pace in seen) / taken)
        return max(1, over_time, sum(pace.epochs > 0 for pace in self.paces.values()))
