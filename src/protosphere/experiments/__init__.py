"""Training of networks: configs, resumable runs, sweeps over many configs, and records of their results.

- A config holds all settings of a training run.
- A run trains one network as its config says. A killed run continues from its last checkpoint.
- The record of a run holds the config, the status and the results of the run.
- The digest of a config is a hash of its settings. It identifies the config, its run and its record.
- A store is a folder with the records and the files of runs.
- A sweep is a set of runs with different configs. An engine is a function that does the runs of a sweep.

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
