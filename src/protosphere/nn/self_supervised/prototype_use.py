"""Measures of how many prototypes the assignments of a batch use."""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError


class PrototypeUse(NamedTuple):
    """Number of prototypes that the assignments of a batch use, by two measures.

    Attributes:
        effective: exp(H), where H is the entropy (in nats) of the mean of all assignments of the batch. The value is K
            if all prototypes are used equally, and 1 if only one prototype is used.
        chosen: Number of prototypes that are the most probable prototype of at least one example. If the input of
            `prototypes_in_use` was counts, the number of prototypes with a count above 0.

    Example:
        >>> from protosphere.nn import PrototypeUse
        >>> PrototypeUse(effective=1.0, chosen=1).chosen
        1
    """

    effective: float
    chosen: int


def prototypes_in_use(assignments: Tensor) -> PrototypeUse:
    """Return how many prototypes the assignments of a batch use, by two measures.

    Args:
        assignments: B x K probabilities of the prototypes for each example, or K counts of how often each prototype was
            chosen.

    Returns:
        The effective number of prototypes, and the number of prototypes that were chosen at least once.

    Raises:
        InvalidArgumentError: If `assignments` is neither a matrix nor a vector, an entry is negative or not finite, or
            all entries are 0.

    Example:
        >>> import torch
        >>> from protosphere.nn import prototypes_in_use
        >>> prototypes_in_use(torch.tensor([5, 5, 0, 0]))
        PrototypeUse(effective=2.0, chosen=2)
    """
    values = assignments.detach().double()
    if values.ndim not in (1, 2) or not values.numel():
        raise InvalidArgumentError(
            f"'assignments' must be B x K probabilities or K counts, got shape {tuple(values.shape)}"
        )
    total = float(values.sum())
    if not (float(values.min()) >= 0 and 0 < total < float("inf")):
        raise InvalidArgumentError(
            "'assignments' must be finite, not negative and not all 0, got others"
        )
    if values.ndim == 1:
        chosen = int((values > 0).sum())
        means = values / total
    else:
        is_chosen = torch.zeros_like(values[0])
        is_chosen[values.argmax(1)] = 1
        chosen = int(is_chosen.sum())
        means = values.sum(0) / total
    entropy = -float((means * means.clamp(min=1e-300).log()).sum())
    return PrototypeUse(effective=exp(entropy), chosen=chosen)
