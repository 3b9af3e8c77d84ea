"""Metrics of predictions that minimize the conditional risk, for datasets whose classes are leaves of a class tree.

The severity of a mistake is the height, in the class tree, of the lowest common ancestor of the predicted class and the
true class. The conditional risk of a class is the expected severity if this class is predicted and the true class is
distributed according to the predicted probabilities. These metrics use the class of lowest conditional risk as the
predicted class, instead of the most probable class.

S. Karthik et al., No cost likelihood manipulation at test time for making better mistakes in deep networks, ICLR 2021.
The method needs no training, so these metrics exist for every head.
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
    # with the negative conditional risks as logits, the largest logit belongs to the class of lowest risk
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
    "accuracy of the predictions of minimum conditional risk",
)
for _k in (1, 5, 20):
    _distance = partial(_least_risk_sums, partial(distance_sum, _k))
    _summary = f"hierarchical distance of the {_k} classes of lowest conditional risk"
    add_mean(f"least_risk_distance_at_{_k}", _distance, _summary)
