"""Estimate the remaining time of a sweep from the epochs that it has finished while it was observed.

A sweep is a list of training runs. A run consists of epochs, and an epoch is one pass over the training examples. The
record of a run holds its settings, its status and its results.

The digest of a run is a hash of its settings, which identifies the run.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapreplace

from protosphere.experiments.epochs import EpochMetrics
from protosphere.experiments.record import RunRecord


@dataclass
class _Pace:
    # number of epochs that ended before the sweep was observed
    before: int
    # start of the first observed epoch in seconds by the clock, None if unknown
    since: float | None
    # number of epochs that ended while the sweep was observed
    epochs: int = 0
    # end of the last observed epoch
    until: float = 0.0

    @property
    def seconds(self) -> float:
        # no epoch has been observed
        if self.since is None or self.epochs == 0:
            return 0.0
        return self.until - self.since


@dataclass
class SweepEstimate:
    """Estimator of the remaining time of a sweep.

    First the mean time of the epochs that ended while the sweep was observed is computed. It includes the time between
    epochs, but no one-time costs such as imports. The estimate assumes that each remaining epoch takes this mean time,
    and that a fixed number of runs take place at the same time. There is no estimate until the first epoch has ended.

    Attributes:
        todo: Mapping from the digest of each run of the sweep to the number of all its epochs. The digest is a hash of
            the settings of the run, which identifies it.
        workers: Number of simultaneous runs; None to estimate this number from the observed epochs.
        clock: Function that returns the time in seconds.
        paces: Progress of the runs in progress, by digest.
        ended: Progress of the runs that have ended, by digest.
    """

    todo: Mapping[str, int]
    workers: int | None
    clock: Callable[[], float] = time.monotonic
    paces: dict[str, _Pace] = field(default_factory=dict[str, _Pace])
    ended: dict[str, _Pace] = field(default_factory=dict[str, _Pace])

    def saw(self, running: Mapping[str, Sequence[EpochMetrics]]) -> None:
        """Record which epochs the runs in progress have finished.

        Args:
            running: Metrics of the finished epochs of each run in progress, by the digest of the run.
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
        """Record a run that has ended.

        Args:
            record: Record of the run. If no call of `saw` has shown when the first observed epoch of the run began,
                this epoch is assumed to have begun `record.seconds` seconds ago. The attribute `seconds` is the
                training time of the run.
        """
        now = self.clock()
        pace = self.paces.pop(record.digest, _Pace(0, None))
        start = now - (record.seconds or 0.0) if pace.since is None else pace.since
        epochs = record.config.epochs - pace.before if record.status == "done" else 0
        self.ended[record.digest] = _Pace(pace.before, start, epochs, now)

    def seconds_left(self) -> float | None:
        """Return the estimated number of seconds until the last run ends; None if no epoch has been observed yet."""
        seen = [
            pace
            for pace in (*self.ended.values(), *self.paces.values())
            if pace.epochs > 0
        ]
        seconds = sum(pace.seconds for pace in seen)
        if not seen or seconds <= 0:
            return None
        an_epoch = seconds / sum(pace.epochs for pace in seen)
        queues = [0.0] * (self.workers or self._estimated_workers(seen))
        for digest in sorted(
            self.todo, key=lambda digest: digest not in self.paces
        ):  # runs under way first
            heapreplace(queues, queues[0] + self._left(digest, an_epoch))
        return max(queues)

    def _left(self, digest: str, an_epoch: float) -> float:
        if digest in self.ended:
            return 0.0
        pace = self.paces.get(digest, _Pace(0, None))
        begun = min(an_epoch, self.clock() - pace.until) if pace.epochs else 0.0
        return max(
            0.0, an_epoch * (self.todo[digest] - pace.before - pace.epochs) - begun
        )

    def _estimated_workers(self, seen: Sequence[_Pace]) -> int:
        taken = max(pace.until for pace in seen) - min(
            pace.until - pace.seconds for pace in seen
        )
        # the average number of simultaneous runs so far
        over_time = round(sum(pace.seconds for pace in seen) / taken)
        return max(1, over_time, sum(pace.epochs > 0 for pace in self.paces.values()))
