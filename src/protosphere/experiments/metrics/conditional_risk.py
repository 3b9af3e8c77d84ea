"""Metrics of predictions by least conditional risk: the predicted class has the lowest expected severity of a mistake.

S. Karthik et al., No cost likelihood manipulation at test time for making better mistakes in deep networks, ICLR
2021. The method needs no training, so these metrics exist for every head.
"""

from dataclasses import replace
from functools import partial

from torch import Tensor

from protosphere.experiments.metrics.accuracy import accuracy
from protosphere.experiments.metrics.registry import Predictions, Sums
from protosphere.experiments.metrics.severity import (
    add_mean,
    distance_sum,
    tree_heights,
)


def _least_risk_sums(sums: Sums, predictions: Predictions) -> Tensor:
    """Return the sums of a metric, computed for predictions by least conditional risk.

    The logit of each class is replaced by minus the expected height, in the class tree, of its lowest common ancestor
    with the true class. The expectation is over the probabilities of the classes for this example.
    """
    chances = predictions.log_probabilities.exp()
    return sums(
        replace(
            predictions, logits=-(chances @ tree_heights(predictions).to(chances.dtype))
        )
    )


_accuracy = partial(_least_risk_sums, accuracy)
add_mean(
    "least_risk_accuracy",
    _accuracy,
    "accuracy of the predictions of least conditional risk",
)
for _k in (1, 5, 20):
    _distance = partial(_least_risk_sums, partial(distance_sum, _k))
    _summary = f"hierarchical distance of the {_k} classes of least conditional risk"
    add_mean(f"least_risk_distance_at_{_k}", _distance, _summary)
