"""Evaluate a classifier: its accuracy on validation examples after each epoch, and all metrics at the end.

A metric is a number that rates the predictions of a classifier. Validation examples are training examples of the
dataset that are held out: the classifier is not trained on them.
"""

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
"""Largest number of logits in a batch when metrics are computed; some metrics copy the logits in float64."""


@dataclass(frozen=True)
class Evaluation:
    """A classifier, the data to evaluate it on, and methods that evaluate it.

    Attributes:
        fabric: Lightning Fabric of the run.
        model: The classifier as an object that Fabric has wrapped for the device of the run.
        classifier: The same classifier without the wrapper.
        dataset: Training and test examples of the run.
        data: The same examples on the device of the run, with the validation examples apart.
    """

    fabric: Any
    model: Any
    classifier: Classifier
    dataset: Dataset
    data: DeviceData

    @property
    def part(self) -> Share:
        """The slice of each batch of examples that this process evaluates."""
        return Share(self.fabric.global_rank, self.fabric.world_size)

    def summed(self, value: Tensor) -> Tensor:
        """Return the sum of the tensors of all processes.

        Args:
            value: Tensor of this process.
        """
        if self.part.world > 1:
            return self.fabric.all_reduce(value, reduce_op="sum")
        return value

    def accuracy(self, labeled: Labeled) -> float:
        """Return the fraction of the given examples whose predicted class is correct.

        Each process evaluates some of the examples, and all processes get the result for all examples.

        Args:
            labeled: Examples with their labels.
        """
        self.model.eval()
        correct = torch.zeros((), dtype=torch.int64, device=labeled.labels.device)
        with torch.no_grad():
            for inputs, labels in evaluation_batches(self.data, labeled, self.part):
                correct += (
                    self.classifier.predicted(self.model(inputs)) == labels
                ).sum()
        return float(self.summed(correct)) / len(labeled)

    def all_metrics(self) -> dict[str, float | None]:
        """Return the values of all metrics on the test examples and on the validation examples.

        Metrics that are not defined for the dataset are left out. The keys are the names of the metrics with the prefix
        test_ or validation_. A value that is not finite is replaced by None. If there are no validation examples, there
        are no keys with the prefix validation_.
        """
        test = self.metrics("test_", self.data.test)
        return test | self.metrics("validation_", self.data.validation)

    def metrics(self, prefix: str, labeled: Labeled) -> dict[str, float | None]:
        """Return the values of all metrics that are defined for the dataset, on the given examples.

        Args:
            prefix: Text that is put before the name of each metric in the result.
            labeled: Examples with their labels.

        Returns:
            Mapping from names to values. A value that is not finite is replaced by None. If there are no examples, the
            mapping is empty.
        """
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
