"""The module that holds the prototypes of a self-supervised loss: a head, a projection or learned prototypes."""

from __future__ import annotations

from typing import TypeAlias

from protosphere.errors import InvalidArgumentError, brief
from protosphere.nn.head import PrototypeHead
from protosphere.nn.projections import Projection
from protosphere.nn.self_supervised.learned_prototypes import LearnedPrototypes
from protosphere.spherical.spherical_code import SphericalCode

PrototypeModule: TypeAlias = PrototypeHead | Projection | LearnedPrototypes
"""A module that has prototypes."""

Prototypes: TypeAlias = SphericalCode | PrototypeModule
"""What a self-supervised loss takes as prototypes."""

AnyProjection: TypeAlias = Projection | LearnedPrototypes
"""What computes products with fixed or learned prototypes."""

PRODUCTS = "lindstrom"
"""The preset whose logits are the products with the vectors as they are."""


def prototype_module(
    prototypes: object, name: str = "prototypes"
) -> PrototypeHead | Projection | LearnedPrototypes:
    """Return the module that holds prototypes.

    Args:
        prototypes: A code, for which a head is made that saves it in a state_dict and keeps it exact in every dtype;
            or a head, a projection or learned prototypes, which are returned as they are.
        name: Name of the argument in the error message.

    Raises:
        InvalidArgumentError: If it is something else.
    """
    if isinstance(prototypes, SphericalCode):
        return PrototypeHead(prototypes, preset=PRODUCTS)
    if isinstance(prototypes, (PrototypeHead, Projection, LearnedPrototypes)):
        return prototypes
    raise InvalidArgumentError(
        f"'{name}' must be a SphericalCode, a PrototypeHead, a Projection or LearnedPrototypes, got {brief(prototypes)}"
    )


def projection_of(module: PrototypeModule) -> AnyProjection:
    """Return what computes the products: the present projection of a head, else the module itself.

    Args:
        module: What `prototype_module` returned.
    """
    if isinstance(module, PrototypeHead):
        return module.projection
    return module
