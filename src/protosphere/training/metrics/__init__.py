"""What a trained network is judged by, one metric a file; `METRICS` has them by name."""

from protosphere.training.metrics import accuracy as accuracy  # each of these registers what it measures
from protosphere.training.metrics import calibration as calibration
from protosphere.training.metrics import conditional_risk as conditional_risk
from protosphere.training.metrics import likelihood as likelihood
from protosphere.training.metrics import severity as severity
from protosphere.training.metrics import top5 as top5
from protosphere.training.metrics.registry import METRICS as METRICS
from protosphere.training.metrics.registry import Metric as Metric
from protosphere.training.metrics.registry import Predictions as Predictions
from protosphere.training.metrics.registry import metric as metric
