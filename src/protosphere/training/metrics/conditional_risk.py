"""Predictions of the least conditional risk: of all classes the one whose expected height of mistakes is lowest.

S. Karthik et al., No cost likelihood manipulation at test time for making better mistakes in deep networks, ICLR 2021.
Nothing is trained for it, so every head has these figures beside its own.
"""

from dataclasses import replace

import torch
from torch import Tensor

from protosphere.training.metrics.accuracy import accuracy
from protosphere.training.metrics.registry import Predictions, Sums, metric
from protosphere.training.metrics.severity import distance_sums, has_tree, shipped_tree


def _of_least_risk(sums: Sums, name: str) -> Sums:
    """These of the same examples, scored by minus the expected height of the common ancestor with the true class."""

    def of_these(predictions: Predictions) -> Tensor:
        tree = shipped_tree(predictions.dataset.class_names)
        assert tree is not None, "only asked where there is one"
        chances = predictions.log_probabilities.exp()
        heights = torch.as_tensor(tree.heights, dtype=chances.dtype, device=chances.device)
        return sums(replace(predictions, logits=-(chances @ heights)))

    of_these.__name__ = name
    return of_these


metric(summary="accuracy of the predictions of least conditional risk", applies=has_tree)(
    _of_least_risk(accuracy, "least_risk_accuracy")
)
for _k in (1, 5, 20):
    metric(summary=f"hierarchical distance of the {_k} classes of least conditional risk", applies=has_tree)(
        _of_least_risk(distance_sums(_k), f"least_risk_distance_at_{_k}")
    )
