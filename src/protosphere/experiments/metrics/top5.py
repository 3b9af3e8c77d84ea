"""The metric `top5_accuracy`: the fraction of the examples whose true class has one of the five largest logits."""

from torch import Tensor

from protosphere.experiments.metrics.registry import Predictions, metric


@metric(
    summary="the fraction of examples whose true class has one of the five largest logits"
)
def top5_accuracy(predictions: Predictions) -> Tensor:
    """Return the number of examples in a batch whose true class has one of the five largest logits.

    The metric is the sum of these numbers over all batches, divided by the number of all examples. If there are at most
    five classes, the metric is 1.

    Args:
        predictions: The logits and the true classes of the examples of the batch.
    """
    best = predictions.logits.topk(min(5, predictions.logits.shape[1]), dim=1).indices
    return (best == predictions.labels[:, None]).any(dim=1).sum()
