"""The scheme 'best', which returns the code with the lowest known maximum cosine for K points in R^n.

- A candidate is a code with at least K points, from which K points can be taken.
- An algebraic code is a code whose points follow from formulas, without a search.
- The catalogue is a table of codes that earlier searches found. It is shipped with the package.
- An evaluation computes the objective of a search and its gradient for one set of points.
- The energy of a code is lower if its points are more uniform.
- The provenance of points is the record of how they are built.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from protosphere.bounds import converse
from protosphere.bounds.bound import short_cosine
from protosphere.constructions.best.candidates import (
    RUNNERS_UP,
    Candidate,
    candidates,
    certified_quickly,
    fits_memory,
    rank,
)
from protosphere.constructions.best.search import (
    Searches,
    SearchLimits,
    searched,
    spread_evenly,
)
from protosphere.constructions.build import after, placement_of
from protosphere.constructions.limits import size_infeasible_reason
from protosphere.constructions.nested import select_subset
from protosphere.constructions.registry import construction, describe
from protosphere.constructions.traits import FigureStyle, Traits
from protosphere.errors import (
    InfeasibleError,
    InvalidArgumentError,
    as_choice,
    as_flag,
    as_integer,
    as_positive,
    brief,
)
from protosphere.spherical.certificate import certified
from protosphere.spherical.placement import Placement
from protosphere.spherical.provenance import Choice, Considered, Provenance, Step
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.statistics import code_statistics, confident_scale
from protosphere.tables.catalogue import shipped_catalogue
from protosphere.types import Progress, ignore

PREFERENCES = ("separated", "energy")

BUILT = 3
"""Number of candidates that are built and measured: those with the lowest guaranteed maximum cosines."""

LARGEST_PARENT, LARGEST_UNPACKED = 4096, 1 << 26
"""Largest number of points of a code from which K points are selected, and largest number of coordinates of them all.

This number of coordinates takes half a gigabyte of memory.
"""

LARGEST_OPTIMIZED = 200_000_000
"""Largest product K^2 n for which several candidates are built and a descent may lower the energy."""

LARGEST_COMPARED = 5_000
"""Largest number of classes for which energies are compared."""

TIE, ENERGY_DIGITS = 1e-9, 12
"""Largest difference of maximum cosines that count as equal, and number of digits to which energies are rounded.

