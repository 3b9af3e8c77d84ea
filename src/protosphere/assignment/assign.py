"""Which class gets which prototype, by how similar classes are: the same code, its rows in another order."""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from protosphere.assignment.any_objective import Objective, climbed, value_of
from protosphere.assignment.exact import (
    LARGEST_K,
    ROUNDING_TOLERANCE,
    all_orders,
    exact_order,
)
from protosphere.assignment.many_classes import many_classes_order
from protosphere.assignment.quadratic import maximised, pair_sum
from protosphere.assignment.similarity import as_similarity
from protosphere.assignment.worst_pair import (
    least_worst_pair,
    mildest,
    mildest_of_all,
    worst_pair,
)
from protosphere.errors import InvalidArgumentError, as_choice, as_integer, brief
from protosphere.spherical.provenance import Choice, Step
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Indices, Points, Progress, ignore

OBJECTIVES = ("align", "oppose", "worst")
"""What `assign` knows by name; a function of your own does as well."""

LARGEST_WHOLE = 1500
"""Up to so many classes the problem is searched as a whole; beyond, a block of classes at a time."""

LARGEST_WORST = 3000
"""The worst pair is sought among all cosines: some hundred MB."""


@dataclass(frozen=True, eq=False)
class Assignment:
    """An order of a code's points: class i gets point order[i].

    Attributes:
        objective: 'align', 'oppose', 'worst', or the name of a function.
        before, after: the objective in the code's own order and in this one, larger being better: the sum over pairs of
            similarity times cosine, its negative, or minus the worst pair's similarity times (1 - cosine).
        proof: why no order is better, where that is known.
    """

    order: Indices
    objective: str
    before: float
    after: float
    proof: str | None

    @property
    def reason(self) -> str:
        """In a sentence."""
        if self.after <= self.before + ROUNDING_TOLERANCE * max(1.0, abs(self.before)):
            change = f"The order of before stays, {self.objective} {self.before:.6g}"
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
    """The same code with its points given to classes by how similar those are.

    Args:
        code: whose points to distribute; its certificate holds for any order.
        similarity: K x K, symmetric, larger for classes that are more alike; a `Taxonomy`; or what
            `similarity_from_embeddings`, `_features`, `_confusion` or `_names` make.
        objective: 'align' puts similar classes at near prototypes (the largest sum over pairs of similarity times
            cosine), 'oppose' at distant ones (the smallest); 'worst' makes the worst pair mild (the smallest maximum of
            similarity times (1 - cosine)); or a function (similarity, cosines) -> number, larger being better.
        seed: of the searches.
        progress: called while they go on.

    >>> import protosphere as ps
    >>> code = ps.construct("cross_polytope", num_classes=4, dim=2)
    >>> alike = [[0, 9, 1, 1], [9, 0, 1, 1], [1, 1, 0, 9], [1, 1, 9, 0]]
    >>> assign(code, alike).explain()
    'Assigned to align: -18 before, -2 now; no order is better: all orders were looked at.'
    """
    found = assignment(code, similarity, objective, seed=seed, progress=progress)
    considered = code.choice.considered if code.choice else ()
    placement = code.placement.permuted(found.order)
    step = Step(f"assigned to {found.objective}", numbers=tuple(found.order.tolist()))
    provenance = code.provenance and code.provenance.then(step)
    return replace(
        code,
        placement=placement,
        provenance=provenance,
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
    """The order that `assign` puts a code's points in, what it gains, and whether it is proved best."""
    if not isinstance(code, SphericalCode):  # pyright: ignore[reportUnnecessaryIsInstance] - users pass anything
        raise InvalidArgumentError(
            f"'code' must be a SphericalCode, got {brief(code)}; ps.from_points makes one"
        )
    S = as_similarity(similarity, code.num_classes)
    rng = np.random.default_rng(as_integer("seed", seed, minimum=0))
    if not isinstance(objective, str):
        return _by_function(code, S, objective, rng, progress)
    if as_choice("objective", objective, OBJECTIVES) == "worst":
        return _by_worst_pair(code, S, rng, progress)
    return _by_pair_sum(
        code, S if objective == "align" else -S, objective, rng, progress
    )


def _by_pair_sum(
    code: SphericalCode,
    S: Points,
    objective: str,
    rng: np.random.Generator,
    progress: Progress,
) -> Assignment:
    K = code.num_classes
    identity = np.arange(code.num_classes)
    if K > LARGEST_WHOLE:
        points = code.points
        order = many_classes_order(S, points, rng, progress)
        before, after = (_large_pair_sum(S, points, one) for one in (identity, order))
        return Assignment(
            order if after > before else identity,
            objective,
            before,
            max(before, after),
            None,
        )
    cosines = _cosines(code)
    order, proof = exact_order(S, cosines) or (
        maximised(S, cosines, rng, progress),
        None,
    )
    before = pair_sum(S, cosines, identity)
    after = pair_sum(S, cosines, order)
    if after <= before + ROUNDING_TOLERANCE * abs(before):
        order = identity
        after = before
    return Assignment(order, objective, before, after, proof)


def _by_worst_pair(
    code: SphericalCode, S: Points, rng: np.random.Generator, progress: Progress
) -> Assignment:
    K = code.num_classes
    identity = np.arange(code.num_classes)
    if K > LARGEST_WORST:
        raise InvalidArgumentError(
            f"'objective' 'worst' takes up to {LARGEST_WORST} classes, got {K}; 'align' takes more"
        )
    cosines = _cosines(code)
    proof = None
    if K <= LARGEST_K:
        order = mildest_of_all(S, cosines)
        proof = "all orders were looked at"
    else:
        aligned = _by_pair_sum(code, S, "align", rng, progress).order
        found = [mildest(S, cosines, start, rng) for start in (aligned, identity)]
        order = min(found, key=lambda one: worst_pair(S, cosines, one))
    before = -worst_pair(S, cosines, identity)
    after = -worst_pair(S, cosines, order)
    if after >= -least_worst_pair(S, cosines) - ROUNDING_TOLERANCE:
        proof = "the two most similar classes are at two nearest prototypes, or no farther apart"
    return Assignment(
        order if after >= before else identity,
        "worst",
        before,
        max(before, after),
        proof,
    )


def _by_function(
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
    identity = np.arange(code.num_classes)
    cosines = _cosines(code)
    function = cast("Objective", objective)

    def value(order: Indices) -> float:
        return value_of(function, S, cosines[np.ix_(order, order)])

    if K <= LARGEST_K:
        order = max(all_orders(K), key=value)
        proof = "all orders were looked at"
    else:
        starts = [
            identity,
            *(_by_pair_sum(code, T, "align", rng, progress).order for T in (S, -S)),
        ]
        order = climbed(function, S, cosines, starts, rng, progress)
        proof = None
    return Assignment(
        order,
        getattr(objective, "__name__", "objective"),
        value(identity),
        value(order),
        proof,
    )


def _cosines(code: SphericalCode) -> Points:
    points = code.points
    return points @ points.T


def _large_pair_sum(S: Points, points: Points, order: Indices) -> float:
    placed = points[order]
    return float(np.vdot(placed, S @ placed) - S.trace()) / 2
