"""The registry of metrics: one frozen record each, created by decorating the function that returns its sums."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from protosphere.data import Dataset
from protosphere.registry import Registry


@dataclass(frozen=True)
class Predictions:
    """Predictions for some examples: B x K logits, true classes, and the dataset.

    Attributes:
        logits: B x K logits.
        labels: B true classes.
        dataset: Dataset of the examples.

    Example:
        >>> import torch
        >>> from protosphere.data import load_dataset
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
"""From some examples to a vector of numbers that may be added up over all of them."""


@dataclass(frozen=True)
class Metric:
    """A registered metric.

    Attributes:
        name: Name in results, after `test_` or `validation_`.
        sums: Function that returns the sums to add up over batches and processes.
        value: Function from the sums over all examples and their number to the metric.
        applies: Function that says whether the metric is defined for a dataset.
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
"""Every metric by its name."""


def mean(sums: Tensor, count: int) -> float:
    """Return the mean over the examples: the value of most metrics."""
    return float(sums) / count


def metric(
    *,
    summary: str,
    value: Callable[[Tensor, int], float] = mean,
    applies: Callable[[Dataset], bool] = lambda _: True,
) -> Callable[[Sums], Sums]:
    """Register the decorated function, which returns the sums, under its own name; a second one is an error.

    Args:
        summary: Description in one line.
        value: Function from the sums over all examples and their number to the metric.
        applies: Function that says whether the metric is defined for a dataset.

    Returns:
        A decorator that registers the function and returns it.

    Example:
        >>> from protosphere.experiments.metrics import METRICS
        >>> METRICS["top5_accuracy"].summary
        'the share of examples whose class is among the five largest logits'
    """
    return METRICS.register(
        lambda sums: Metric(sums.__name__, sums, value, applies, summary)
    )
