"""Metrics of each epoch, as JSON lines and, if it is installed, for TensorBoard."""

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
        epoch: Number of the epoch, from 1.
        loss, train_accuracy: Means over the training examples during the epoch.
        validation_accuracy: Accuracy on held-out examples; None if there are none or they are not evaluated.
        lr: Learning rate of this epoch, after its warm-up.
        images_per_second, seconds: Speed and time of training, without evaluation.
    """

    epoch: int
    loss: float
    train_accuracy: float
    validation_accuracy: float | None
    lr: float
    images_per_second: float
    seconds: float


Report = Callable[[EpochMetrics], None]
"""Called after each epoch."""

Tick = Callable[[int], None]
"""Called after each batch with the number of its images."""


class MetricsLog:
    """A file of JSON lines that continues after the epochs of a checkpoint; later lines of a killed run are dropped."""

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
        """Append the metrics of one epoch."""
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
        """Flush what TensorBoard has not written yet."""
        if self.board is not None:
            self.board.close()


def read_metrics(folder: Path) -> list[EpochMetrics]:
    """Return the metrics in a folder so far; an incomplete last line is ignored."""
    found: list[EpochMetrics] = []
    with suppress(OSError, RecursionError, TypeError, ValueError):
        for line in (folder / METRICS_FILE).read_text(encoding="utf-8").splitlines():
            found.append(EpochMetrics(**json.loads(line)))
    return found


def _line(metrics: EpochMetrics) -> str:
    return json.dumps(asdict(metrics)) + "\n"
