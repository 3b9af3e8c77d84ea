"""Prototypes for classes with given similarities, by a descent on one objective for separation and similarity."""

import numpy as np

from protosphere.assignment import assign
from protosphere.assignment.similarity import as_similarity
from protosphere.constructions.construct import best
from protosphere.constructions.limits import class_infeasible_reason
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import Traits
from protosphere.errors import InvalidArgumentError, as_integer, as_positive, brief
from protosphere.geometry.sphere import normalized
from protosphere.search.margin_descent import margin_descent
from protosphere.spherical.placement import Placement, dense_placement
from protosphere.types import Points, Progress, ignore

AUTO_SPREAD = 0.12
"""Standard deviation over pairs of weight * similarity that `weight="auto"` aims at."""

JITTER = 1e-3
"""Standard deviation of the noise added to the initial points, which may be so symmetric that none would move."""

LARGEST_K = 5_000
"""Largest number of classes; the descent stores K x K matrices."""

REALIZED = 1e-6
"""Largest absolute eigenvalue that is neglected when similarities are tested for being cosines of points in R^n."""


def descent_infeasible_reason(
    name: str,
    num_classes: int,
    dim: int,
    *,
    weight: object,
    steps: object,
    lr: object,
    temperature: object,
) -> str | None:
    """Return why a gradient descent for classes with similarities is infeasible, or None if it is feasible.

    Args:
        name: Name of the construction, 'semantic' or 'hierarchical', for the message.
        num_classes: Number K of points.
        dim: Dimension n.
        weight: Weight of the similarities: 'auto' or from 0 to 1.
        steps: Number of steps of the descent.
        lr: Learning rate of the descent.
        temperature: Value of the inverse temperature in the last step; None for the default of the construction.

    Raises:
        InvalidArgumentError: If `weight`, `steps`, `lr` or `temperature` is invalid.
    """
    as_integer("steps", steps, minimum=0)
    as_positive("lr", lr)
    if temperature is not None:
        as_positive("temperature", temperature)
    if weight != "auto" and not (isinstance(weight, (int, float)) and 0 <= weight <= 1):
        raise InvalidArgumentError(
            f"'weight' must be 'auto' or from 0 to 1, got {brief(weight)}"
        )
    if dim < 2:
        return f"'{name}' needs dim >= 2, got {dim}; nearest: 2"
    return class_infeasible_reason(num_classes, LARGEST_K, "a descent over all pairs")


def _infeasible_reason(
    num_classes: int, dim: int, *, similarity: str, **descent: object
) -> str | None:
    if similarity == "":
        return "'semantic' needs 'similarity', got none; ps.similarity_from_features makes one"
    as_similarity(similarity, num_classes)
    return descent_infeasible_reason("semantic", num_classes, dim, **descent)


def weight_for(weight: float | str, similarity: Points, dim: int) -> float:
    """Return `weight` as a float, or the automatic weight if `weight` is 'auto'.

    If the similarities are the cosines of some points in R^n, the automatic weight is 1. Otherwise it is 0.12 divided
    by the standard deviation of the similarities of all pairs of classes, or 1 if this quotient is above 1.

    Args:
        weight: Weight of the similarities: a number, or 'auto'.
        similarity: Symmetric K x K matrix of the similarities of K classes.
        dim: Dimension n.
    """
    if not isinstance(weight, str):
        return float(weight)
    spread = float(np.std(similarity[np.triu_indices(len(similarity), 1)]))
    if spread <= AUTO_SPREAD or _are_cosines_of_points(similarity, dim):
        return 1.0
    return AUTO_SPREAD / spread


def _are_cosines_of_points(similarity: Points, dim: int) -> bool:
    # they are the cosines of points in R^dim if the Gram matrix is positive semidefinite with rank at most `dim`
    gram = similarity.copy()
    np.fill_diagonal(gram, 1.0)
    values = np.linalg.eigvalsh(gram)
    return bool(
        np.abs(values[: max(0, len(gram) - dim)]).max(initial=0.0) < REALIZED
        and values[0] > -REALIZED
    )


@construction(
    infeasible_reason=_infeasible_reason,
    summary="for a similarity S of classes, a descent on the log-sum-exp of cosine - weight S from aligned points",
    reference="ours; for the log-sum-exp Lindstrom et al. (2024), for a semantic prior Mettes et al. (2019)",
    traits=Traits(stochastic=True, searched=True, on_page=False),
)
def semantic(
    num_classes: int,
    dim: int,
    *,
    seed: int,
    rng: np.random.Generator,
    progress: Progress = ignore,
    similarity: str = "",
    weight: float | str = "auto",
    steps: int = 1000,
    lr: float = 0.2,
    temperature: float | None = None,
) -> Placement:
    """Place points by descent on an objective that allows similar classes to have larger cosines.

    The objective is (1/t) log sum over pairs of exp(t (cosine - weight * S)). S is the similarity of the two classes of
    the pair, and the inverse temperature t rises from 1 during the descent. With weight 0, the similarities have no
    effect; with weight 1, their effect is strongest. The initial points are the code of `ps.best`, assigned to the
    classes by `ps.assign`.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        seed: Seed of `ps.best` and of `ps.assign`.
        rng: Random generator of the noise added to the initial points.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps.
        similarity: Symmetric K x K matrix S, encoded as text by `similarity_text`, or the name of a class tree of the
            package. The default, the empty text, is not a similarity; a request with it is infeasible.
        weight: Weight of S, from 0 to 1. 'auto' is 1 if the similarities are the cosines of some points in R^n.
            Otherwise it is 0.12 divided by the standard deviation of the similarities, but at most 1.
        steps: Number of steps of the descent.
        lr: Learning rate of the descent.
        temperature: Value of the inverse temperature t in the last step. By default, it is K.
    """
    S = as_similarity(similarity, num_classes)
    chosen = weight_for(weight, S, dim)
    start = best(
        num_classes=num_classes, dim=dim, seed=seed, progress=progress, iterations=0
    )
    aligned = assign(start, S, seed=seed, progress=progress).points
    points = normalized(aligned + JITTER * rng.standard_normal(aligned.shape))
    last = float(num_classes if temperature is None else temperature)
    found = margin_descent(points, chosen * S, (1.0, last), steps, lr, progress)
    return dense_placement(
        f"{steps} steps on log-sum-exp less {chosen:.3g} times the similarity", found
    )
