"""Build the network of a self-supervised run, and draw its batches.

A config holds all settings of a training run. The objective is the loss of a training without labels. The backbone maps
a view to features. The head has the prototypes, and computes the loss from the features.

A batch has two random views of each of its images. A view is an image after random crops, flips and changes of color.
"""

from collections.abc import Iterator
from typing import Any, cast

import torch
from torch import Tensor, nn

from protosphere.backbones import build_backbone, is_ours
from protosphere.data import Dataset
from protosphere.data.views import gather_views, random_views, transformed
from protosphere.errors import InvalidArgumentError
from protosphere.experiments.batches import LEAST_FUSED, DeviceData, Share
from protosphere.experiments.config import FEATURE_DIM, TrainingConfig
from protosphere.experiments.objectives import OBJECTIVES, ObjectiveHead
from protosphere.experiments.randomness import stream
from protosphere.nn import LearnedPrototypes
from protosphere.spherical.spherical_code import SphericalCode


class SelfSupervised(nn.Module):
    """Network of a self-supervised run.

    Args:
        backbone: Module from images to features.
        head: Module with the prototypes, which computes the loss from the features of two views of each image.
    """

    def __init__(self, backbone: nn.Module, head: nn.Module) -> None:
        super().__init__()
        self.backbone = backbone
        self.head = head

    def forward(self, inputs: Tensor, rows: Tensor | None = None) -> Any:
        """Return the features of `inputs` or, if `rows` is given, the sum of the losses of a batch of views.

        Args:
            inputs: B inputs. If `rows` is given, 2 B views: the first view of every image, then the second view of
                every image.
            rows: Indices of the B images among the training examples; None to return features.

        Returns:
            The features. If `rows` is given, two numbers: the sum of the losses of the images, and 0, because there are
            no predicted classes.
        """
        features = _at_least_float32(self.backbone(inputs))
        if rows is None:
            return features
        # the number of correct predictions of a `Classifier`, so that the training loop treats both in the same way
        right_answers = features.new_zeros(())
        if not len(rows):  # the mean of no examples is not a number
            return features.sum(), right_answers
        head = cast("ObjectiveHead", self.head)
        taught = head.teacher_features(inputs)
        with torch.autocast(features.device.type, enabled=False):
            wide = None if taught is None else _at_least_float32(taught)
            loss = head.loss(features, wide, rows)
            return loss * len(rows), right_answers

    def after_step(self) -> None:
        """Update the teacher network, if there is one, after a step of the optimizer."""
        cast("ObjectiveHead", self.head).after_step(self.backbone)

    def learned(self) -> dict[str, Tensor]:
        """Return the state_dict of the backbone and the parameters of the head in one dictionary, on the CPU.

        The names of the parameters of the head have the prefix "(head).".
        """
        head = {f"(head).{name}": each for name, each in self.head.named_parameters()}
        state = self.backbone.state_dict() | head
        return {name: value.detach().cpu() for name, value in state.items()}


def _at_least_float32(features: Tensor) -> Tensor:
    return features if features.dtype == torch.float64 else features.float()


def num_prototypes(config: TrainingConfig, dataset: Dataset) -> int:
    """Return the number of prototypes of a self-supervised run.

    If the objective has a prototype for each training image, this is the number of training images that are not held
    out. Otherwise it is the value of the setting `num_prototypes`.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Training and test examples of the run.
    """
    if config.has_prototype_per_image:
        count = config.train_images or len(dataset.y_train)
        count = min(count, len(dataset.y_train))
        return count - round(config.validation * count)
    return config.num_prototypes


def build_self_supervised(
    config: TrainingConfig, dataset: Dataset, code: SphericalCode | None
) -> SelfSupervised:
    """Return the network of a self-supervised config.

    Args:
        config: Settings of the run: dataset, backbone, scheme, loss and optimization.
        dataset: Dataset of images.
        code: Fixed prototypes; None to learn the prototypes.

    Raises:
        InvalidArgumentError: If the examples are not images.
    """
    if dataset.is_features:
        raise InvalidArgumentError(
            f"the objective '{config.objective}' compares views of images, and '{dataset.name}' has features"
        )
    backbone: Any = build_backbone(config.backbone, dataset.input_shape, FEATURE_DIM)
    if is_ours(config.backbone):
        backbone = backbone.to(memory_format=torch.channels_last)
    if code is None:
        count = num_prototypes(config, dataset)
        prototypes = LearnedPrototypes(count, config.dim)
    else:
        prototypes = code
    found = OBJECTIVES[config.objective]
    head = found.head(
        backbone,
        FEATURE_DIM,
        prototypes,
        config.temperature,
        **config.objective_options,
    )
    return SelfSupervised(backbone, head)


def view_batches(
    data: DeviceData, config: TrainingConfig, epoch: int, part: Share
) -> Iterator[tuple[Tensor, Tensor, int]]:
    """Yield batches with two views of each image, in the random order and with the random transforms of one epoch.

    A batch of a single image is skipped, because batch normalization needs two images. If there is only one training
    image, its batch is not skipped.

    Args:
        data: Examples of the run, on the device of the network.
        config: Config of the run, with the seed, the batch size and the settings of the views.
        epoch: Index of the epoch, from 0.
        part: Part of each batch that this process handles. Only views of these images are yielded.

    Yields:
        For each batch, the tuple (views, rows, size). `views` has the views of the images of this process: all first
        views, then all second views. `rows` has the indices of these images among the training examples. `size` is the
        number of images of the whole batch.
    """
    generator = stream(config.seed, "epoch", epoch)
    images = data.train.inputs
    height, width = images.shape[2:]
    order = torch.randperm(len(images), generator=generator)
    for rows in torch.split(order, config.batch_size):
        if len(rows) == 1 and len(images) > 1:
            continue  # batch normalization needs two
        mine = part.of(len(rows))
        views: list[Tensor] = []
        for _ in range(2):
            drawn = random_views(config.views, len(rows), height, width, generator)
            views.append(_normalized_views(data, rows[mine], drawn[mine]))
        yield torch.cat(views), rows[mine].to(images.device), len(rows)


def _normalized_views(data: DeviceData, rows: Tensor, transforms: Any) -> Tensor:
    images = data.train.inputs
    compiles = images.device.type == "cpu" and images.dtype == torch.uint8
    if compiles and len(images) >= LEAST_FUSED:
        levels = data.normalized.levels(images.shape[1])
        return gather_views(images, rows, transforms, levels)
    chosen = images.index_select(0, rows.to(images.device))
    return data.normalized(transformed(chosen, transforms))
