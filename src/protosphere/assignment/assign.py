"""Assignment of prototypes to classes by the similarity of the classes: the rows of a code get another order.

An order is an array with the index of the point of each class: class i gets point order[i]. The objective is the number
that an order should make large.
"""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from protosphere.assignment.any_objective import Objective, hill_climb, value_of
from protosphere.assignment.exact import (
    ALL_ORDERS_PROOF,
    EQUAL_TOLERANCE,
    MAX_EXHAUSTIVE_CLASSES,
    all_orders,
    exact_order,
)
from protosphere.assignment.many_classes import many_classes_order
from protosphere.assignment.quadratic import maximize_pair_sum, pair_sum
from protosphere.assignment.similarity import as_similarity
from protosphere.assignment.worst_pair import (
    exhaustive_worst_pair_order,
    improve_worst_pair,
    worst_pair,
    worst_pair_bound,
)
from protosphere.errors import InvalidArgumentError, as_choice, as_integer, brief
from protosphere.spherical.provenance import Choice, Step
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Indices, Points, Progress, ignore

OBJECTIVES = ("align", "oppose", "worst")
"""Objectives that `assign` knows by name. A function may be given instead."""

MAX_WHOLE_CLASSES = 1500
"""Number of classes up to which all classes are assigned together; with more, one block of classes at a time."""

MAX_WORST_PAIR_CLASSES = 3000
"""Number of classes up to which "worst" is available; it keeps several K x K matrices in memory, some hundred MB."""

NEAREST_PAIR_PROOF = "the two most similar classes alone cost at least as much"


@dataclass(frozen=True, eq=False)
class Assignment:
    """An order of the points of a code, with the value of the objective before and after the reordering.

    Larger values are better. The value depends on the objective:

    - For "align", it is the sum over pairs of classes of similarity times cosine.
    - For "oppose", it is the negative of this sum.
    - For "worst", it is the negative of the maximum over pairs of similarity times (1 - cosine).
    - For a function, it is the result of the function.

    Attributes:
        order: The index of the point of each class: class i gets point order[i].
        objective: "align", "oppose", "worst", or the name of a function.
        before: The value for the original order of the code.
        after: The value for the new order.
        proof: The reason why no order has a larger value. It is None if there is no proof.

    Example:
        >>> import protosphere as ps
        >>> code = ps.construct("cross_polytope", num_classes=4, dim=2)
        >>> alike = [[0, 9, 1, 1], [9, 0, 1, 1], [1, 1, 0, 9], [1, 1, 9, 0]]
        >>> assignment(code, alike).order.tolist()
        [0, 2, 1, 3]
    """

    order: Indices
    objective: str
    before: float
    after: float
    proof: str | None

    @property
    def reason(self) -> str:
        """Text that states the values of the objective for the old and the new order, and the proof if there is one."""
        tolerance = EQUAL_TOLERANCE * max(1.0, abs(self.before))
        if self.after <= self.before + tolerance:
            change = (
                f"The order of the code was kept: {self.objective} {self.before:.6g}"
            )
        else:
            change = f"Assigned to {self.objective}: {self.before:.6g} before, {self.after:.6g} now"
        if self.proof:
            return f"{change}; no order is better: {self.proof}."
        return f"{change}."