Of codes with equal rounded energies, the first one is taken.
"""


def _infeasible_reason(
    num_classes: int,
    dim: int,
    *,
    budget: Any,
    iterations: Any,
    catalogue: Any,
    prefer: Any,
    tolerance: Any,
) -> str | None:
    as_flag("catalogue", catalogue)
    as_choice("prefer", prefer, PREFERENCES)
    if not (isinstance(tolerance, (int, float)) and 0 <= tolerance <= 2):
        raise InvalidArgumentError(
            f"'tolerance' must be a difference of cosines from 0 to 2, got {brief(tolerance)}"
        )
    if budget is not None and iterations is not None:
        raise InvalidArgumentError(
            f"'budget' and 'iterations' exclude each other, got {budget!r} and {iterations!r}"
        )
    if budget is not None:
        as_positive("budget", budget)
    if iterations is not None:
        as_integer("iterations", iterations, minimum=0)
    if dim == 1 and num_classes > 2:
        return f"'best' in 'dim' 1 holds two points, got num_classes {brief(num_classes)}; dim 2 holds any number"
    return None


@construction(
    infeasible_reason=_infeasible_reason,
    summary="the lowest max cosine of all schemes, parts of their codes, earlier searches and a new search",
    reference="the reference of the chosen scheme; see also `docs/best.md`",
    traits=Traits(
        stochastic=True,
        chooses=True,
        quick_options={"iterations": 0},
        style=FigureStyle("best known (this library)", "#CC0000", "", "-", width=2.0),
    ),
)
def best(
    num_classes: int,
    dim: int,
    *,
    seed: int,
    progress: Progress = ignore,
    budget: float | None = None,
    iterations: int | None = None,
    catalogue: bool = True,
    prefer: str = PREFERENCES[0],
    tolerance: float = 0.0,
) -> SphericalCode:
    """Return the code of K points in R^n with the lowest known maximum cosine.

    Algebraic codes, parts of larger codes, codes of earlier searches, and the result of a new search are compared.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        seed: Seed of the random choices of the search.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps.
        budget: Number of seconds after which the search ends. None means no limit on the time.
        iterations: Number of evaluations after which the search ends. 0 means no search. If `iterations` and `budget`
            are both None, a default number is used that depends on K and n. `budget` and `iterations` cannot be given
            together.
        catalogue: Whether to use the catalogue of codes of earlier searches.
        prefer: 'separated' takes the code with the lowest maximum cosine. 'energy' takes the code with the lowest
            energy among all codes whose maximum cosine is at most `tolerance` above the lowest. Lower energy means more
            uniform points. Energies are compared only if there are at most 5,000 points.
        tolerance: Largest increase of the maximum cosine, compared with the lowest one, that `prefer="energy"` accepts.
    """
    K = num_classes
    n = dim
    limits = SearchLimits(budget, iterations, catalogue, seed)
    found = candidates(K, n)
    measurable = _feasible(found, K, n)
    built = sorted(_algebraic(measurable, K, n, progress), key=_rank)
    others = [
        candidate for candidate in found if candidate not in measurable[: len(built)]
    ]
    searches = Searches()
    if not (built and built[0].certificate.optimal):
        searches = searched(built, K, n, limits, progress)
        built = sorted([*built, *searches.codes], key=_rank)
    if searches.interrupted:
        logging.getLogger("protosphere").warning(
            "interrupted: what was found so far is returned"
        )
    if not built:
        got = "got too many to search; try dim 8"
        raise InfeasibleError(
            f"'best' has no family with num_classes {K} at dim {n}, {got}"
        )
    if prefer == "energy":
        if tolerance > 0 and K * K * n <= LARGEST_OPTIMIZED:
            built.append(spread_evenly(built[0], progress))
        built.insert(0, built.pop(_lowest_energy(built, tolerance)))
    return replace(built[0], choice=_choice(built, others[:RUNNERS_UP], searches))


def _feasible(found: list[Candidate], K: int, n: int) -> list[Candidate]:
    # if no candidate fits by its own size, those are taken whose scheme needs little enough memory
    fitting = [candidate for candidate in found if fits_memory(candidate, K, n)] or [
        candidate
        for candidate in found
        if size_infeasible_reason(describe(candidate.scheme), K, n) is None
    ]
    if found and not fitting:
        raise InfeasibleError(
            str(size_infeasible_reason(describe(found[0].scheme), K, n))
        )
    # if some candidates can be certified quickly, the others are left out
    return [
        candidate
        for candidate in fitting
        if certified_quickly(candidate.scheme, K, candidate.provenance.dim)
    ] or fitting


def _algebraic(
    found: list[Candidate], K: int, n: int, progress: Progress
) -> Iterator[SphericalCode]:
    limit = float(converse(K, n)) + 1e-12
    met = False
    promising = found[: BUILT if K * K * n <= LARGEST_OPTIMIZED else 1]
    for number, candidate in enumerate(promising):
        # a code attains the converse, and this candidate need not
        if met and float(candidate.max_cosine) > limit:
            return
        progress(f"building: {candidate.scheme}", number, len(promising))
        placement, named = kept_points(candidate, K, n)
        code = SphericalCode(
            placement, certified(placement, candidate.max_cosine, progress), named
        )
        yield code
        met = met or float(code.max_cosine) <= limit


def kept_points(
    candidate: Candidate, num_classes: int, dim: int
) -> tuple[Placement, Provenance]:
    """Return K points of a candidate, and the provenance of these points.

    The first K points of the candidate are taken in each of these cases:

    - The candidate has exactly K points or more than 4,096 points.
    - All points of the candidate together have more than 2^26 coordinates.
    - The candidate is a linear code with fewer than 2K points.

    In all other cases, points are removed one by one until K points are left. Each step considers the pairs of points
    with the largest cosine, and removes a point that is in the largest number of these pairs.

    Args:
        candidate: The candidate, which has at least K points. They are not built yet.
        num_classes: Number K of points.
        dim: Dimension n of the points.
    """
    # Among more than half of the codewords of a linear code, every distance of the code occurs.
    all_distances = (
        describe(candidate.scheme).traits.linear and 2 * num_classes > candidate.size
    )
    selectable = (
        num_classes < candidate.size <= LARGEST_PARENT
        and candidate.size * dim <= LARGEST_UNPACKED
    )
    if all_distances or not selectable:
        named = candidate.first(num_classes)
        return placement_of(named), named
    named = candidate.first(candidate.size)
    whole = placement_of(named)
    step = Step(
        "subset",
        numbers=tuple(
            select_subset(whole.unit_rows(0, candidate.size), num_classes).tolist()
        ),
    )
    return after(whole, step), named.then(step)


def _lowest_energy(codes: Sequence[SphericalCode], tolerance: float) -> int:
    values = [float(code.max_cosine) for code in codes]
    lowest = min(values)
    K = codes[0].num_classes
    # codes with nearly the lowest maximum cosine; for many classes, the first of them is taken
    near = [
        i for i, value in enumerate(values) if value <= lowest + max(TIE, tolerance)
    ]
    if len(near) == 1 or lowest >= 1 or K > LARGEST_COMPARED:
        return near[0]
    scale = confident_scale(K, lowest)
    return min(
        near,
        key=lambda i: round(code_statistics(codes[i], scale).energy, ENERGY_DIGITS),
    )


def _scheme(code: SphericalCode) -> str:
    assert code.provenance is not None, "whatever is built here is named"
    return code.provenance.construction


def _rank(code: SphericalCode) -> tuple[float, int]:
    return rank(_scheme(code), code.max_cosine)


def _choice(
    built: list[SphericalCode], others: list[Candidate], searches: Searches
) -> Choice:
    winner = built[0]
    bound = winner.certificate.converse
    lowest = (
        min(float(code.max_cosine) for code in built) >= float(winner.max_cosine) - 1e-9
    )
    if lowest:
        what = "has the lowest max cosine,"
    else:
        what = "is the most even within the tolerance, with max cosine"
    reason = f"{_scheme(winner)} {what} {short_cosine(winner.max_cosine)}"
    if winner.certificate.optimal:
        reason += f", and is optimal: it meets the converse ({bound.theorem})."
    else:
        reason += (
            f"; nothing can be below {short_cosine(bound.value)} ({bound.theorem})."
        )
    if not (searches.covered or searches.codes or winner.certificate.optimal):
        reason += f" Not searched here: searches were kept for {shipped_catalogue().extent}; a budget runs a new one."
    if searches.interrupted:
        reason += " The search was interrupted: it may find something better."
    unbuilt = [Considered(c.scheme, c.description, c.max_cosine, None) for c in others]
    return Choice(reason, (*map(_considered, built), *unbuilt), searches.interrupted)


def _considered(code: SphericalCode) -> Considered:
    promised = code.certificate.guarantee
    promise = None if promised is None else float(promised)
    return Considered(
        _scheme(code), code.placement.description, promise, code.max_cosine
    )
