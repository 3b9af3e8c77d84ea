"""Prototypes that depend on the training examples: given to classes by similarity, or moved in a rehearsal; then fixed.

They are kept in the run's folder, and read from there when it goes on. In a rehearsal prototypes move with the network
for an epoch or two: where there are few dimensions, no choice of classes for given points reaches what a learned layer
finds; a short look at the training examples finds most of it, and the head is as fixed afterwards as any other.
"""

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import linear, normalize

import protosphere as ps
from protosphere.assignment import assign
from protosphere.assignment.similarity import similarity_text
from protosphere.constructions import describe
from protosphere.data import Dataset
from protosphere.errors import StorageError
from protosphere.experiments.class_similarity import WARMUP_FOLDER, class_similarity
from protosphere.experiments.config import ALIGNED, TrainingConfig
from protosphere.experiments.loop import train
from protosphere.experiments.run import constructed
from protosphere.nn import PrototypeHead

PROTOTYPES_FILE = "prototypes.safetensors"
REHEARSAL_FOLDER = "rehearsal"

STRIDE = 20.0
"""How much faster than unit vectors they turn: gradients of v / |v| go as 1 / |v|, and angles as its square."""


def fitted_prototypes(
    config: TrainingConfig, dataset: Dataset, folder: Path, fabric: Any
) -> ps.SphericalCode:
    """The prototypes of a config that fits them; made once, and kept in `folder`."""
    path = folder / PROTOTYPES_FILE
    if path.exists():
        code = ps.load(path)
        if code.dim != config.dim:
            held = (
                f"holds prototypes of dim {code.dim}, and the config has {config.dim}"
            )
            raise StorageError(f"'{path}' {held}; remove it")
        return code
    if config.mapping in ALIGNED:
        code = _by_similarity(config, dataset, folder, fabric)
    else:
        code = constructed(config, dataset.num_classes, dataset.class_names)
    if config.rehearsal:
        code = _rehearsed(config, code, dataset, folder, fabric)
    if fabric.is_global_zero:
        code.save(path)
        for used in (WARMUP_FOLDER, REHEARSAL_FOLDER):
            shutil.rmtree(folder / used, ignore_errors=True)
    return code


def _by_similarity(
    config: TrainingConfig, dataset: Dataset, folder: Path, fabric: Any
) -> ps.SphericalCode:
    similarity = class_similarity(config, dataset, folder, fabric)
    build = partial(constructed, config, dataset.num_classes, dataset.class_names)
    if "similarity" in describe(config.scheme).options:
        return build(
            similarity=similarity_text(
                similarity if config.mapping == "align" else -similarity
            )
        )
    return assign(build(), similarity, config.mapping, seed=config.seed_of_prototypes)


class MovingPrototypes(nn.Module):
    """A prototype head whose prototypes are learned, on the sphere; cross-entropy on its logits is trained."""

    def __init__(self, code: ps.SphericalCode, preset: str, scale: float | str) -> None:
        super().__init__()
        self.head = PrototypeHead(code, preset=preset, scale=scale)
        self.vectors = nn.Parameter(
            torch.tensor(code.points / np.sqrt(STRIDE), dtype=torch.float32)
        )

    def forward(self, z: Tensor) -> Tensor:
        """The logits."""
        return linear(self.head.embed(z), normalize(self.vectors, dim=1).to(z.dtype))


def _rehearsed(
    config: TrainingConfig,
    code: ps.SphericalCode,
    dataset: Dataset,
    folder: Path,
    fabric: Any,
) -> ps.SphericalCode:
    """The points that these prototypes move to over the config's rehearsal, at its rate throughout."""
    head = MovingPrototypes(code, config.preset, config.scale)
    alone = config.changed(
        epochs=config.rehearsal, reassignment=0, schedule="constant", warmup=0.0
    )
    train(
        alone,
        None,
        dataset,
        folder / REHEARSAL_FOLDER,
        fabric,
        tensorboard=False,
        head=head,
    )
    return ps.from_points(head.vectors.detach().double().cpu().numpy(), normalize=True)