def assign(
    code: SphericalCode,
    similarity: Any,
    objective: str | Objective = "align",
    *,
    seed: int = 0,
    progress: Progress = ignore,
) -> SphericalCode:
    """Match prototypes to classes so that similar classes get nearby prototypes.

    The points stay the same; only their order changes. With at most 8 classes, all orders are tried, so the result is
    optimal. With more classes, up to 1,500, "align" and "oppose" are also optimal for simplices, because all orders of
    a simplex have the same value. They are usually optimal for cross-polytopes, where a minimum-weight matching gives
    the order. In all other cases, a search finds the order, which may not be optimal. `explain` of the result says
    whether the order is proved to be optimal.

    Args:
        code: Prototypes to distribute. The certificate holds for any order.
        similarity: Symmetric K x K matrix, larger for classes that are more alike. It can be computed by
            `similarity_from_embeddings`, `similarity_from_features`, `similarity_from_confusion`,
            `similarity_from_names` or `similarity_from_table`. A `Taxonomy` of the classes is accepted too.
        objective: "align" maximizes the sum over pairs of classes of similarity times cosine. "oppose" minimizes this
            sum. "worst" minimizes the maximum over pairs of similarity times (1 - cosine), for up to 3,000 classes.
            Instead of a name, a function can be given, which is maximized. Its arguments are the similarity and the
            cosines, both K x K in the order of the classes.
        seed: Seed of the random choices of the searches.
        progress: Function that is called during the searches, with a text, the number of finished steps and the number
            of all steps.

    Returns:
        A code with the same points in a new order: row i is the prototype of class i.

    Raises:
        InvalidArgumentError: If `code` is not a code, if `similarity` is not a symmetric K x K matrix of finite
            numbers, or if `objective` is unknown or does not support so many classes.

    Example:
        >>> import protosphere as ps
        >>> code = ps.construct("cross_polytope", num_classes=4, dim=2)
        >>> alike = [[0, 9, 1, 1], [9, 0, 1, 1], [1, 1, 0, 9], [1, 1, 9, 0]]
        >>> assign(code, alike).explain()
        'Assigned to align: -18 before, -2 now; no order is better: all orders were looked at.'
    """
    found = assignment(code, similarity, objective, seed=seed, progress=progress)
    considered = code.choice.considered if code.choice else ()
    step = Step(f"assigned to {found.objective}", numbers=tuple(found.order.tolist()))
    return replace(
        code,
        placement=code.placement.permuted(found.order),
        provenance=code.provenance and code.provenance.then(step),
        choice=Choice(found.reason, considered),
    )


def assignment(
    code: SphericalCode,
    similarity: Any,
    objective: str | Objective = "align",
    *,
    seed: int = 0,
    progress: Progress = ignore,
) -> Assignment:
    """Return the order of a code in which similar classes get nearby prototypes, and the values of the objective.

    This is the order in which `assign` puts the points. It is optimal if the result has a proof.

    Args:
        code: Prototypes to distribute.
        similarity: Symmetric K x K matrix, larger for classes that are more alike, or a `Taxonomy` of the classes.
        objective: "align" maximizes the sum over pairs of classes of similarity times cosine. "oppose" minimizes this
            sum. "worst" minimizes the maximum over pairs of similarity times (1 - cosine), for up to 3,000 classes.
            Instead of a name, a function can be given, which is maximized. Its arguments are the similarity and the
            cosines, both K x K in the order of the classes.
        seed: Seed of the random choices of the searches.
        progress: Function that is called during the searches, with a text, the number of finished steps and the number
            of all steps.

    Returns:
        The order, the values of the objective before and after the reordering, and the proof that no order is better,
        if there is one.

    Raises:
        InvalidArgumentError: If `code` is not a code, if `similarity` is not a symmetric K x K matrix of finite
            numbers, or if `objective` is unknown or does not support so many classes.

    Example:
        >>> import protosphere as ps
        >>> code = ps.construct("cross_polytope", num_classes=4, dim=2)
        >>> alike = [[0, 9, 1, 1], [9, 0, 1, 1], [1, 1, 0, 9], [1, 1, 9, 0]]
        >>> assignment(code, alike).after
        -2.0
    """
    if not isinstance(code, SphericalCode):  # pyright: ignore[reportUnnecessaryIsInstance] - users pass anything
        raise InvalidArgumentError(
            f"'code' must be a SphericalCode, got {brief(code)}; ps.from_points makes one"
        )
    S = as_similarity(similarity, code.num_classes)
    rng = np.random.default_rng(as_integer("seed", seed, minimum=0))
    if not isinstance(objective, str):
        return _assign_by_function(code, S, objective, rng, progress)
    as_choice("objective", objective, OBJECTIVES)
    if objective == "worst":
        return _assign_by_worst_pair(code, S, rng, progress)
    signed = S if objective == "align" else -S
    return _assign_by_pair_sum(code, signed, objective, rng, progress)


