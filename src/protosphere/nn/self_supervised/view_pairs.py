"""Cross-entropy between views of the same images, without B x K numbers for fixed prototypes.

Logits of fixed prototypes are linear in the embedding. With student vectors s and teacher probabilities q the
cross-entropy is

    -sum_k q_k log softmax(s c_1, ..., s c_K)_k = log sum_k exp(s c_k) - s y,    y = sum_k q_k c_k,

so that a target y has n numbers. For learned prototypes, s is replaced by the K logits and y by q in the same formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError, brief
from protosphere.nn.functional import unit
from protosphere.nn.projections import Projection
from protosphere.nn.self_supervised.learned_prototypes import LearnedPrototypes
from protosphere.nn.self_supervised.prototype_module import AnyProjection
from protosphere.nn.vectors import widened


class ViewPredictions(NamedTuple):
    """Predictions of the rows of a view; for a target y, the expected log-probability is vectors y - log_sum_exps.

    Attributes:
        vectors: B x n embeddings divided by the temperature; for learned prototypes B x K logits.
        log_sum_exps: B log-sum-exps of the logits.
    """

    vectors: Tensor
    log_sum_exps: Tensor


def check_views(name: str, views: Any, dim: int) -> None:
    """Check that the views are B x n tensors with the same B.

    Args:
        name: Name of the argument in the error message.
        views: Sequence of the embeddings of each view.
        dim: Dimension n.

    Raises:
        InvalidArgumentError: If there is no view, or a view is something else.
    """
    needed = (
        f"'{name}' must be a sequence of views, each a tensor of shape (batch, {dim})"
    )
    try:
        given = list(views)
    except TypeError:
        raise InvalidArgumentError(f"{needed}, got {brief(views)}") from None
    if not given:
        raise InvalidArgumentError(f"{needed}, got no view")
    for view in given:
        if not isinstance(view, Tensor):
            raise InvalidArgumentError(f"{needed}, got {brief(view)}")
        if not view.is_floating_point():
            raise InvalidArgumentError(
                f"'{name}' must be of a floating type, got {view.dtype}; .float() makes it one"
            )
        if view.shape != (*given[0].shape[:1], dim) or not view.numel():
            shapes = [tuple(each.shape) for each in given if isinstance(each, Tensor)]
            raise InvalidArgumentError(f"{needed}, all of one size, got {shapes}")


def unit_vectors(views: Sequence[Tensor]) -> list[Tensor]:
    """Return the rows of each view divided by their norms; float32 for half precision.

    Args:
        views: B x n embeddings of each view.
    """
    return [unit(widened(view)) for view in views]


def predictions(
    vectors: Tensor, projection: AnyProjection, temperature: float
) -> ViewPredictions:
    """Return the predictions of unit vectors, differentiable.

    Args:
        vectors: B x n unit vectors.
        projection: The prototypes.
        temperature: Divisor of the dot products.
    """
    if isinstance(projection, LearnedPrototypes):
        return from_logits(projection(vectors) / temperature)
    scaled = vectors / temperature
    return ViewPredictions(scaled, projection.log_sum_exp(scaled))


def from_logits(logits: Tensor) -> ViewPredictions:
    """Return the predictions of B x K logits, differentiable; the matching targets are probabilities."""
    return ViewPredictions(logits, logits.logsumexp(1))


def softmax_mean(vectors: Tensor, projection: Projection) -> Tensor:
    """Return the mean of fixed prototypes under the softmax of their dot products, streaming; without gradient.

    Args:
        vectors: B x n vectors, not of half types.
        projection: The prototypes.

    Returns:
        B x n means.
    """
    if torch.compiler.is_compiling():
        operator = torch.ops.protosphere.log_sum_exp
        return operator(vectors, projection.handle, True)[1]
    return projection.log_sum_exp_and_mean(vectors, True)[1]


def by_view(found: ViewPredictions, num_views: int) -> list[ViewPredictions]:
    """Split the predictions of all views into one for each view.

    Args:
        found: Predictions of all views, concatenated; each view has the same number of rows.
        num_views: Number of views.
    """
    pairs = zip(*(part.chunk(num_views) for part in found), strict=True)
    return [ViewPredictions(*pair) for pair in pairs]


def mean_cross_entropy(
    students: Sequence[ViewPredictions], targets: Sequence[Tensor]
) -> Tensor:
    """Return the mean cross-entropy over the batch and all pairs of a target and a prediction of different views.

    Args:
        students: Predictions, one per view.
        targets: Targets of the first views, one per view, in the same order; at least one pair must have different
            views.
    """
    losses: list[Tensor] = []
    num_pairs = 0
    for i, student in enumerate(students):
        others = [target for j, target in enumerate(targets) if j != i]
        if not others:
            continue
        num_pairs += len(others)
        agreement = (student.vectors * _total(others)).sum(1)
        losses.append((len(others) * student.log_sum_exps - agreement).mean())
    return torch.stack(losses).sum() / num_pairs


def _total(tensors: Sequence[Tensor]) -> Tensor:
    """Return the sum of the tensors; a single tensor is returned without a copy, since it may have K columns."""
    total = tensors[0]
    for tensor in tensors[1:]:
        total = total + tensor
    return total
