"""The metric `top5_accuracy`: the fraction of the examples whose true class has one of the five largest logits."""

from torch import Tensor

from protosphere.experiments.metrics.registry import Predictions, metric


@metric(
    summary="the fraction of examples whose true class has one of the five largest logits"
)
def top5_accuracy(predictions: Predictions) -> Tensor:
    """Return the number of examples in a batch whose true class has one of the five largest logits.

    If there are at most five classes, this is the number of all examples.
    """
    best = predictions.logits.topk(min(5, predictions.logits.shape[1]), dim=1).indices
    return (best == predictions.labels[:, None]).any(dim=1).sum()
