"""The registry of metrics.

To register a metric, decorate a function with `metric`. The function maps the predictions of a batch to sums over the
batch. The value of the metric is computed from the sums over all batches.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from protosphere.data import Dataset
from protosphere.registry import Registry


@dataclass(frozen=True)
class Predictions:
    """Predictions for a batch of B examples.

    Attributes:
        logits: B x K logits, where K is the number of classes.
        labels: B indices of the true classes.
        dataset: Dataset of the examples.

    Example:
        >>> import torch
        >>> from protosphere.data import load_dataset
        >>> from protosphere.experiments.metrics import Predictions
        >>> predictions = Predictions(torch.zeros(1, 10), torch.tensor([3]), load_dataset("digits"))
        >>> round(float(predictions.log_probabilities[0, 0].exp()), 3)
        0.1
    """

    logits: Tensor
    labels: Tensor
    dataset: Dataset

    @cached_property
    def log_probabilities(self) -> Tensor:
        """Log-softmax of the logits, in float64 if the device supports it."""
        wide = torch.float32 if self.logits.device.type == "mps" else torch.float64
        return self.logits.to(wide).log_softmax(dim=1)


Sums = Callable[[Predictions], Tensor]
"""Type of a function from the predictions of a batch to a vector of sums; the vectors of all batches are added."""


@dataclass(frozen=True)
class Metric:
    """A registered metric.

    Attributes:
        name: Name of the metric. In results, the name has the prefix `test_` or `validation_`.
        sums: Function from the predictions of a batch to a vector of sums over the batch. The vectors of all batches
            and processes are added.
        value: Function that returns the value of the metric. Its arguments are the vector of sums over all examples and
            the number of examples.
        applies: Function that returns whether the metric is defined for a dataset.
        summary: Description in one line.

    Example:
        >>> from protosphere.experiments.metrics import METRICS
        >>> METRICS["accuracy"].name
        'accuracy'
    """

    name: str
    sums: Sums
    value: Callable[[Tensor, int], float]
    applies: Callable[[Dataset], bool]
    summary: str


METRICS: Registry[Metric] = Registry("metric")
"""All metrics by name."""


def mean(sums: Tensor, count: int) -> float:
    """Return the mean of a quantity over the examples.

    Args:
        sums: Sum of the quantity over all examples.
        count: Number of examples.
    """
    return float(sums) / count


def metric(
    *,
    summary: str,
    value: Callable[[Tensor, int], float] = mean,
    applies: Callable[[Dataset], bool] = lambda _: True,
) -> Callable[[Sums], Sums]:
    """Return a decorator that registers a function as a metric under the name of the function.

    Args:
        summary: Description in one line.
        value: Function that returns the value of the metric. Its arguments are the vector of sums over all examples and
            the number of examples. By default, the value is the sum divided by the number.
        applies: Function that returns whether the metric is defined for a dataset. By default, it is defined for all
            datasets.

    Returns:
        A decorator for a function from the predictions of a batch to a vector of sums over the batch. The decorator
        returns the function unchanged.

    Example:
        >>> from protosphere.experiments.metrics import METRICS
        >>> METRICS["top5_accuracy"].summary
        'the fraction of examples whose true class has one of the five largest logits'
    """
    return METRICS.register(
        lambda sums: Metric(sums.__name__, sums, value, applies, summary)
    )
