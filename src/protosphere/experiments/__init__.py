"""Training of networks: configs, resumable runs, sweeps over many configs, and records of their results.

Importing this package does not import torch.
"""

from typing import TYPE_CHECKING, Any

from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.config_files import config_names, load_config
from protosphere.experiments.record import RunRecord

if TYPE_CHECKING:
    from protosphere.experiments.models import load_model

__all__ = ["RunRecord", "TrainingConfig", "config_names", "load_config", "load_model"]


def __getattr__(name: str) -> Any:
    if name == "load_model":
        from protosphere.experiments.models import load_model

        return load_model
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
