"""Images on the device as bytes, and from them batches: in a random order, augmented, normalised.

All processes of a run draw the order and the moves of whole batches from the same stream, and each takes its part: so
however many there are, together they see what one would.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from protosphere.data import Dataset
from protosphere.data.augmentation import moved, random_moves
from protosphere.data.augmentation_settings import Augmentation
from protosphere.training.randomness import stream
from protosphere.training.recipe import Recipe

EVALUATION_BATCH = 1000


@dataclass(frozen=True)
class Part:
    """Which of several processes this one is."""

    rank: int = 0
    world: int = 1

    def of(self, count: int) -> slice:
        """Its share of `count` rows."""
        return slice(self.rank * count // self.world, (self.rank + 1) * count // self.world)


@dataclass(frozen=True)
class Labelled:
    """Images (bytes) and labels on a device."""

    images: Tensor
    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class DeviceData:
    """What a run needs, on its device: three sets, and what to subtract from and divide a byte by, per channel."""

    train: Labelled
    validation: Labelled
    test: Labelled
    mean: Tensor
    deviation: Tensor

    def normalised(self, images: Tensor) -> Tensor:
        """Bytes as float32 of mean 0 and deviation 1 over the training images."""
        return (images.float() - self.mean) / self.deviation


def device_data(dataset: Dataset, recipe: Recipe, device: torch.device) -> DeviceData:
    """The dataset on the device, its training images split at random by the recipe's seed."""
    order = torch.randperm(len(dataset.y_train), generator=stream(recipe.seed, "split"))
    order = order[: recipe.train_images] if recipe.train_images else order
    kept_apart = round(recipe.validation * len(order))
    images, labels = _tensor(dataset.x_train), _tensor(dataset.y_train)
    chosen = images[order[kept_apart:]]
    pixels = chosen.double() if chosen.numel() < 1 << 24 else chosen[:: chosen.numel() // (1 << 24) + 1].double()
    mean, deviation = (statistic(pixels, (0, 2, 3)).float() for statistic in (torch.mean, torch.std))
    return DeviceData(
        Labelled(chosen.to(device), labels[order[kept_apart:]].to(device)),
        Labelled(images[order[:kept_apart]].to(device), labels[order[:kept_apart]].to(device)),
        Labelled(_tensor(dataset.x_test).to(device), _tensor(dataset.y_test).to(device)),
        mean.view(-1, 1, 1).to(device),
        deviation.clamp(min=1e-6).view(-1, 1, 1).to(device),
    )


@dataclass(frozen=True)
class Batch:
    """This process's part of a batch, and how many images all of them have."""

    inputs: Tensor
    labels: Tensor
    whole: int


def training_batches(data: DeviceData, recipe: Recipe, epoch: int, part: Part) -> Iterator[Batch]:
    """Every training image once, in the order and with the moves of this epoch."""
    generator = stream(recipe.seed, "epoch", epoch)
    order = torch.randperm(len(data.train), generator=generator)
    still = recipe.augmentation == Augmentation()
    for start in range(0, len(order), recipe.batch_size):
        rows = order[start : start + recipe.batch_size]
        moves = random_moves(recipe.augmentation, len(rows), generator)
        mine = part.of(len(rows))
        chosen = rows[mine].to(data.train.images.device)
        images = data.train.images[chosen]
        images = images if still else moved(images, moves[mine])
        yield Batch(data.normalised(images), data.train.labels[chosen], len(rows))


def evaluation_batches(data: DeviceData, labelled: Labelled, part: Part) -> Iterator[tuple[Tensor, Tensor]]:
    """This process's share of the images, as they are."""
    share = part.of(len(labelled))
    images, labels = labelled.images[share], labelled.labels[share]
    for start in range(0, len(labels), EVALUATION_BATCH):
        some = slice(start, start + EVALUATION_BATCH)
        yield data.normalised(images[some]), labels[some]


def augmented_once(data: DeviceData, recipe: Recipe, epoch: int) -> Labelled:
    """The validation images with moves of their own, for the protocol that augments them too."""
    moves = random_moves(
        recipe.augmentation, len(data.validation), stream(recipe.seed, "epoch", -1 - epoch & 0xFFFF_FFFF)
    )
    return Labelled(moved(data.validation.images, moves), data.validation.labels)


def _tensor(array: NDArray[Any]) -> Tensor:
    """A copy: the dataset's own memory is read-only, which torch does not know of."""
    return torch.tensor(array)
