"""The registry of self-supervised objectives.

Features are the outputs of the backbone, which is the network without the head. An embedding is a vector of n numbers
that the loss compares with the prototypes.

To register an objective, decorate the class of its head with `objective`. The head maps features of views of images to
embeddings and computes the loss. A view is an image after random crops, flips and changes of color. Some objectives
also have a teacher, a second network whose weights are a moving average of the weights of the trained network.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError, brief
from protosphere.nn import LearnedPrototypes
from protosphere.registry import Registry
from protosphere.spherical.spherical_code import SphericalCode


class ObjectiveHead(Protocol):
    """Protocol for the head of an objective. A head has a projection from features to R^n, prototypes and a loss."""

    def embed(self, features: Tensor) -> Tensor:
        """Return the B x n embeddings of B feature vectors, which the loss compares with the prototypes.

        Args:
            features: B x D outputs of the backbone for B views of images.
        """
        ...

    def teacher_features(self, views: Tensor) -> Tensor | None:
        """Return the features of views that the teacher network computes, or None if there is no teacher network.

        The features have one row for each view, and no gradient.

        Args:
            views: Two views of each of B images: the first view of every image, then the second view of every image.
        """
        ...

    def loss(
        self, features: Tensor, teacher_features: Tensor | None, rows: Tensor
    ) -> Tensor:
        """Return the loss of a batch of B images, averaged over the images.

        Args:
            features: Features of 2 B views that the backbone computed, one per row: the first view of every image, then
                the second view of every image.
            teacher_features: Features of the same views that the teacher network computed. None if the objective has no
                teacher.
            rows: Indices of the B images among the training examples.
        """
        ...

    def after_step(self, backbone: nn.Module) -> None:
        """Update the teacher network, if there is one, after a step of the optimizer.

        Args:
            backbone: Backbone of the trained network, as it is after the step.
        """
        ...


@dataclass(frozen=True)
class SelfSupervisedObjective:
    """A registered objective of self-supervised training.

    Attributes:
        name: Name of the objective in configs.
        head: Class of the head. It is called as head(backbone, feature_dim, prototypes, temperature, **options). Here
            `backbone` is the module from inputs to features, `feature_dim` is the number of features, and `prototypes`
            are the fixed or learned prototypes. Cosines are divided by `temperature` to give logits. The options are
            the setting `objective_options`.
        targets_per_image: Whether there is one prototype for each training image. If false, the setting
            `num_prototypes` is the number of prototypes.
        learned: Whether the prototypes may be learned. If false, they must be fixed.
        summary: Description in one line.
        reference: Paper of the objective.
    """

    name: str
    head: Callable[..., nn.Module]
    targets_per_image: bool
    learned: bool
    summary: str
    reference: str

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options of the objective: the keyword-only arguments of `head`.

        A config may set these options in `objective_options`.
        """
        parameters = inspect.signature(self.head).parameters.values()
        return tuple(each.name for each in parameters if each.kind == each.KEYWORD_ONLY)


Prototypes = SphericalCode | LearnedPrototypes
"""Type of the prototypes of an objective: fixed or learned."""

OBJECTIVES: Registry[SelfSupervisedObjective] = Registry("objective")
"""All self-supervised objectives by name."""

Head = TypeVar("Head", bound=type[nn.Module])


def objective(
    name: str,
    *,
    summary: str,
    reference: str,
    targets_per_image: bool = False,
    learned: bool = True,
) -> Callable[[Head], Head]:
    """Return a decorator that registers a class as the head of an objective.

    Args:
        name: Name of the objective in configs, which no other objective has.
        summary: Description in one line.
        reference: Paper of the objective.
        targets_per_image: Whether there is one prototype for each training image. If false, the setting
            `num_prototypes` is the number of prototypes.
        learned: Whether the prototypes may be learned. If false, they must be fixed.
    """
    return OBJECTIVES.register(
        lambda head: SelfSupervisedObjective(
            name, head, targets_per_image, learned, summary, reference
        )
    )


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Check that a self-supervised objective exists and has the given options.

    Args:
        name: Name of the objective.
        options: Values of options by name.

    Raises:
        InvalidArgumentError: If the objective or an option does not exist.
    """
    found = OBJECTIVES.named(name, otherwise=", or classification")
    for option in options:
        if option not in found.options:
            offered = ", ".join(found.options) or "none"
            raise InvalidArgumentError(
                f"the objective '{name}' has no option {brief(option)} in 'objective_options'; "
                f"its options are: {offered}"
            )
