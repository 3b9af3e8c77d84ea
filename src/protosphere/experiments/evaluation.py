"""Evaluation of a network on held-out examples: accuracy after each epoch, every metric at the end."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from protosphere.data import Dataset
from protosphere.experiments.batches import (
    EVALUATION_BATCH,
    DeviceData,
    Labeled,
    Share,
    evaluation_batches,
)
from protosphere.experiments.heads import Classifier
from protosphere.experiments.metrics import METRICS, Predictions

MOST_LOGITS = 1 << 22
"""Logits that metrics hold at once: some want them in double precision, more than once."""


@dataclass(frozen=True)
class Evaluation:
    """A network (also as Fabric's wrapper `model`) and the data to evaluate it on."""

    fabric: Any
    model: Any
    classifier: Classifier
    dataset: Dataset
    data: DeviceData

    @property
    def part(self) -> Share:
        """Index of this process among all processes."""
        return Share(self.fabric.global_rank, self.fabric.world_size)

    def summed(self, value: Tensor) -> Tensor:
        """Return the sum over all processes."""
        if self.part.world > 1:
            return self.fabric.all_reduce(value, reduce_op="sum")
        return value

    def accuracy(self, labeled: Labeled) -> float:
        """Return the share of examples whose nearest prototype is that of their class."""
        self.model.eval()
        correct = torch.zeros((), dtype=torch.int64, device=labeled.labels.device)
        with torch.no_grad():
            for inputs, labels in evaluation_batches(self.data, labeled, self.part):
                correct += (
                    self.classifier.predicted(self.model(inputs)) == labels
                ).sum()
        return float(self.summed(correct)) / len(labeled)

    def all_metrics(self) -> dict[str, float | None]:
        """Return every metric on test and held-out examples, by its name after `test_` or `validation_`."""
        test = self.metrics("test_", self.data.test)
        return test | self.metrics("validation_", self.data.validation)

    def metrics(self, prefix: str, labeled: Labeled) -> dict[str, float | None]:
        """Return every applicable metric by its name after `prefix`; None if it is not finite."""
        if not len(labeled):
            return {}
        chosen = [metric for metric in METRICS.values() if metric.applies(self.dataset)]
        totals: dict[str, Tensor] = {}
        rows = min(EVALUATION_BATCH, max(1, MOST_LOGITS // self.dataset.num_classes))
        self.model.eval()
        with torch.no_grad():
            for inputs, labels in evaluation_batches(
                self.data, labeled, self.part, rows
            ):
                seen = Predictions(
                    self.classifier.head(self.model(inputs)), labels, self.dataset
                )
                for metric in chosen:
                    totals[metric.name] = totals.get(metric.name, 0) + metric.sums(seen)
        values = {
            metric.name: metric.value(self.summed(totals[metric.name]), len(labeled))
            for metric in chosen
        }
        return {
            prefix + name: value if math.isfinite(value) else None
            for name, value in values.items()
        }
