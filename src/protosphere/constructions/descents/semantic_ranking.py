"""Prototypes whose cosines have the same order as given similarities of the classes.

For each class, classes that are more similar to it should have prototypes with larger cosines. These are the prototypes
with privileged information of Mettes et al. (2019).
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from protosphere.assignment.similarity import as_similarity
from protosphere.constructions.descents.paper_objectives import mean_row_max_gradient
from protosphere.constructions.limits import class_infeasible_reason
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import Traits
from protosphere.errors import InvalidArgumentError, brief
from protosphere.search.projected_descent import (
    Descent,
    check_descent_options,
    projected_descent,
)
from protosphere.spherical.placement import Placement, dense_placement
from protosphere.types import Progress, ignore

if TYPE_CHECKING:
    from torch import Tensor

LARGEST_K, MOST_TRIPLETS = 2_000, 1 << 18
"""Largest number of classes, and largest number of triplets (i, j, k) that a step of the descent considers.

A step considers all triplets of at least one class i, even if they are more than `MOST_TRIPLETS`.
"""


def ranking_gradient(points: Tensor, similarity: Tensor, anchors: slice) -> Tensor:
    """Return the gradient of a ranking loss with respect to the points.

    The loss is the mean of log(1 + exp(c_ik - c_ij)), where c_ij is the cosine of the points of classes i and j. Let
    s_ij be the similarity of these classes. The mean is over all triplets (i, j, k) of different classes with i in
    `anchors` and s_ij > s_ik. This is RankNet's loss (Burges et al. 2005).

    Args:
        points: Points, as K unit rows.
        similarity: K x K matrix of the similarities s_ij.
        anchors: Range of the indices i of the triplets.

    Returns:
        K x n matrix. Row i is the gradient with respect to point i.
    """
    cosines = points[anchors] @ points.T
    alike = similarity[anchors]
    wanted = (alike[:, :, None] - alike[:, None, :]).sign()
    others = wanted.new_ones(alike.shape)
    others[:, anchors].fill_diagonal_(0)
    wanted *= others[:, :, None] * others[:, None, :]
    pulls = wanted * (wanted * (cosines[:, None, :] - cosines[:, :, None])).sigmoid()
    pulls = -pulls.sum(dim=2) * (2 / max(1.0, float(wanted.abs().sum())))
    gradient = pulls.T @ points[anchors]
    gradient[anchors] += pulls @ points
    return gradient


def _infeasible_reason(
    num_classes: int, dim: int, *, similarity: str, weight: object, **descent: object
) -> str | None:
    del dim
    if similarity == "":
        return "'semantic_ranking' needs 'similarity', got none; ps.similarity_from_features makes one"
    as_similarity(similarity, num_classes)
    if not (isinstance(weight, (int, float)) and 0 <= weight < np.inf):
        raise InvalidArgumentError(
            f"'weight' must be a number of at least 0, got {brief(weight)}"
        )
    check_descent_options(**descent)
    return class_infeasible_reason(num_classes, LARGEST_K, "all triplets")


@construction(
    infeasible_reason=_infeasible_reason,
    summary="for a similarity of classes, a descent on the mean row maximum and a loss that ranks by similarity",
    reference="Mettes et al. (2019), Hyperspherical prototype networks, prototypes with privileged information",
    traits=Traits(stochastic=True, searched=True, on_page=False),
)
def semantic_ranking(
    num_classes: int,
    dim: int,
    *,
    rng: np.random.Generator,
    progress: Progress = ignore,
    similarity: str = "",
    weight: float = 1.0,
    steps: int = 1000,
    lr: float = 0.1,
    momentum: float = 0.9,
    dtype: str = "float32",
    device: str = "cpu",
) -> Placement:
    """Place points by projected momentum descent on a sum of a separation loss and `weight` times a ranking loss.

    For each class, take the largest cosine of its point with the point of another class. The separation loss is the
    mean of these cosines over all classes. The ranking loss is the mean of log(1 + exp(c_ik - c_ij)) over triplets of
    classes i, j, k in which i is more similar to j than to k, where c_ij is the cosine of the points of i and j.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        rng: Random generator of the initial points.
        progress: Function that is called during the descent with a text, the number of finished steps and the number of
            all steps.
        similarity: Text that describes the K x K matrix of similarities of the classes. `construct` makes it from a
            matrix. If the text is empty, there is no matrix, and no code can be built.
        weight: Weight of the ranking loss, at least 0.
        steps: Number of steps of the descent.
        lr: Learning rate of the descent.
        momentum: Factor of the previous step in each step, at least 0 and below 1.
        dtype: Type of the numbers in the descent, 'float32' or 'float64'.
        device: Torch device of the descent, such as 'cpu'.
    """
    import torch

    S = torch.as_tensor(as_similarity(similarity, num_classes), device=device)
    size = max(1, MOST_TRIPLETS // num_classes**2)
    anchors = cycle(
        slice(start, min(start + size, num_classes))
        for start in range(0, num_classes, size)
    )

    def gradient(points: Tensor, temperature: float) -> Tensor:
        ranked = ranking_gradient(points, S.to(points.dtype), next(anchors))
        return mean_row_max_gradient(points, temperature) + weight * ranked

    descent = Descent(steps, lr, momentum, dtype, device)
    points = projected_descent(num_classes, dim, gradient, descent, rng, progress)
    return dense_placement(
        f"{steps} steps on the mean row maximum and {weight:g} times a ranking", points
    )
