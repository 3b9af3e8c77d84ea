"""Top-1 accuracy."""

from torch import Tensor

from protosphere.experiments.metrics.registry import Predictions, metric


@metric(summary="the share of examples whose class has the largest logit")
def accuracy(predictions: Predictions) -> Tensor:
    """Return the number of correct predictions."""
    return (predictions.logits.argmax(dim=1) == predictions.labels).sum()
