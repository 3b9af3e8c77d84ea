"""The metric `accuracy`: the fraction of the examples whose predicted class is correct."""

from torch import Tensor

from protosphere.experiments.metrics.registry import Predictions, metric


@metric(summary="the fraction of examples whose true class has the largest logit")
def accuracy(predictions: Predictions) -> Tensor:
    """Return the number of correct predictions in a batch.

    The metric is the sum of these numbers over all batches, divided by the number of all examples.
    """
    return (predictions.logits.argmax(dim=1) == predictions.labels).sum()
