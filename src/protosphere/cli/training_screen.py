"""A run as it goes: one line that moves on a terminal, a line per epoch elsewhere; on standard error."""

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from protosphere.training.epochs import EpochMetrics, Report, Tick
from protosphere.training.recipe import Recipe
from protosphere.types import ignore


@contextmanager
def training_screen(plan: Recipe, images: int, *, visible: bool) -> Generator[tuple[Report, Tick]]:
    """What to call after each epoch, and after each batch."""
    console = Console(stderr=True, highlight=False)
    if not visible:
        yield ignore, ignore
    elif not console.is_terminal:
        yield lambda metrics: console.print(epoch_line(metrics, plan), soft_wrap=True), ignore
    else:
        with _bar(console) as bar:
            used = plan.train_images or images
            each = used - round(plan.validation * used)
            task = bar.add_task(f"epoch 1/{plan.epochs}", total=plan.epochs * each)

            def report(metrics: EpochMetrics) -> None:
                bar.update(task, description=epoch_line(metrics, plan), completed=metrics.epoch * each)

            yield report, lambda count: bar.advance(task, count)


def epoch_line(metrics: EpochMetrics, plan: Recipe) -> str:
    """An epoch in one line."""
    watched = metrics.validation_accuracy
    accuracy = metrics.train_accuracy if watched is None else watched
    left = (plan.epochs - metrics.epoch) * metrics.seconds
    return (
        f"epoch {metrics.epoch}/{plan.epochs}  loss {metrics.loss:.4f}  accuracy {100 * accuracy:.2f} %"
        f"  {metrics.images_per_second:,.0f} images/s  {left:.0f} s left"
    )


def _bar(console: Console) -> Progress:
    return Progress(TextColumn("{task.description}"), BarColumn(bar_width=20), TimeRemainingColumn(), console=console)
