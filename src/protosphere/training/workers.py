"""The engine of `--workers N`: processes on this machine, one run each at a time.

A worker that dies is replaced and its run tried once more. When the sweep itself dies, by kill -9 too, its workers see
it and end.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from protosphere.data import Dataset, load_dataset
from protosphere.errors import StorageError
from protosphere.files import make_folder
from protosphere.training.recipe import Recipe
from protosphere.training.records import RunRecord
from protosphere.training.runs import run_or_reason
from protosphere.training.sweep import Engine, Work

TICK_SECONDS = 0.5
TRIES = 2


@dataclass
class _Worker:
    """A process, and what it works on."""

    process: Any
    pipe: Connection
    recipe: Recipe | None = None

    def begin(self, recipe: Recipe, work: Work) -> None:
        self.recipe = recipe
        folder = make_folder(work.store.work_folder(recipe.digest))
        self.pipe.send((recipe, work.data_dir, folder, work.accelerator))

    def answer(self) -> RunRecord | None:
        """The record, or None where the process died; StorageError where the store cannot be written to."""
        try:
            answer = self.pipe.recv()
        except (EOFError, OSError):
            return None
        self.recipe = None
        if isinstance(answer, str):
            raise StorageError(answer)
        return answer

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


@dataclass
class _Crew:
    """All workers, and how often each run has been begun."""

    work: Work
    size: int
    todo: list[Recipe]
    members: list[_Worker] = field(default_factory=list[_Worker])
    tries: dict[str, int] = field(default_factory=dict[str, int])

    def busy(self) -> list[_Worker]:
        return [worker for worker in self.members if worker.recipe is not None]

    def hand_out(self) -> None:
        """Give every idle worker a run, hiring as many as there is work for."""
        while self.todo and len(self.busy()) < self.size:
            idle = next((worker for worker in self.members if worker.recipe is None), None)
            if idle is None:
                idle = _hired()
                self.members.append(idle)
            recipe = self.todo.pop(0)
            self.tries[recipe.digest] = self.tries.get(recipe.digest, 0) + 1
            idle.begin(recipe, self.work)

    def collected(self, worker: _Worker) -> RunRecord | None:
        """The worker's record; of one that died None, its run put back, or a record of the failure."""
        recipe = worker.recipe
        record = worker.answer()
        if record is not None or recipe is None:
            return record
        worker.end()
        self.members.remove(worker)
        if self.tries[recipe.digest] < TRIES:
            self.todo.insert(0, recipe)
            return None
        reason = f"its process died {TRIES} times, the last time with exit code {worker.process.exitcode}"
        return RunRecord(recipe, "failed", reason, data=self.work.dataset.digest)


def local_workers(count: int) -> Engine:
    """The engine of `count` processes."""

    def engine(work: Work) -> Iterator[RunRecord]:
        crew = _Crew(work, count, list(work.recipes))
        try:
            crew.hand_out()
            while busy := crew.busy():
                work.watch([worker.recipe for worker in busy if worker.recipe is not None])
                ready = wait([worker.pipe for worker in busy], TICK_SECONDS)
                for worker in (worker for worker in busy if worker.pipe in ready):
                    record = crew.collected(worker)
                    crew.hand_out()
                    if record is not None:
                        yield record
        finally:
            for worker in crew.members:
                worker.end()

    return engine


def _hired() -> _Worker:
    context = multiprocessing.get_context("spawn")  # a fork would inherit torch's threads half alive
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _serve(pipe: Connection) -> None:
    """What a worker does: runs, until nobody asks for more."""
    from protosphere.training.devices import make_fabric

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the sweep's to handle
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            recipe, data_dir, folder, accelerator = pipe.recv()
        except EOFError:
            return
        try:
            fabric = make_fabric(accelerator, recipe.precision)
            pipe.send(run_or_reason(recipe, _dataset(recipe.dataset, data_dir), folder, fabric))
        except StorageError as error:
            pipe.send(str(error))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@lru_cache(maxsize=1)
def _dataset(name: str, data_dir: Path | None) -> Dataset:
    return load_dataset(name, data_dir=data_dir, download=False)
