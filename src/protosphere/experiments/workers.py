"""The engine of the flag `--workers N` of `protosphere sweep`, which does the runs of a sweep in N processes.

A sweep is a list of training runs. An engine is a function that does the runs of a sweep. The record of a run holds its
settings, its status and its results.

The processes are on this machine, and each of them does one run at a time. If a worker process dies, it is replaced,
and its run is started once more. If the process of the second start dies too, the run has failed. If the main process
of the sweep ends, even by kill -9, its workers end too.
"""

import multiprocessing
import signal
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from multiprocessing.connection import Connection, wait
from typing import Any

from protosphere.data import load_dataset
from protosphere.errors import StorageError
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.processes import end_with_parent
from protosphere.experiments.record import RunRecord
from protosphere.experiments.run import run_or_reason
from protosphere.experiments.sweep import Engine, Work

TICK_SECONDS = 0.5
TRIES = 2


class _Worker:
    def __init__(self) -> None:
        context = multiprocessing.get_context(
            "spawn"
        )  # a fork would inherit torch's threads half alive
        # `pipe` is the sweep's end, `theirs` is the worker's end
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


class _Crew:
    def __init__(self, work: Work, size: int) -> None:
        self.work = work
        self.size = size
        # `todo` has (config, number of starts so far); `busy` has (worker, config, number of starts) by pipe.
        self.todo = [(config, 0) for config in work.configs]
        self.idle: list[_Worker] = []
        self.busy: dict[Any, tuple[_Worker, TrainingConfig, int]] = {}

    def hand_out(self) -> None:
        while self.todo and len(self.busy) < self.size:
            worker = self.idle.pop() if self.idle else _Worker()
            config, tries = self.todo.pop(0)
            self.busy[worker.pipe] = (worker, config, tries + 1)
            folder = self.work.store.work_folder(config.digest)
            worker.pipe.send(
                (config, self.work.data_dir, folder, self.work.accelerator)
            )

    def collected(self, pipe: Any) -> RunRecord | None:
        worker, config, tries = self.busy.pop(pipe)
        try:
            answer = pipe.recv()
        except (EOFError, OSError):
            worker.end()
            if tries < TRIES:
                self.todo.insert(0, (config, tries))
                return None  # the run starts again
            # a run whose worker dies for the second time has failed
            reason = f"its process died {TRIES} times, the last time with exit code {worker.process.exitcode}"
            return RunRecord(config, "failed", reason, data=self.work.dataset.digest)
        self.idle.append(worker)
        if isinstance(answer, str):  # the message of a StorageError
            raise StorageError(answer)
        return answer


def local_workers(count: int) -> Engine:
    """Return a function that does the runs of a sweep in worker processes.

    The function yields the record of each run when the run ends.

    Args:
        count: Number of worker processes.
    """

    def engine(work: Work) -> Iterator[RunRecord]:
        crew = _Crew(work, count)
        try:
            crew.hand_out()
            while crew.busy:
                work.watch([config for _, config, _ in crew.busy.values()])
                for pipe in wait(crew.busy, TICK_SECONDS):
                    record = crew.collected(pipe)
                    crew.hand_out()
                    if record is not None:
                        yield record
        finally:
            for worker in (
                *crew.idle,
                *(worker for worker, _, _ in crew.busy.values()),
            ):
                worker.end()

    return engine


def _serve(pipe: Connection) -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # an interrupt is the sweep's to handle
    end_with_parent()
    dataset_of = lru_cache(maxsize=1)(load_dataset)
    with suppress(EOFError):  # the sweep has closed the pipe
        while True:
            config, data_dir, folder, accelerator = pipe.recv()
            try:
                dataset = dataset_of(config.dataset, data_dir=data_dir, download=False)
                pipe.send(run_or_reason(config, dataset, folder, accelerator))
            except StorageError as error:
                pipe.send(str(error))
