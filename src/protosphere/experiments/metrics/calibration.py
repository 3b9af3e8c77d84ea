"""The expected calibration error, which compares the confidence of predictions with their accuracy.

The confidence of a prediction is its largest class probability. Predictions are grouped into fifteen bins of equal
width by their confidence. In each bin, the mean confidence is compared with the accuracy. The expected calibration
error is the mean of the absolute differences, where each bin is weighted by its number of examples.

M. Pakdaman Naeini, G. Cooper, M. Hauskrecht, Obtaining well calibrated probabilities using Bayesian binning, AAAI 2015;
fifteen bins of equal width as in C. Guo et al., On calibration of modern neural networks, ICML 2017.
"""

import torch
from torch import Tensor

from protosphere.experiments.metrics.registry import Predictions, metric

BINS = 15


def _expected_error(sums: Tensor, count: int) -> float:
    confidence, correct = sums.view(2, BINS)
    return float((confidence - correct).abs().sum()) / count


@metric(
    summary="mean difference between confidence and accuracy over fifteen bins of confidence",
    value=_expected_error,
)
def calibration_error(predictions: Predictions) -> Tensor:
    """Return a vector of 30 sums over a batch, from which the expected calibration error is computed.

    The confidence of a prediction is its largest class probability. Predictions are grouped into 15 bins of equal width
    by their confidence. The first 15 entries are the sums of the confidences of the predictions in bins 1 to 15. The
    other 15 entries are the numbers of correct predictions in bins 1 to 15.

    Args:
        predictions: Logits and true classes of the examples of the batch.
    """
    confidence, found = predictions.log_probabilities.exp().max(dim=1)
    bins = (confidence * BINS).long().clamp(0, BINS - 1)
    sums = torch.zeros(2, BINS, dtype=confidence.dtype, device=confidence.device)
    sums[0].index_add_(0, bins, confidence)
    sums[1].index_add_(0, bins, (found == predictions.labels).to(confidence.dtype))
    return sums.flatten()
