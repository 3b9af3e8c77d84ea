"""Cross-entropy between views of the same images, without B x K logits if the prototypes are fixed.

A view of an image is a changed copy of the image, such as a crop. The student is the network that is trained. The
teacher is the network whose outputs the student predicts. An embedding is the vector of n numbers that a network
computes from a view. The log-sum-exp of some numbers is the logarithm of the sum of their exponentials.

Logits of fixed prototypes c_1, ..., c_K are linear in the embedding. Let s be the student's embedding divided by the
temperature, and q_1, ..., q_K the teacher's probabilities. A product of two vectors, such as s c_k, is their dot
product. The cross-entropy is

    -sum_k q_k log softmax(s c_1, ..., s c_K)_k = log sum_k exp(s c_k) - s y,    y = sum_k q_k c_k,

so the target y of an example is a vector of n numbers. For learned prototypes, the dot product s y is replaced by the
dot product of the vector of K logits and the vector (q_1, ..., q_K).
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
    """Predictions for the B images of a view, from which cross-entropies are computed.

    The cross-entropy of image i with a target y is log_sum_exps[i] minus the dot product of vectors[i] and y. For fixed
    prototypes, the target is the mean of the prototypes, weighted by the teacher's probabilities, a vector of n
    numbers. For learned prototypes, it is the vector of the K probabilities.

    Attributes:
        vectors: If the prototypes are fixed, the B x n embeddings divided by the temperature. If they are learned, the
            B x K logits.
        log_sum_exps: B numbers: the log-sum-exp of the K logits of each image.
    """

    vectors: Tensor
    log_sum_exps: Tensor


def check_views(name: str, views: Any, dim: int) -> None:
    """Check that `views` is a nonempty sequence of floating-point B x n tensors with the same B, which is not 0.

    Args:
        name: Name of the argument, for the error message.
        views: The embeddings of B images, one tensor for each view of the images.
        dim: Dimension n.

    Raises:
        InvalidArgumentError: If `views` is anything else.
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
    """Return each view with its rows divided by their norms, as float32 if the view is in float16 or bfloat16.

    Args:
        views: The embeddings of B images, one B x n tensor for each view of the images.
    """
    return [unit(widened(view)) for view in views]


def predictions(
    vectors: Tensor, projection: AnyProjection, temperature: float
) -> ViewPredictions:
    """Return the predictions for the embeddings of a view, from which cross-entropies are computed.

    Args:
        vectors: B x n embeddings of the B images of the view, as unit vectors.
        projection: Module that holds K fixed or learned prototypes and computes dot products with them.
        temperature: Number by which the dot products are divided to give logits.
    """
    if isinstance(projection, LearnedPrototypes):
        return from_logits(projection(vectors) / temperature)
    scaled = vectors / temperature
    return ViewPredictions(scaled, projection.log_sum_exp(scaled))


def from_logits(logits: Tensor) -> ViewPredictions:
    """Return the predictions for a view with learned prototypes, from which cross-entropies are computed.

    Args:
        logits: B x K dot products of the embeddings with the prototypes, divided by the temperature.
    """
    return ViewPredictions(logits, logits.logsumexp(1))


def softmax_mean(vectors: Tensor, projection: Projection) -> Tensor:
    """Return the mean of K fixed prototypes, weighted by the softmax of their dot products with each vector.

    The result has no gradient, and for large K the B x K dot products are not materialized.

    Args:
        vectors: B x n vectors, not in float16 or bfloat16.
        projection: Module that holds the prototypes and computes dot products with them.

    Returns:
        B x n means.
    """
    if torch.compiler.is_compiling():
        operator = torch.ops.protosphere.log_sum_exp
        return operator(vectors, projection.handle, True)[1]
    return projection.log_sum_exp_and_mean(vectors, True)[1]


def by_view(found: ViewPredictions, num_views: int) -> list[ViewPredictions]:
    """Split the concatenated predictions of all views into the predictions of each view.

    Args:
        found: Predictions for the images of all views, one view after the other, each with the same number of images.
        num_views: Number of views.
    """
    pairs = zip(*(part.chunk(num_views) for part in found), strict=True)
    return [ViewPredictions(*pair) for pair in pairs]


def mean_cross_entropy(
    students: Sequence[ViewPredictions], targets: Sequence[Tensor]
) -> Tensor:
    """Return the mean cross-entropy over the images of the batch and over all pairs of different views.

    Each pair consists of a view with a prediction of the student and another view with a target of the teacher.

    Args:
        students: The student's predictions, one for each view.
        targets: The teacher's targets, one tensor for each view, with one row for each image. For fixed prototypes, a
            row is the mean of the prototypes, weighted by the teacher's probabilities. For learned prototypes, it has
            the K probabilities. `targets[j]` and `students[j]` belong to the same view. The two lists may have
            different lengths, but at least one must have two or more entries.
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
    # A single tensor is not copied, because it may be large.
    total = tensors[0]
    for tensor in tensors[1:]:
        total = total + tensor
    return total
