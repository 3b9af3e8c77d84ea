"""Where a run stands after an epoch, in one file that is written beside and renamed: there is always a whole one."""

import hashlib
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.files import replace_bytes
from protosphere.training.epochs import EpochMetrics

CHECKPOINT_FILE = "checkpoint.pt"
FORMAT = 1


@dataclass(frozen=True)
class Checkpoint:
    """Everything the next epoch needs.

    Attributes:
        recipe: the digest of the recipe, which a run that goes on must have.
        data: the digest of the dataset.
        epoch: how many are done.
        model, head, optimizer, schedule: their states.
        random: the states of all global generators; those of the order and the moves follow from the epoch.
        history: the metrics of the epochs done.
    """

    recipe: str
    data: str
    epoch: int
    model: Mapping[str, Any]
    head: Mapping[str, Any]
    optimizer: Mapping[str, Any]
    schedule: Mapping[str, Any]
    random: dict[str, Any]
    history: tuple[EpochMetrics, ...]


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write the checkpoint; a reader, or a power cut, finds the old one or the new one."""
    content = {name: getattr(checkpoint, name) for name in Checkpoint.__dataclass_fields__} | {"format": FORMAT}
    content["history"] = [asdict(metrics) for metrics in checkpoint.history]
    packed = io.BytesIO()
    torch.save(content, packed)  # into memory first: a full disk is then an OSError that says so
    replace_bytes(folder / CHECKPOINT_FILE, packed.getvalue())


def load_checkpoint(folder: Path, recipe: str, data: str) -> Checkpoint | None:
    """The checkpoint in `folder`, None where there is none; refused where it is of another recipe or other data."""
    path = folder / CHECKPOINT_FILE
    if not path.exists():
        return None
    try:
        content: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        history = tuple(EpochMetrics(**metrics) for metrics in content.pop("history"))
        if content.pop("format") != FORMAT:
            raise ValueError("another format")
        content.setdefault("head", {})  # of a version whose heads learned nothing
        checkpoint = Checkpoint(**content, history=history)
    except Exception as error:  # of a damaged file torch raises many kinds
        raise StorageError(f"cannot read '{path}': damaged or not a checkpoint; remove it to start again") from error
    if checkpoint.recipe != recipe or checkpoint.data != data:
        what = "another recipe" if checkpoint.recipe != recipe else "other data"
        raise InvalidArgumentError(f"'{folder}' holds a run of {what}; choose another folder, or remove it")
    return checkpoint


def weights_digest(weights: Mapping[str, Tensor]) -> str:
    """SHA-256 over names, types, shapes and bits of all weights."""
    sha = hashlib.sha256()
    for name in sorted(weights):
        tensor = weights[name].detach().cpu().contiguous()
        sha.update(f"\0{name}\0{tensor.dtype}\0{tuple(tensor.shape)}\0".encode())
        sha.update(np.ascontiguousarray(tensor.reshape(-1).view(torch.uint8).numpy()).data)
    return sha.hexdigest()
