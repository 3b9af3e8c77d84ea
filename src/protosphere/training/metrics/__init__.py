"""What a trained network is judged by, one metric a file; `METRICS` has them by name."""

# each registers what it measures
from protosphere.training.metrics import accuracy, calibration, conditional_risk, likelihood, severity, top5
from protosphere.training.metrics.registry import METRICS, Metric, Predictions, metric

__all__ = [
    "METRICS",
    "Metric",
    "Predictions",
    "accuracy",
    "calibration",
    "conditional_risk",
    "likelihood",
    "metric",
    "severity",
    "top5",
]