def _assign_by_pair_sum(
    code: SphericalCode,
    S: Points,
    objective: str,
    rng: np.random.Generator,
    progress: Progress,
) -> Assignment:
    K = code.num_classes
    if K > MAX_WHOLE_CLASSES:
        return _assign_many_classes(code, S, objective, rng, progress)
    identity = np.arange(K)
    cosines = _cosines(code)
    exact = exact_order(S, cosines)
    if exact is not None:
        order, proof = exact
    else:
        order = maximize_pair_sum(S, cosines, rng, progress)
        proof = None
    before = pair_sum(S, cosines, identity)
    after = pair_sum(S, cosines, order)
    if after <= before + EQUAL_TOLERANCE * abs(before):
        order = identity
        after = before
    return Assignment(order, objective, before, after, proof)


def _assign_many_classes(
    code: SphericalCode,
    S: Points,
    objective: str,
    rng: np.random.Generator,
    progress: Progress,
) -> Assignment:
    # the K x K matrix of cosines would need too much memory
    identity = np.arange(code.num_classes)
    points = code.points
    order = many_classes_order(S, points, rng, progress)
    before = _pair_sum_of_points(S, points, identity)
    after = _pair_sum_of_points(S, points, order)
    if after <= before:
        order = identity
        after = before
    return Assignment(order, objective, before, after, None)


def _assign_by_worst_pair(
    code: SphericalCode, S: Points, rng: np.random.Generator, progress: Progress
) -> Assignment:
    K = code.num_classes
    if K > MAX_WORST_PAIR_CLASSES:
        raise InvalidArgumentError(
            f"'objective' 'worst' takes up to {MAX_WORST_PAIR_CLASSES} classes, got {K}; 'align' takes more"
        )
    identity = np.arange(K)
    cosines = _cosines(code)
    proof = None
    if K <= MAX_EXHAUSTIVE_CLASSES:
        order = exhaustive_worst_pair_order(S, cosines)
        proof = ALL_ORDERS_PROOF
    else:
        aligned = _assign_by_pair_sum(code, S, "align", rng, progress).order
        from_aligned = improve_worst_pair(S, cosines, aligned, rng)
        from_identity = improve_worst_pair(S, cosines, identity, rng)
        candidates = (from_aligned, from_identity)
        order = min(candidates, key=lambda one: worst_pair(S, cosines, one))
    before = -worst_pair(S, cosines, identity)
    after = -worst_pair(S, cosines, order)
    if after >= -worst_pair_bound(S, cosines) - EQUAL_TOLERANCE:
        proof = NEAREST_PAIR_PROOF
    if after < before:
        order = identity
        after = before
    return Assignment(order, "worst", before, after, proof)


def _assign_by_function(
    code: SphericalCode,
    S: Points,
    objective: Any,
    rng: np.random.Generator,
    progress: Progress,
) -> Assignment:
    if not callable(objective):
        raise InvalidArgumentError(
            f"'objective' must be one of {', '.join(OBJECTIVES)} or a function, got {brief(objective)}"
        )
    K = code.num_classes
    identity = np.arange(K)
    cosines = _cosines(code)
    function = cast("Objective", objective)

    def value(order: Indices) -> float:
        return value_of(function, S, cosines[np.ix_(order, order)])

    if K <= MAX_EXHAUSTIVE_CLASSES:
        order = max(all_orders(K), key=value)
        proof = ALL_ORDERS_PROOF
    else:
        aligned = _assign_by_pair_sum(code, S, "align", rng, progress).order
        opposed = _assign_by_pair_sum(code, -S, "align", rng, progress).order
        starts = [identity, aligned, opposed]
        order = hill_climb(function, S, cosines, starts, rng, progress)
        proof = None
    name = getattr(objective, "__name__", "objective")
    return Assignment(order, name, value(identity), value(order), proof)


def _cosines(code: SphericalCode) -> Points:
    points = code.points
    return points @ points.T


def _pair_sum_of_points(S: Points, points: Points, order: Indices) -> float:
    # computed without the K x K matrix of cosines
    placed = points[order]
    all_terms = np.vdot(placed, S @ placed)
    return float(all_terms - S.trace()) / 2
