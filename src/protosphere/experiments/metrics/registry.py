"""The list of metrics: one frozen record each, made by decorating what it adds up."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from protosphere.data import Dataset
from protosphere.registry import Registry


@dataclass(frozen=True)
class Predictions:
    """What is known of some examples: their logits, B x K, their classes, and the data they are of."""

    logits: Tensor
    labels: Tensor
    dataset: Dataset

    @cached_property
    def log_probabilities(self) -> Tensor:
        """The logarithms of the softmax, in float64 where the device has it."""
        wide = torch.float32 if self.logits.device.type == "mps" else torch.float64
        return self.logits.to(wide).log_softmax(dim=1)


Sums = Callable[[Predictions], Tensor]
"""From some examples to a vector of numbers that may be added up over all of them."""


@dataclass(frozen=True)
class Metric:
    """One metric.

    Attributes:
        name: what results call it, after `test_` or `validation_`.
        sums: what is added up over batches and processes.
        value: from the sums over all examples and their number to the metric.
        applies: whether it means anything for a dataset.
        summary: in a line.
    """

    name: str
    sums: Sums
    value: Callable[[Tensor, int], float]
    applies: Callable[[Dataset], bool]
    summary: str


METRICS: Registry[Metric] = Registry("metric")
"""Every metric by its name."""


def mean(sums: Tensor, count: int) -> float:
    """The value of metrics that are a mean over the examples."""
    return float(sums) / count


def metric(
    *,
    summary: str,
    value: Callable[[Tensor, int], float] = mean,
    applies: Callable[[Dataset], bool] = lambda _: True,
) -> Callable[[Sums], Sums]:
    """Register the decorated function, which gives the sums, under its own name; a second one of it is an error."""
    return METRICS.register(
        lambda sums: Metric(sums.__name__, sums, value, applies, summary)
    )
