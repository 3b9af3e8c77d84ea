"""Put examples on a device, and draw batches of them in random order, augmented and normalized.

A config holds all settings of a training run. Augmentation is the random transform of training images by crops, flips
and rotations. Validation examples are training examples of the dataset that are held out: the network is not trained on
them.

If several processes train together, every process draws the order of all examples and the transforms of all images from
a random stream with the same seed. So all processes get the same batches. Each process then handles only its share of
each batch, a slice of its rows. Therefore several processes train on the same batches as a single process would.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from protosphere.data import Dataset
from protosphere.data.augmentation import (
    Moves,
    gather_augmented,
    moved,
    random_moves,
)
from protosphere.data.augmentation_settings import Augmentation
from protosphere.errors import InvalidArgumentError
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.normalization import Normalize, normalization
from protosphere.experiments.randomness import stream

EVALUATION_BATCH = 1000

LEAST_FUSED = 5_000
"""Smallest number of training images for which the compiled augmentation is used; loading it takes about a second."""


@dataclass(frozen=True)
class Share:
    """Part of every batch that one of several processes handles: a slice of its rows.

    Attributes:
        rank: Index of the process, from 0.
        world: Number of processes.
    """

    rank: int = 0
    world: int = 1

    def of(self, count: int) -> slice:
        """Return the rows of a batch of `count` rows that this process handles, as a slice of the row indices."""
        return slice(
            self.rank * count // self.world, (self.rank + 1) * count // self.world
        )


@dataclass(frozen=True)
class Labeled:
    """Inputs and their labels, as tensors on one device.

    Attributes:
        inputs: Images in uint8, or features in float32 or int8.
        labels: Class of each input.
    """

    inputs: Tensor
    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)

    def to(self, device: torch.device) -> "Labeled":
        """Return a copy of these examples on another device."""
        return Labeled(self.inputs.to(device), self.labels.to(device))


@dataclass(frozen=True)
class DeviceData:
    """All examples of a run on one device, and the normalization of their inputs.

    Attributes:
        train: Training examples.
        validation: Held-out examples, which are not used for training.
        test: Test examples.
        normalized: Module that normalizes inputs.
    """

    train: Labeled
    validation: Labeled
    test: Labeled
    normalized: Normalize


def device_data(
    dataset: Dataset, config: TrainingConfig, device: torch.device
) -> DeviceData:
    """Split the training examples into training and validation examples, and move all examples to a device.

    The split is random. The setting `validation` is the fraction of the examples that become validation examples. The
    setting `train_images` is the number of examples that are split; 0 stands for all examples of the dataset. After the
    split, some labels of training examples are replaced by random other classes. The setting `label_noise` is the
    fraction of these labels.

    Args:
        dataset: Dataset with training and test examples.
        config: Config with the seed of the split and the settings `validation`, `train_images` and `label_noise`.
        device: Device to move the examples to.

    Returns:
        The examples, and the normalization that is computed from the training inputs.

    Raises:
        InvalidArgumentError: If the config augments images but the inputs are features, or if no training examples are
            left.
    """
    if dataset.is_features and config.augmentation != Augmentation():
        raise InvalidArgumentError(
            f"'pad', 'flip' and 'rotation_degrees' move pixels, and '{dataset.name}' has none"
        )
    order = torch.randperm(
        len(dataset.y_train), generator=stream(config.seed_of_split, "split")
    )
    order = order[: config.train_images] if config.train_images else order
    held_out = round(config.validation * len(order))
    if held_out == len(order):
        raise InvalidArgumentError(
            f"'validation' {config.validation:g} leaves none of {len(order)} training examples"
        )
    train = with_label_noise(
        _chosen(dataset, order[held_out:]), config, dataset.num_classes
    )
    test = Labeled(
        torch.tensor(dataset.x_test), torch.tensor(dataset.y_test)
    )  # copies: the dataset is read-only
    normalized = normalization(train.inputs, dataset.step)
    validation = _chosen(dataset, order[:held_out])
    return DeviceData(
        train.to(device), validation.to(device), test.to(device), normalized.to(device)
    )


def _chosen(dataset: Dataset, rows: Tensor) -> Labeled:
    return Labeled(
        torch.tensor(dataset.x_train[rows.numpy()]),
        torch.tensor(dataset.y_train[rows.numpy()]),
    )


def with_label_noise(
    labeled: Labeled, config: TrainingConfig, num_classes: int
) -> Labeled:
    """Return training examples in which some labels are replaced by other classes.

    The examples whose labels are replaced, and their new classes, are drawn uniformly at random.

    Args:
        labeled: Training examples.
        config: Config with the fraction of labels to replace (`label_noise`) and the seed.
        num_classes: Number of classes.
    """
    wrong = round(config.label_noise * len(labeled)) if num_classes > 1 else 0
    if not wrong:
        return labeled
    generator = stream(config.seed, "label noise")
    rows = torch.randperm(len(labeled), generator=generator)[:wrong]
    away = torch.randint(1, num_classes, (wrong,), generator=generator)
    labels = labeled.labels.clone()
    labels[rows] = (labels[rows] + away) % num_classes
    return Labeled(labeled.inputs, labels)


def training_batches(
    data: DeviceData, config: TrainingConfig, epoch: int, part: Share
) -> Iterator[tuple[Tensor, Tensor, int]]:
    """Yield the training examples in batches, in the random order and with the random transforms of one epoch.

    Args:
        data: Examples on the device.
        config: Config with seed, batch size and augmentation.
        epoch: Index of the epoch, from 0.
        part: Share of this process: the part of each batch that is yielded.

    Yields:
        For each batch, the tuple (inputs, labels, size). `inputs` and `labels` are the normalized inputs and the labels
        of the examples of this process. `size` is the number of examples of the whole batch.
    """
    generator = stream(config.seed, "epoch", epoch)
    order = torch.randperm(len(data.train), generator=generator)
    still = config.augmentation == Augmentation()
    for rows in torch.split(order, config.batch_size):
        mine = part.of(len(rows))
        chosen = rows[mine].to(data.train.inputs.device)
        if still:
            moves = None
        else:
            moves = random_moves(config.augmentation, len(rows), generator)[mine]
        yield (
            _inputs(data, chosen, moves),
            data.train.labels.index_select(0, chosen),
            len(rows),
        )


def _inputs(data: DeviceData, rows: Tensor, moves: Moves | None) -> Tensor:
    # `moves` are random transforms; None stands for no transforms
    images = data.train.inputs
    on_processor = images.device.type == "cpu" and images.dtype == torch.uint8
    if moves is not None and on_processor and len(images) >= LEAST_FUSED:
        return gather_augmented(
            images, rows, moves, data.normalized.levels(images.shape[1])
        )
    chosen = images.index_select(0, rows)  # whole rows at a time, unlike indexing
    return data.normalized(chosen if moves is None else moved(chosen, moves))


def evaluation_batches(
    data: DeviceData, labeled: Labeled, part: Share, size: int = EVALUATION_BATCH
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield batches of the examples that this process evaluates, without augmentation.

    Args:
        data: Examples on the device, with the normalization of inputs.
        labeled: Examples of all processes.
        part: Share of this process, which selects its examples.
        size: Largest number of examples in a batch.

    Yields:
        For each batch, the normalized inputs and the labels. A process without examples yields one empty batch.
    """
    share = part.of(len(labeled))
    batches = (
        torch.split(whole[share], size) for whole in (labeled.inputs, labeled.labels)
    )
    for inputs, labels in zip(
        *batches, strict=True
    ):  # none is one empty batch: its process takes part in the sums
        yield data.normalized(inputs), labels


def augmented_once(data: DeviceData, config: TrainingConfig, epoch: int) -> Labeled:
    """Return the validation examples with randomly transformed images.

    The training loop evaluates these examples instead of the original ones if the setting `augment_validation` is true.

    Args:
        data: Examples on the device.
        config: Config with seed and augmentation.
        epoch: Index of the epoch, from 0. Each epoch has its own transforms.
    """
    generator = stream(config.seed, "epoch", -1 - epoch & 0xFFFF_FFFF)
    moves = random_moves(config.augmentation, len(data.validation), generator)
    return Labeled(moved(data.validation.inputs, moves), data.validation.labels)
