"""The negative log-likelihood."""

from torch import Tensor

from protosphere.experiments.metrics.registry import Predictions, metric


@metric(summary="minus the logarithm of the probability of the true class, on average")
def negative_log_likelihood(predictions: Predictions) -> Tensor:
    """Return the sum of the negative log-likelihoods under the softmax of the logits."""
    return -predictions.log_probabilities.gather(1, predictions.labels[:, None]).sum()
