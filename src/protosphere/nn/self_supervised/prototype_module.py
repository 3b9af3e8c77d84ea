"""Functions that return the modules with the prototypes of a self-supervised loss.

A projection is a module that computes dot products with prototypes. A head is a `PrototypeHead`, which has a
projection.
"""

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
            into a new head. A head saves the code in its state_dict, and rebuilds exact prototypes if its dtype
            changes.
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
    """Return the module that computes dot products with the prototypes that a module holds.

    Args:
        module: A head, a projection or learned prototypes. The projection of a head is returned. Other modules are
            returned unchanged.
    """
    if isinstance(module, PrototypeHead):
        return module.projection
    return module
