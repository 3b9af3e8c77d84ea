"""Metrics of trained networks. `METRICS` maps names to metrics."""

from protosphere.experiments.metrics import (
    accuracy as accuracy,
)  # importing each module registers its metrics
from protosphere.experiments.metrics import calibration as calibration
from protosphere.experiments.metrics import conditional_risk as conditional_risk
from protosphere.experiments.metrics import likelihood as likelihood
from protosphere.experiments.metrics import severity as severity
from protosphere.experiments.metrics import top5 as top5
from protosphere.experiments.metrics.registry import METRICS as METRICS
from protosphere.experiments.metrics.registry import Metric as Metric
from protosphere.experiments.metrics.registry import Predictions as Predictions
from protosphere.experiments.metrics.registry import metric as metric
