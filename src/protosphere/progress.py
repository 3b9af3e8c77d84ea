"""Show progress on standard error: as a bar on a terminal, otherwise as a line of text every few seconds.

A computation reports its progress by calling a function with three arguments: a text that names the current stage, the
number of finished steps of the stage, and the number of all its steps (0 if unknown).
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from protosphere.types import Progress

if TYPE_CHECKING:
    from rich.console import Console

PATIENCE_SECONDS = 1.0
"""Seconds for which nothing is shown, so that short computations show no progress."""

LINE_SECONDS = 5.0
"""Smallest number of seconds between two lines, if standard error is not a terminal."""

STARTING = "starting"
"""Name of the stage that is shown before the first report, for example during imports or compilation."""


class _StageBars:
    def __init__(self, label: str, console: Console) -> None:
        from rich.progress import (
            BarColumn,
            Progress,
            TaskID,
            TextColumn,
            TimeRemainingColumn,
        )

        self.bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self.label = label
        self.tasks: dict[str, TaskID] = {}

    def show(self, stage: str, done: int, total: int) -> None:
        # Stages whose names differ only after a colon, such as "searching: start 3", share a bar.
        name = stage.partition(":")[0]
        description = f"{self.label} {stage}".strip()
        if name not in self.tasks:
            if STARTING in self.tasks:
                self.bar.remove_task(self.tasks.pop(STARTING))
            self.tasks[name] = self.bar.add_task(description, total=total or None)
            self.bar.start()
        self.bar.update(
            self.tasks[name],
            description=description,
            completed=done,
            total=total or None,
        )

    def stop(self) -> None:
        if self.tasks:
            self.bar.stop()


class _StageLines:
    def __init__(self, label: str, console: Console) -> None:
        self.label = label
        self.console = console
        self.shown = float("-inf")

    def show(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() - self.shown >= LINE_SECONDS:
            self.shown = time.monotonic()
            share = f" {100 * done // total}%" if total else ""
            text = f"{self.label} {stage}{share}".strip()
            self.console.print(text, soft_wrap=True)

    def stop(self) -> None:
        pass  # the lines stay on the screen


@contextmanager
def progress_bar(label: str = "") -> Generator[Progress, None, None]:
    """Return a context manager that shows the progress of functions with a `progress` argument.

    The progress is shown on standard error: as a bar on a terminal, otherwise as lines of text.

    Args:
        label: Text that is shown before the name of the current stage.

    Yields:
        A function to pass as the argument `progress`.

    Example:
        >>> import protosphere as ps
        >>> with ps.progress_bar("simplex") as progress:
        ...     code = ps.construct("simplex", num_classes=10, dim=9, progress=progress)
    """
    from protosphere.terminal import error_console

    console = error_console()
    if console.is_terminal:
        display = _StageBars(label, console)
    else:
        display = _StageLines(label, console)
    started = time.monotonic()
    lock = Lock()
    ended = Event()
    latest = [(STARTING, 0, 0)]

    def show(stage: str, done: int, total: int) -> None:
        with lock:
            latest[0] = (stage, done, total)
            if time.monotonic() - started >= PATIENCE_SECONDS:
                display.show(stage, done, total)

    def repeat() -> None:  # a long computation may not report for a while
        pause = PATIENCE_SECONDS
        while not ended.wait(pause):
            pause = LINE_SECONDS
            with lock:
                display.show(*latest[0])

    thread = Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield show
    finally:
        ended.set()
        thread.join()
        display.stop()
