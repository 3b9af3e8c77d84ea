"""Write the metrics of each epoch to a file of JSON lines, and to TensorBoard if it is installed."""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from protosphere.errors import StorageError
from protosphere.storage.files import replace_bytes

METRICS_FILE = "metrics.jsonl"


@dataclass(frozen=True)
class EpochMetrics:
    """Metrics of one epoch.

    Attributes:
        epoch: Index of the epoch, from 1.
        loss: Mean loss over the training examples during the epoch.
        train_accuracy: Accuracy on the training examples during the epoch, from 0 to 1. In self-supervised runs, it is
            0.
        validation_accuracy: Accuracy on held-out examples, from 0 to 1; None if there are no held-out examples, or if
            they were not evaluated in this epoch.
        lr: Learning rate of the schedule in this epoch. During a warm-up at the beginning of the run, the optimizer
            uses smaller rates than this.
        images_per_second: Number of training examples per second during training, without evaluation.
        seconds: Time of training in this epoch in seconds, without evaluation.
    """

    epoch: int
    loss: float
    train_accuracy: float
    validation_accuracy: float | None
    lr: float
    images_per_second: float
    seconds: float


Report = Callable[[EpochMetrics], None]
"""Type of a function that is called after each epoch with its metrics."""

Tick = Callable[[int], None]
"""Type of a function that is called after each batch with the number of its images."""


class MetricsLog:
    """Log of the metrics of each epoch: a file of JSON lines, and TensorBoard if it is installed.

    Args:
        folder: Folder for the file "metrics.jsonl" and for the logs of TensorBoard.
        history: Metrics of the epochs that the log begins with. For a run that continues from a checkpoint, these are
            the epochs up to the checkpoint; for a new run, there are none. A file of an earlier log is overwritten.
        tensorboard: Whether to write the metrics for TensorBoard, too.
    """

    def __init__(
        self, folder: Path, history: Iterable[EpochMetrics], *, tensorboard: bool = True
    ) -> None:
        self.path = folder / METRICS_FILE
        replace_bytes(self.path, "".join(map(_line, history)).encode())
        self.board: Any = None
        if tensorboard and find_spec("tensorboard") is not None:
            self.board = import_module("torch.utils.tensorboard").SummaryWriter(
                str(folder / "tensorboard")
            )

    def add(self, metrics: EpochMetrics) -> None:
        """Append the metrics of one epoch.

        Args:
            metrics: Metrics of the epoch.

        Raises:
            StorageError: If the file cannot be written.
        """
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_line(metrics))
        except OSError as error:
            raise StorageError(
                f"cannot write '{self.path}': {error.strerror or error}"
            ) from error
        if self.board is not None:
            for name, value in asdict(metrics).items():
                if value is not None and name != "epoch":
                    self.board.add_scalar(name, value, metrics.epoch)

    def close(self) -> None:
        """Close the writer of TensorBoard logs, if there is one. Closing it writes its buffered values."""
        if self.board is not None:
            self.board.close()


def read_metrics(folder: Path) -> list[EpochMetrics]:
    """Return the metrics of the finished epochs of a run.

    If the folder has no file of metrics, the list is empty. If a line of the file is not valid, this line and all later
    lines are left out.

    Args:
        folder: Folder of the run.
    """
    found: list[EpochMetrics] = []
    with suppress(OSError, RecursionError, TypeError, ValueError):
        for line in (folder / METRICS_FILE).read_text(encoding="utf-8").splitlines():
            found.append(EpochMetrics(**json.loads(line)))
    return found


def _line(metrics: EpochMetrics) -> str:
    return json.dumps(asdict(metrics)) + "\n"
