"""Compute the class similarity that the mappings `align` and `oppose` need; test examples are never used.

The mapping `align` gives similar classes prototypes that are near each other, and `oppose` gives them distant ones. The
setting `similarity` of a config chooses how the similarity of two classes is computed:

- `seen`: The cosine of the two centered class means. If the inputs are features, these are means of the features. For
  images they are means of the logits of the config's network, trained for one epoch with a learned last layer.
- `logits`: The correlation of the two logits of such a network.
- `learned`: The cosine of two rows of a learned layer with `dim` inputs, trained for half of the epochs.
- Any other value is the name of a class tree, or the path of a table with a vector for each class.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from protosphere.assignment import (
    similarity_from_embeddings,
    similarity_from_table,
    taxonomy,
)
from protosphere.assignment.taxonomy import SHIPPED
from protosphere.data import Dataset
from protosphere.data.dataset_loading import found_in_roots
from protosphere.experiments.batches import (
    DeviceData,
    Share,
    device_data,
    evaluation_batches,
)
from protosphere.experiments.config import (
    TrainingConfig,
    config_from,
    without_prototypes,
)
from protosphere.experiments.loop import train
from protosphere.geometry.sphere import normalized
from protosphere.types import Points

WARMUP_FOLDER = "warm-up"
WARMUP_RATE = 2.0


def class_similarity(
    config: TrainingConfig, dataset: Dataset, folder: Path, fabric: Any
) -> Points:
    """Return the K x K matrix of class similarities, computed by the method that the setting `similarity` names.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset with K classes.
        folder: Folder of the run; a network that must be trained first gets a folder inside it.
        fabric: Lightning Fabric that runs the training.
    """
    if config.similarity == "seen":
        return similarity_from_embeddings(
            measured_class_means(config, dataset, folder, fabric)
        )
    if config.similarity == "logits":
        return logit_correlations(config, dataset, folder, fabric)
    if config.similarity == "learned":
        return _learned_cosines(config, dataset, folder, fabric)
    if config.similarity in SHIPPED:
        return taxonomy(config.similarity).of(dataset.class_names).similarity()
    return similarity_from_table(
        found_in_roots(Path(config.similarity)), dataset.class_names
    )


def measured_class_means(
    config: TrainingConfig, dataset: Dataset, folder: Path, fabric: Any
) -> Points:
    """Return the K x D matrix of class means of the training examples.

    If the inputs are D features, the means of the features are returned. For images, the means of the D = K logits of a
    network are returned. This network is the config's backbone with a learned last layer, trained for one epoch.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset with K classes.
        folder: Folder of the run, for the training of the learned layer.
        fabric: Lightning Fabric that runs the training.
    """
    data = device_data(dataset, config, fabric.device)
    if dataset.is_features:
        network = torch.nn.Identity()
    else:
        network = _learned_layer(config, dataset, folder, fabric)
    return _class_means(network, data, dataset.num_classes)


def input_class_means(config: TrainingConfig, dataset: Dataset, fabric: Any) -> Points:
    """Return the mean training input (pixels or features) of each class, one class per row.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset with K classes.
        fabric: Lightning Fabric with the device.
    """
    data = device_data(dataset, config, fabric.device)
    return _class_means(torch.nn.Identity(), data, dataset.num_classes)


def _class_means(network: Any, data: DeviceData, num_classes: int) -> Points:
    """Return the mean output of a network over the training examples of each class, one class per row."""
    sums = None
    counts = torch.bincount(data.train.labels, minlength=num_classes)
    for seen, labels in _outputs_and_labels(network, data):
        if sums is None:
            sums = seen.new_zeros(num_classes, seen.shape[1])
        sums.index_add_(0, labels, seen)
    assert sums is not None, "there are training examples"
    return (sums / counts.clamp(min=1)[:, None]).cpu().numpy()


def logit_correlations(
    config: TrainingConfig, dataset: Dataset, folder: Path, fabric: Any
) -> Points:
    """Return the K x K matrix of correlations between the logits of two classes, over the training examples.

    The logits are computed by the config's backbone with a learned last layer, trained for one epoch. They are centered
    first: for each example, the mean of its logits over the classes is subtracted.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset with K classes.
        folder: Folder of the run, for the training of the learned layer.
        fabric: Lightning Fabric that runs the training.
    """
    data = device_data(dataset, config, fabric.device)
    K = dataset.num_classes
    total = torch.zeros(K, dtype=torch.float64)
    products = torch.zeros(K, K, dtype=torch.float64)
    for seen, _ in _outputs_and_labels(
        _learned_layer(config, dataset, folder, fabric), data
    ):
        logits = (seen - seen.mean(dim=1, keepdim=True)).cpu()
        total = total + logits.sum(0)
        products = products + logits.T @ logits
    covariance = (
        products / len(data.train) - torch.outer(total, total) / len(data.train) ** 2
    ).numpy()
    deviation = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    return np.clip(
        (covariance + covariance.T) / 2 / np.outer(deviation, deviation), -1.0, 1.0
    )


def _learned_layer(
    config: TrainingConfig, dataset: Dataset, folder: Path, fabric: Any
) -> Any:
    """Return the config's network with a learned linear layer as its head, trained for one epoch."""
    epochs = min(1, config.epochs)
    K = dataset.num_classes
    return _briefly_trained(
        config, dataset, folder, fabric, head="linear", dim=K, epochs=epochs
    ).backbone.eval()


def _learned_cosines(
    config: TrainingConfig, dataset: Dataset, folder: Path, fabric: Any
) -> Points:
    units = normalized(learned_class_vectors(config, dataset, folder, fabric))
    return units @ units.T


def learned_class_vectors(
    config: TrainingConfig, dataset: Dataset, folder: Path, fabric: Any
) -> Points:
    """Return the K x n weight matrix of a learned linear layer with n = `dim` inputs and one row per class.

    The layer is trained together with the network for half of the epochs of the config, at twice the learning rate of
    the config, because a learned layer needs a higher rate than fixed prototypes.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset with K classes.
        folder: Folder of the run, for the training of the layer.
        fabric: Lightning Fabric that runs the training.
    """
    settings: dict[str, Any] = {
        "epochs": (config.epochs + 1) // 2,
        "lr": WARMUP_RATE * config.lr,
    }
    layer = _briefly_trained(
        config, dataset, folder, fabric, head="bottleneck", dim=config.dim, **settings
    ).head
    return layer.weight.detach().double().cpu().numpy()


def _briefly_trained(
    config: TrainingConfig, dataset: Dataset, folder: Path, fabric: Any, **changed: Any
) -> Any:
    """Return the config's classifier with a learned head, after a short training with the settings `changed`."""
    settings = without_prototypes(config.record()) | {"warmup": 0.0} | changed
    return train(
        config_from(settings),
        None,
        dataset,
        folder / WARMUP_FOLDER,
        fabric,
        tensorboard=False,
    ).classifier


def _outputs_and_labels(
    network: Any, data: DeviceData
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield batches of a network's outputs for the training examples, as float64 rows, and the labels."""
    with torch.no_grad():
        for inputs, labels in evaluation_batches(data, data.train, Share()):
            yield network(inputs).double().flatten(1), labels
