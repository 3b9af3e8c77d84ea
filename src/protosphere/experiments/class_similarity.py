"""Compute the class similarity that the mappings `align` and `oppose` need.

A config holds all settings of a training run. The backbone is the network up to the last layer. The last layer maps the
output of the backbone to logits, one for each class.

The mapping `align` gives similar classes prototypes that are near each other, and `oppose` gives them distant ones. The
setting `similarity` of a config chooses how the similarity of two classes is computed:

- `seen`: The cosine of the centered mean vectors of the two classes. If the inputs are features, a mean vector is the
  mean of the features of a class. For images, a mean vector is the mean of the logit vectors of the images of a class.
  These logits come from the network of the config, trained for one epoch with a learned last layer.
- `logits`: The correlation, over the training examples, of the logit of one class and the logit of the other class. The
  logits come from the network of the config, trained for one epoch with a learned last layer.
- `learned`: The cosine of the weight vectors of the two classes in a learned last layer with `dim` inputs, trained for
  half of the epochs of the config.
- Any other value is the name of a class tree of the package, or the path of a file. For a class tree, classes are more
  similar if they are closer in the tree. For a file, the similarity is computed from its table, which has a vector for
  each class.

Only training examples are used, never validation or test examples.
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
    """Return the K x K matrix of class similarities for the setting `similarity` of a config.

    The value of the setting determines the similarity of two classes:

    - "seen": the cosine of the mean vectors of the two classes, after the mean over all classes is subtracted. The
      vector of an example consists of its normalized features. If the examples are images, the vector consists of the K
      logits of a network that is trained for one epoch.
    - "logits": the correlation of the logits of the two classes over the training examples. The logits come from a
      network that is trained for one epoch.
    - "learned": the cosine of the weight vectors of the two classes in a learned last layer, trained for half of the
      epochs of the config.
    - The name of a class tree of the package: the similarity is higher if the two classes are closer in the tree.
    - The path of a table with a vector for each class: the cosine of the vectors of the two classes, after the mean of
      all vectors is subtracted.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset with K classes.
        folder: Folder of the run. If a network must be trained first, this is done in a folder inside it.
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
    """Return a matrix whose row k is the mean vector of the training examples of class k.

    For a dataset of features, the vector of an example consists of its normalized features. For a dataset of images, it
    consists of the K logits that a network computes for the image. This network is the backbone of the config with a
    learned last layer. Both are trained together for one epoch.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset with K classes.
        folder: Folder of the run. A network is trained in a folder inside it if the dataset has images.
        fabric: Lightning Fabric that runs the training.
    """
    data = device_data(dataset, config, fabric.device)
    if dataset.is_features:
        network = torch.nn.Identity()
    else:
        network = _network_with_learned_layer(config, dataset, folder, fabric)
    return _mean_outputs_by_class(network, data, dataset.num_classes)


def input_class_means(config: TrainingConfig, dataset: Dataset, fabric: Any) -> Points:
    """Return a matrix whose row k is the mean of the normalized training inputs of class k.

    An input is a feature vector, or the vector of all pixels of an image.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset with K classes.
        fabric: Lightning Fabric with the device.
    """
    data = device_data(dataset, config, fabric.device)
    return _mean_outputs_by_class(torch.nn.Identity(), data, dataset.num_classes)


def _mean_outputs_by_class(network: Any, data: DeviceData, num_classes: int) -> Points:
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
    """Return a K x K matrix whose entry (i, j) is the correlation of the logits of classes i and j.

    The correlation is over the training examples. The logits are computed by the backbone of the config with a learned
    last layer. Both are trained together for one epoch. Before the correlations are computed, the mean of the K logits
    of an example is subtracted from each of these logits.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset with K classes.
        folder: Folder of the run. The network is trained in a folder inside it.
        fabric: Lightning Fabric that runs the training.
    """
    data = device_data(dataset, config, fabric.device)
    K = dataset.num_classes
    total = torch.zeros(K, dtype=torch.float64)
    products = torch.zeros(K, K, dtype=torch.float64)
    for seen, _ in _outputs_and_labels(
        _network_with_learned_layer(config, dataset, folder, fabric), data
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


def _network_with_learned_layer(
    config: TrainingConfig, dataset: Dataset, folder: Path, fabric: Any
) -> Any:
    # a config with 0 epochs gets a network that is not trained
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
    """Return the K x n weight matrix of a learned linear layer with n = `dim` inputs. Row k belongs to class k.

    The layer is the last layer of a network that is trained for half of the epochs of the config. The learning rate is
    twice the learning rate of the config, because a learned layer needs a higher rate than fixed prototypes.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset with K classes.
        folder: Folder of the run. The network is trained in a folder inside it.
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
    # there is no warm-up of the learning rate, and settings that only fixed prototypes use have their defaults
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
    with torch.no_grad():
        for inputs, labels in evaluation_batches(data, data.train, Share()):
            yield network(inputs).double().flatten(1), labels
