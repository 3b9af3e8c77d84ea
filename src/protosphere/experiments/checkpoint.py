"""Save and load the checkpoint of a training run.

A config holds all settings of a run, and its digest is a hash of these settings.

A checkpoint has the state of a run after an epoch, from which the run can continue. It is one file in the folder of the
run, which is replaced atomically after each epoch.
"""

import hashlib
import io
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.experiments.epochs import EpochMetrics
from protosphere.storage.files import replace_bytes
from protosphere.storage.npz import refuse_tightly_packed

CHECKPOINT_FILE = "checkpoint.pt"
FORMAT = 1

Checkpoint = dict[str, Any]
"""Type of a checkpoint: a dictionary with everything that the next epoch needs. Its keys are those in `PARTS`."""

PARTS = {
    "config",
    "data",
    "epoch",
    "model",
    "head",
    "optimizer",
    "schedule",
    "random",
    "history",
    "format",
}
"""Keys of a checkpoint.

`config` and `data` are the digests of the config and of the dataset. `epoch` is the number of finished epochs, and
`history` has the metrics of these epochs. `model`, `head`, `optimizer` and `schedule` are state dictionaries. `random`
has the states of all global random generators. `format` is the number of the file format. The random streams for the
order of the examples and for the augmentation need no state, because they are derived from the seed and the epoch.
"""


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint to a file in `folder`.

    The file is replaced atomically, so that it is always complete.

    Args:
        folder: Folder for the checkpoint, the metrics and the weights of the run.
        checkpoint: State of the run after an epoch. Its keys are "config" and "data" (digests of the config and of the
            dataset), "epoch" (number of finished epochs), "model", "head", "optimizer" and "schedule" (state
            dictionaries), "random" (states of the random generators) and "history" (`EpochMetrics` of the finished
            epochs).
    """
    content = checkpoint | {
        "history": [asdict(metrics) for metrics in checkpoint["history"]],
        "format": FORMAT,
    }
    packed = io.BytesIO()
    torch.save(
        content, packed
    )  # into memory first: a full disk is then an OSError that says so
    replace_bytes(folder / CHECKPOINT_FILE, packed.getvalue())


def load_checkpoint(folder: Path, config: str, data: str) -> Checkpoint | None:
    """Return the checkpoint in `folder`, or None if the folder has no checkpoint.

    A checkpoint is a dictionary with the state of a run after an epoch, as `save_checkpoint` takes it, and the entry
    "format", an integer that identifies the file format.

    Args:
        folder: Folder for the checkpoint, the metrics and the weights of the run.
        config: Digest of the config.
        data: Digest of the dataset.

    Raises:
        InvalidArgumentError: If the checkpoint belongs to another config or to other data.
        StorageError: If the file is damaged or not a checkpoint.
    """
    path = folder / CHECKPOINT_FILE
    if not path.exists():
        return None
    try:
        refuse_tightly_packed(path)
        found: Checkpoint = torch.load(path, map_location="cpu", weights_only=True)
        history = tuple(EpochMetrics(**metrics) for metrics in found["history"])
        if found["format"] != FORMAT or found.keys() != PARTS:
            raise ValueError("another format")
    except StorageError:
        raise
    except Exception as error:  # of a damaged file torch raises many kinds
        raise StorageError(
            f"cannot read '{path}': damaged or not a checkpoint; remove it to start again"
        ) from error
    if found["config"] != config or found["data"] != data:
        what = "another config" if found["config"] != config else "other data"
        raise InvalidArgumentError(
            f"'{folder}' holds a run of {what}; choose another folder, or remove it"
        )
    return found | {"history": history}


def weights_digest(weights: Mapping[str, Tensor]) -> str:
    """Return the SHA-256 digest of the names, dtypes, shapes and bits of tensors, as hexadecimal text.

    Args:
        weights: Tensors by name.
    """
    sha = hashlib.sha256()
    for name in sorted(weights):
        tensor = weights[name].detach().cpu().contiguous()
        sha.update(f"\0{name}\0{tensor.dtype}\0{tuple(tensor.shape)}\0".encode())
        sha.update(
            np.ascontiguousarray(tensor.reshape(-1).view(torch.uint8).numpy()).data
        )
    return sha.hexdigest()
