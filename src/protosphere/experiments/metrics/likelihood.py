"""The metric `negative_log_likelihood`: the mean of minus the logarithm of the probability of the true class."""

from torch import Tensor

from protosphere.experiments.metrics.registry import Predictions, metric


@metric(summary="minus the logarithm of the probability of the true class, on average")
def negative_log_likelihood(predictions: Predictions) -> Tensor:
    """Return the sum over the examples of a batch of minus the log-probability of the true class.

    The metric is the total of these sums over all batches, divided by the number of all examples.

    Args:
        predictions: The logits and the true classes of the examples in the batch.
    """
    return -predictions.log_probabilities.gather(1, predictions.labels[:, None]).sum()
