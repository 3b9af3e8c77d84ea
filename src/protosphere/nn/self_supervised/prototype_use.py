"""Two measures of how many of the K prototypes a batch of examples uses."""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError


class PrototypeUse(NamedTuple):
    """How many of the K prototypes a batch of examples uses, by two measures.

    Attributes:
        effective: exp(H), where H is an entropy in nats. If `prototypes_in_use` got probabilities, H is the entropy of
            their mean over all examples. If it got counts, H is the entropy of the counts divided by their sum. The
            value is K if all prototypes are used equally, and 1 if only one prototype is used.
        chosen: If `prototypes_in_use` got probabilities, the number of prototypes that are the most probable prototype
            of at least one example. If it got counts, the number of prototypes with a count above 0.

    Example:
        >>> from protosphere.nn import PrototypeUse
        >>> PrototypeUse(effective=1.0, chosen=1).chosen
        1
    """

    effective: float
    chosen: int


def prototypes_in_use(assignments: Tensor) -> PrototypeUse:
    """Return how many of the K prototypes a batch of examples uses, by two measures.

    Args:
        assignments: B x K matrix with the probabilities of the K prototypes for each of B examples, or a vector of K
            counts: how often each prototype was chosen.

    Returns:
        A named tuple. For a matrix, `effective` is exp(H), where H is the entropy (in nats) of the mean row, and
        `chosen` is the number of prototypes that are the most probable prototype of at least one example. For a vector,
        H is the entropy of the counts divided by their sum, and `chosen` is the number of prototypes with a count above
        0.

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
