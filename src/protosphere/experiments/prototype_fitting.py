"""Compute the prototypes of configs for which the scheme and the seed alone do not determine them.

A config holds all settings of a training run. The head maps the output of the network to logits, one for each class.

There are four methods:

- Prototypes are made from the class means of the training inputs.
- Prototypes are made from the weight vectors of a learned layer.
- The points of a scheme are assigned to classes by class similarity.
- In a prototype warm-up, the prototypes are trained together with the network for a few epochs. Then they are fixed.

The prototypes are stored in the folder of the run. If the run is resumed, they are read from there.
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
from protosphere.experiments.class_similarity import (
    WARMUP_FOLDER,
    class_similarity,
    input_class_means,
    learned_class_vectors,
)
from protosphere.experiments.config import (
    ALIGNED_MAPPINGS,
    GIVEN_PROTOTYPES,
    TrainingConfig,
)
from protosphere.experiments.heads import configured_head
from protosphere.experiments.loop import train
from protosphere.experiments.run import constructed
from protosphere.nn import PrototypeHead

PROTOTYPES_FILE = "prototypes.safetensors"
PROTOTYPE_WARMUP_FOLDER = "prototype-warm-up"

STRIDE = 20.0
"""Factor by which a gradient step of the warm-up rotates the prototypes farther than it would rotate unit vectors.

The trained vectors v have norm 1 / sqrt(STRIDE), and the prototypes are v / |v|. The angle by which a gradient step
rotates v is proportional to 1 / |v|^2.
"""


def fitted_prototypes(
    config: TrainingConfig, dataset: Dataset, folder: Path, fabric: Any
) -> ps.SphericalCode:
    """Return the prototypes of a config for which the scheme and the seed alone do not determine them.

    They are made from class means or from a learned layer, assigned to classes by similarity, or trained in a warm-up.
    The prototypes are computed once and stored in `folder`. Later calls read them from there.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Training and test examples of the run.
        folder: Folder for the checkpoint, the metrics and the weights of the run.
        fabric: The `Fabric` object of Lightning with which networks are trained, if the prototypes depend on a
            training.

    Raises:
        StorageError: If the stored prototypes cannot be read, or have another dimension than the config.
    """
    path = folder / PROTOTYPES_FILE
    if path.exists():
        code = ps.load(path)
        if code.dim != config.dim:
            held = (
                f"holds prototypes of dim {code.dim}, and the config has {config.dim}"
            )
            raise StorageError(f"'{path}' {held}; remove it")
        return code
    if config.prototypes != GIVEN_PROTOTYPES:
        code = _class_vector_prototypes(config, dataset, folder, fabric)
    elif config.mapping in ALIGNED_MAPPINGS:
        code = _by_similarity(config, dataset, folder, fabric)
    else:
        code = constructed(config, dataset.num_classes, dataset.class_names)
    if config.prototype_warmup_epochs:
        code = _after_warmup(config, code, dataset, folder, fabric)
    if fabric.is_global_zero:
        code.save(path)
        for used in (WARMUP_FOLDER, PROTOTYPE_WARMUP_FOLDER):
            shutil.rmtree(folder / used, ignore_errors=True)
    return code


def _class_vector_prototypes(
    config: TrainingConfig, dataset: Dataset, folder: Path, fabric: Any
) -> ps.SphericalCode:
    if config.prototypes == "class_means":
        vectors = input_class_means(config, dataset, fabric)
    else:
        vectors = learned_class_vectors(config, dataset, folder, fabric)
    return ps.from_embeddings(vectors, config.dim, seed=config.seed_of_prototypes)


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
    """Head whose prototypes are trained together with the network.

    The trained vectors are normalized to unit vectors in each forward pass.

    Args:
        head: Head with the initial prototypes. Its preset and its scale determine how logits are computed.
    """

    def __init__(self, head: PrototypeHead) -> None:
        super().__init__()
        self.head = head
        points = head.code.points
        self.vectors = nn.Parameter(
            torch.tensor(points / np.sqrt(STRIDE), dtype=torch.float32)
        )

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x K logits of B x n vectors z."""
        return linear(self.head.embed(z), normalize(self.vectors, dim=1).to(z.dtype))


def _after_warmup(
    config: TrainingConfig,
    code: ps.SphericalCode,
    dataset: Dataset,
    folder: Path,
    fabric: Any,
) -> ps.SphericalCode:
    # the trained network is not used any more
    head = MovingPrototypes(configured_head(config, code))
    alone = config.changed(
        epochs=config.prototype_warmup_epochs, schedule="constant", warmup=0.0
    )
    train(
        alone,
        None,
        dataset,
        folder / PROTOTYPE_WARMUP_FOLDER,
        fabric,
        tensorboard=False,
        head=head,
    )
    return ps.from_points(head.vectors.detach().double().cpu().numpy(), normalize=True)
