"""The checkpoint of a run after an epoch, in one file that is replaced atomically."""

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
"""Everything the next epoch needs, by the names in `PARTS`."""

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
"""The digests of config and dataset, how many epochs are done, states, the metrics of those epochs. `random` is of all
global generators; those of the order and the moves follow from the epoch."""


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write the checkpoint atomically, so that a reader always finds a complete one."""
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
    """Return the checkpoint in `folder`, or None; StorageError if it belongs to another config or other data."""
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
    """Return the SHA-256 digest of the names, types, shapes and bits of all weights."""
    sha = hashlib.sha256()
    for name in sorted(weights):
        tensor = weights[name].detach().cpu().contiguous()
        sha.update(f"\0{name}\0{tensor.dtype}\0{tuple(tensor.shape)}\0".encode())
        sha.update(
            np.ascontiguousarray(tensor.reshape(-1).view(torch.uint8).numpy()).data
        )
    return sha.hexdigest()
