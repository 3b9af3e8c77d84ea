"""A progress bar for people, on standard error, shown only once something takes longer than a moment."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

from protosphere.types import Progress

PATIENCE_SECONDS = 1.0


@contextmanager
def progress_bar(label: str = "") -> Generator[Progress, None, None]:
    """A `progress` argument that draws a bar with the time left.

    >>> import protosphere as ps
    >>> with ps.progress_bar("simplex") as progress:
    ...     code = ps.construct("simplex", num_classes=10, dim=9, progress=progress)
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    tasks: dict[str, TaskID] = {}
    begun = time.monotonic()

    def show(stage: str, done: int, total: int) -> None:
        if not bar.console.is_terminal or time.monotonic() - begun < PATIENCE_SECONDS:
            return
        if stage not in tasks:
            tasks[stage] = bar.add_task(f"{label} {stage}".strip(), total=total)
            bar.start()
        bar.update(tasks[stage], completed=done, total=total)

    try:
        yield show
    finally:
        if tasks:
            bar.stop()
