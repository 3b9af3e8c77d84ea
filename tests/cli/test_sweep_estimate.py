"""What a sweep says of the time that is left, against what it then takes: simulated sweeps, and no real clock."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

import pytest

from protosphere.cli.sweep_estimate import SweepEstimate, _Pace
from protosphere.cli.sweep_screen import _Board
from protosphere.experiments import load_config
from protosphere.experiments.epochs import EpochMetrics
from protosphere.experiments.record import RunRecord
from protosphere.experiments.store import Store

TICK = 0.5


@dataclass
class Run:
    """A run under way: when its epochs end, those of an earlier call at the start."""

    config: object
    ends: list[float]
    epoch_seconds: float
    end: float = field(init=False)

    def __post_init__(self):
        self.end = self.ends[-1] + 0.2

    def history(self, now):
        done = sum(end <= now for end in self.ends)
        return [
            EpochMetrics(n + 1, 1.0, 0.5, None, 0.1, 100.0, self.epoch_seconds)
            for n in range(done)
        ]


def simulated(
    configs, *, workers, imports, epoch, evaluation, resumed=0, told_workers=True
):
    """(estimate, what it then took) at every tick of a sweep."""
    now = 0.0
    todo = list(configs)
    told = []
    estimate = SweepEstimate(
        {config.digest: config.epochs for config in configs},
        workers if told_workers else None,
        clock=lambda: now,
    )
    free = [imports] * workers
    running = {}
    digests = {config.seed: config.digest for config in configs}
    while todo or running:
        while todo and len(running) < workers:
            config = todo.pop(0)
            start = max(now, free.pop(0))
            fresh = config.epochs - (resumed if not told else 0)
            ends = [0.0] * (config.epochs - fresh) + [
                start + (n + 1) * (epoch + evaluation) for n in range(fresh)
            ]
            running[digests[config.seed]] = Run(config, ends, epoch)
        estimate.saw({digest: run.history(now) for digest, run in running.items()})
        told.append((now, estimate.seconds_left()))
        now += TICK
        for digest, run in list(running.items()):
            if run.end <= now:
                estimate.finished(
                    RunRecord(run.config, "done", seconds=run.config.epochs * epoch)
                )
                free.append(now)
                del running[digest]
    return [(left, now - at) for at, left in told]


def grid(runs, epochs):
    base = load_config("quick-digits").changed(epochs=epochs)
    return [base.changed(seed=seed) for seed in range(runs)]


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("imports", [0.0, 12.0])
@pytest.mark.parametrize("evaluation", [0.0, 0.3])
@pytest.mark.parametrize(
    ("runs", "epochs", "epoch"),
    [(6, 5, 1.7), (20, 10, 0.9), (3, 40, 2.1), (24, 1, 3.3)],
)
@pytest.mark.parametrize("told_workers", [True, False])
def test_what_is_left_is_what_it_takes(
    workers, imports, evaluation, runs, epochs, epoch, told_workers
):
    told = simulated(
        grid(runs, epochs),
        workers=workers,
        imports=imports,
        epoch=epoch,
        evaluation=evaluation,
        told_workers=told_workers,
    )
    known = [(left, true) for left, true in told if left is not None]
    assert len(known) > len(told) * 0.6 - (imports + 2 * epoch) / TICK, (
        "an estimate as soon as there can be one"
    )
    for left, true in known:
        assert (
            0.6 * true - 2 * (epoch + evaluation)
            < left
            < 1.4 * true + 2 * (epoch + evaluation)
        )


def test_nothing_is_said_before_an_epoch_has_ended():
    told = simulated(grid(4, 3), workers=2, imports=30.0, epoch=2.0, evaluation=0.0)
    assert all(left is None for left, _ in told[: int(32.0 / TICK)])
    assert told[int(33.0 / TICK)][0] is not None


def test_epochs_of_an_earlier_call_are_neither_left_nor_evidence():
    told = simulated(
        grid(2, 100), workers=2, imports=0.0, epoch=2.0, evaluation=0.0, resumed=90
    )
    assert told[0][0] is None
    for left, true in told[8:]:
        assert 0.6 * true - 4 < left < 1.4 * true + 4


def test_runs_that_cannot_be_are_not_left():
    now = 0.0
    configs = grid(10, 5)
    estimate = SweepEstimate(
        {config.digest: config.epochs for config in configs}, 1, clock=lambda: now
    )
    for config in configs[:8]:
        estimate.finished(RunRecord(config, "infeasible", "no such code"))
    assert estimate.seconds_left() is None
    estimate.saw({configs[8].digest: []})
    now = 3.0
    estimate.saw(
        {configs[8].digest: [EpochMetrics(1, 1.0, 0.5, None, 0.1, 100.0, 3.0)]}
    )
    assert estimate.seconds_left() == pytest.approx(27, rel=0.4)


def test_the_table_tells_what_is_left(tmp_path):
    now = 0.0
    store = Store(tmp_path)
    configs = grid(4, 3)
    store.add(RunRecord(configs[0], "done", seconds=6.0))
    epochs = {config.digest: config.epochs for config in configs[1:]}
    board = _Board(configs, store, SweepEstimate(epochs, 1, clock=lambda: now))
    assert board.table([configs[1]]).title == "1 done of 4"
    folder = store.work_folder(configs[1].digest)
    folder.mkdir(parents=True)
    now = 2.0
    line = json.dumps(asdict(EpochMetrics(1, 1.0, 0.5, None, 0.1, 100.0, 2.0)))
    (folder / "metrics.jsonl").write_text(f"{line}\n")
    assert board.table([configs[1]]).title == "1 done of 4; 0:16 left"
    board.add(RunRecord(configs[1], "failed", "it was tired"))
    assert board.table([configs[2]]).title.startswith("1 done, 1 failed of 4")


def test_a_run_without_an_observed_epoch_took_no_time():
    assert _Pace(before=0, since=5.0).seconds == 0.0
    assert _Pace(before=0, since=5.0, epochs=2, until=9.0).seconds == 4.0
