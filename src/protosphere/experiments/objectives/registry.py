"""The list of self-supervised objectives: one frozen record each, made by decorating its head."""

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
    """What an objective adds to a backbone: projection head, prototypes and loss."""

    def embed(self, features: Tensor) -> Tensor:
        """Return the B x n embeddings that are compared with the prototypes."""
        ...

    def teacher_features(self, views: Tensor) -> Tensor | None:
        """Return what a teacher makes of all views, without gradient; None for an objective without a teacher."""
        ...

    def loss(
        self, features: Tensor, teacher_features: Tensor | None, rows: Tensor
    ) -> Tensor:
        """Return the mean loss of a batch of B images.

        Args:
            features: What the backbone made of 2 B views: the first view of every image, then the second.
            teacher_features: What the teacher made of them.
            rows: Numbers of the B images among the training examples.
        """
        ...

    def after_step(self, backbone: nn.Module) -> None:
        """Update what follows the trained network, after each step of the optimizer."""
        ...


@dataclass(frozen=True)
class SelfSupervisedObjective:
    """A registered objective.

    Attributes:
        name: Name in configs.
        head: Module made from (backbone, feature_dim, prototypes, temperature, options...).
        targets_per_image: Whether there is one prototype per training image, instead of `num_prototypes`.
        learned: Whether its prototypes may be learned.
        summary: Description in one line.
        reference: Paper that it comes from.
    """

    name: str
    head: Callable[..., nn.Module]
    targets_per_image: bool
    learned: bool
    summary: str
    reference: str

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options of the head, in `objective_options` of a config."""
        parameters = inspect.signature(self.head).parameters.values()
        return tuple(each.name for each in parameters if each.kind == each.KEYWORD_ONLY)


Prototypes = SphericalCode | LearnedPrototypes
"""Fixed prototypes, or learned ones."""

OBJECTIVES: Registry[SelfSupervisedObjective] = Registry("objective")
"""Every self-supervised objective by its name."""

Head = TypeVar("Head", bound=type[nn.Module])


def objective(
    name: str,
    *,
    summary: str,
    reference: str,
    targets_per_image: bool = False,
    learned: bool = True,
) -> Callable[[Head], Head]:
    """Return a decorator that registers the head of an objective.

    Args:
        name: Name in configs; a second objective of the same name is an error.
        summary: Description in one line.
        reference: Paper that it comes from.
        targets_per_image: Whether there is one prototype per training image.
        learned: Whether its prototypes may be learned.
    """
    return OBJECTIVES.register(
        lambda head: SelfSupervisedObjective(
            name, head, targets_per_image, learned, summary, reference
        )
    )


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse an objective that does not exist, and options that it does not have.

    Args:
        name: Name of the objective.
        options: Its options.

    Raises:
        InvalidArgumentError: In each of these cases.
    """
    found = OBJECTIVES.named(name, otherwise=", or classification")
    for option in options:
        if option not in found.options:
            offered = ", ".join(found.options) or "none"
            raise InvalidArgumentError(
                f"the objective '{name}' has no option {brief(option)} in 'objective_options'; "
                f"its options are: {offered}"
            )
