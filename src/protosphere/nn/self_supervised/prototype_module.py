"""Functions that return the module with the prototypes of a self-supervised loss."""

from __future__ import annotations

from typing import TypeAlias

from protosphere.errors import InvalidArgumentError, brief
from protosphere.nn.head import PrototypeHead
from protosphere.nn.projections import Projection
from protosphere.nn.self_supervised.learned_prototypes import LearnedPrototypes
from protosphere.spherical.spherical_code import SphericalCode

PrototypeModule: TypeAlias = PrototypeHead | Projection | LearnedPrototypes
"""Types of modules that hold prototypes."""

Prototypes: TypeAlias = SphericalCode | PrototypeModule
"""Types of the argument `prototypes` of a self-supervised loss."""

AnyProjection: TypeAlias = Projection | LearnedPrototypes
"""Types of modules that compute dot products with fixed or learned prototypes."""

PRODUCTS = "lindstrom"
"""Name of the preset whose logits are dot products with z, without normalization or scaling of z."""


def prototype_module(
    prototypes: object, name: str = "prototypes"
) -> PrototypeHead | Projection | LearnedPrototypes:
    """Return the module that holds the given prototypes.

    Args:
        prototypes: A code, a head, a projection or learned prototypes. Modules are returned unchanged. A code is put
            into a new head, because a head saves the code in a state_dict and rebuilds exact prototypes in every dtype.
        name: Name of the argument in the error message.

    Raises:
        InvalidArgumentError: If `prototypes` has another type.
    """
    if isinstance(prototypes, SphericalCode):
        return PrototypeHead(prototypes, preset=PRODUCTS)
    if isinstance(prototypes, (PrototypeHead, Projection, LearnedPrototypes)):
        return prototypes
    raise InvalidArgumentError(
        f"'{name}' must be a SphericalCode, a PrototypeHead, a Projection or LearnedPrototypes, got {brief(prototypes)}"
    )


def projection_of(module: PrototypeModule) -> AnyProjection:
    """Return the module that computes dot products with the prototypes.

    For a head, this is the projection of the head. Other modules are returned unchanged.

    Args:
        module: Result of `prototype_module`.
    """
    if isinstance(module, PrototypeHead):
        return module.projection
    return module
