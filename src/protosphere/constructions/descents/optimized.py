"""The scheme 'optimized': the code with the lowest maximum cosine that a numerical search finds.

A start of a search is a set of initial points, from which a descent begins. An algebraic code is a code whose points
follow from formulas. An evaluation computes the function that a descent minimizes, and its gradient, for one set of
points.
"""

from typing import Any

import numpy as np

from protosphere.bounds.levenshtein import levenshtein
from protosphere.constructions.best.candidates import best_member, named_members
from protosphere.constructions.build import placement_of
from protosphere.constructions.families import Member
from protosphere.constructions.limits import class_infeasible_reason
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import Traits
from protosphere.errors import (
    InvalidArgumentError,
    as_flag,
    as_integer,
    as_positive,
    brief,
)
from protosphere.geometry.sphere import normalized
from protosphere.search.code_search import check_initializations, search_code
from protosphere.search.initialization import DEFAULT_INITIALIZATIONS, INITIALIZATIONS
from protosphere.search.projected_descent import check_descent_options
from protosphere.spherical.placement import Placement, dense_placement
from protosphere.types import Points, Progress, ignore

SHARES, BEYOND = (0.3, 6.0), 2
"""Limits on the codes from which a search for K points in R^n starts.

Such a code has from `SHARES[0]` K to `SHARES[1]` K points, in n - `BEYOND` - 1 to n + `BEYOND` dimensions.
"""

LARGEST_START, LARGEST_K = 4_000, 20_000
"""Two largest numbers of points: of a code from which a search starts, and of a code that is searched for.

For larger numbers, it would be slow to prepare a start, or one evaluation would take minutes.
"""


def _infeasible_reason(num_classes: int, dim: int, **options: Any) -> str | None:
    del dim
    if options["iterations"] is not None:
        as_integer("iterations", options["iterations"], minimum=1)
    if options["budget"] is not None:
        as_positive("budget", options["budget"])
    starts = options["starts"]
    if not isinstance(starts, str):
        raise InvalidArgumentError(
            f"'starts' must be initializations joined by +, of {', '.join(INITIALIZATIONS)}, got {brief(starts)}"
        )
    check_initializations(starts.split("+"))
    as_flag("algebraic", options["algebraic"])
    as_flag("polish", options["polish"])
    check_descent_options(0, 1.0, 0.0, "float64", options["device"])
    return class_infeasible_reason(num_classes, LARGEST_K, "a search over all pairs")


def _merit(member: Member) -> float:
    # (1 - mu) / (1 - b) for the maximum cosine mu and a lower bound b: Levenshtein's bound, or 0 for few points. Larger
    # ratios are better; a code with the ratio 1 attains the bound.
    if member.size > 2 * member.dim:
        most = levenshtein(member.size, member.dim)
    else:
        most = None
    return (1 - float(member.max_cosine)) / (
        1 - (most.value if most is not None else 0.0)
    )


def algebraic_codes(num_points: int, dim: int, at_most: int = 32) -> list[Points]:
    """Return algebraic codes, which are codes of other schemes, from which a search for K points in R^n starts.

    The first code consists of the first K points of an algebraic code in at most n dimensions, with zeros appended. Of
    the algebraic codes with at least K points, it is the one with the lowest maximum cosine. It is left out if there is
    no such code, or if K is above 4,000. The following codes are algebraic codes of 0.3 K to 6 K points, but at most
    4,000, in n - 3 to n + 2 dimensions. They are sorted by how close their maximum cosine is to a lower bound for any
    code with as many points in as many dimensions. The closest come first.

    Args:
        num_points: Number K of points of the search.
        dim: Dimension n of the search.
        at_most: Largest number of codes after the first one.

    Returns:
        One matrix per code, whose rows are the points of the code, as unit vectors.
    """
    found: dict[tuple[int, int, float], Member] = {}
    for _, member in named_members(dim + BEYOND):
        near = (
            dim - BEYOND - 1 <= member.dim
            and SHARES[0] * num_points <= member.size <= SHARES[1] * num_points
        )
        if near and member.size <= LARGEST_START:
            found.setdefault(
                (member.dim, member.size, round(float(member.max_cosine), 9)), member
            )
    best = sorted(found.values(), key=lambda member: -_merit(member))[:at_most]
    fitting = best_member(num_points, dim)
    if fitting is not None and num_points <= LARGEST_START:
        places = [placement_of(fitting.first(num_points))]
    else:
        places = []
    places += [member.place(member.size) for member in best]
    return [normalized(place.unit_rows(0, place.count)) for place in places]


@construction(
    infeasible_reason=_infeasible_reason,
    summary="numerical search for the lowest max cosine, from symmetric and random starts, refined by Newton's method",
    reference="Wang (2009), Finding and investigating exact spherical codes; values to meet in Cohn's table",
    traits=Traits(stochastic=True, searched=True, on_page=False),
)
def optimized(
    num_classes: int,
    dim: int,
    *,
    rng: np.random.Generator,
    progress: Progress = ignore,
    iterations: int | None = None,
    budget: float | None = None,
    starts: str = "+".join(DEFAULT_INITIALIZATIONS),
    algebraic: bool = True,
    polish: bool = True,
    device: str = "cpu",
) -> Placement:
    """Place the points of the code with the lowest maximum cosine that a numerical search finds.

    If `budget` is given, the points depend on the speed of the machine. Otherwise they depend only on the seed.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        rng: Random generator of the initial points.
        progress: Function that is called during the search with a text, the percentage of the budget that is used, and
            100.
        iterations: Number of evaluations of the smooth maximum cosine, the function that descents minimize; None means
            a number that takes a few seconds, or no limit if `budget` is given.
        budget: Number of seconds after which the search ends, in place of `iterations`; None means no limit on the
            time.
        starts: Kinds of initial points, joined by '+': 'random' (random points), 'symmetric' (points that a random
            group of orthogonal maps permutes), 'refilled' (a good code, some points of which are moved) and 'parent' (a
            larger symmetric code without its crowded points).
        algebraic: If True and K > 2n, the search also starts from codes of other schemes. The maximum cosine of the
            result is then at most the maximum cosine of each of these codes that has K points in R^n. Otherwise the
            search does not use codes of other schemes.
        polish: If True, the best points are refined by Newton's method at the end.
        device: Device of the descents, such as 'cpu'.
    """
    found = search_code(
        num_classes,
        dim,
        rng=rng,
        iterations=iterations,
        budget=budget,
        initializations=starts.split("+"),
        start_points=algebraic_codes(num_classes, dim)
        if algebraic and num_classes > 2 * dim
        else (),
        polish=polish,
        device=device,
        progress=progress,
    )
    return dense_placement(
        f"search, {found.initialization} start, {found.iterations} evaluations",
        found.points,
    )
