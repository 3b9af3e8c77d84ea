"""The lowest max cosine of everything we know for (K, n), with its certificate and the runners-up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from protosphere.bounds import converse
from protosphere.code.certification import certified
from protosphere.code.choice import Choice, Considered
from protosphere.code.placement import Placement
from protosphere.code.provenance import Provenance
from protosphere.code.spherical_code import SphericalCode, short
from protosphere.code.structures import Plain
from protosphere.constructions.candidates import LARGEST_PAIRWISE, RUNNERS_UP, candidates
from protosphere.constructions.descents.optimized import algebraic_codes
from protosphere.constructions.limits import size_obstacle
from protosphere.constructions.ranking import Candidate
from protosphere.constructions.registry import describe
from protosphere.constructions.thinning import thinned
from protosphere.errors import InfeasibleError, InvalidArgumentError, as_integer, as_positive, brief
from protosphere.geometry.nearest import DEEPEST
from protosphere.known.catalogue import EQUIVALENT_SECONDS, equivalent_iterations, shipped_catalogue
from protosphere.search.code_search import default_iterations, search_code
from protosphere.types import Points, Progress, ignore
from protosphere.version import __version__

BUILT = 3
"""How many of the most promising candidates are built and measured."""

LARGEST_THINNED = 4096
"""Up to so many points the K to keep are chosen with care."""

SHELLS = frozenset({"e8_shell", "barnes_wall_shell", "leech_shell", "laminated"})
"""Dense points of a lattice, measured by it."""

LARGEST_OPTIMISED = 200_000_000
"""Products K^2 n up to which descent is tried on top of algebra, unless seconds for it are given."""


@dataclass(frozen=True, eq=False)
class _Built:
    """A candidate that was placed and measured."""

    code: SphericalCode
    candidate: Candidate

    @property
    def value(self) -> float:
        return float(self.code.max_cosine)


def best(
    *,
    num_classes: int,
    dim: int,
    budget: float | None = None,
    iterations: int | None = None,
    seed: int = 0,
    progress: Progress = ignore,
) -> SphericalCode:
    """The best separated K = `num_classes` points of R^n, n = `dim`, of everything we know.

    Every family's guarantee is looked up, the most promising are built and measured, subsets of larger codes are chosen
    with care, codes that long searches found are made anew from what is kept of them, and where (K, n) is small enough
    the optimiser starts from all of these and from scratch.

    Args:
        num_classes: K, at least 2.
        dim: n, at least 1 (which holds two).
        budget: seconds for the optimiser; what it finds then depends on the machine.
        iterations: or its evaluations, which give the same bits every time; 0 for algebra alone. By default some
            seconds' worth, and none where algebra already meets the converse. Up to 300 classes in 64 dimensions what
            searches found is kept, and what they took, a second or some thousand evaluations, counts as spent.
        seed: of the optimiser.
        progress: called while work goes on.

    >>> best(num_classes=100, dim=64)
    SphericalCode(best, K=100, n=64, max cosine 0 = converse (rankin_orthoplex))
    """
    K, n = as_integer("num_classes", num_classes, minimum=2), as_integer("dim", dim, minimum=1)
    seed = as_integer("seed", seed, minimum=0)
    _check_budget(budget, iterations)
    if n == 1 and K > 2:
        raise InfeasibleError(f"'dim' 1 holds two points, got num_classes {brief(K)}; dim 2 holds any number")
    if obstacle := size_obstacle(describe("construction_x"), K, n):
        raise InfeasibleError(obstacle.replace("'construction_x'", "'best'"))
    provenance = Provenance("best", K, n, {"budget": budget, "iterations": iterations}, seed, "fixed", __version__)
    found = sorted(candidates(K, n), key=lambda candidate: candidate.promise)
    measurable = [candidate for candidate in found if _measurable(candidate.scheme, K, n)] or found
    built = sorted(_algebraic(measurable, provenance, progress), key=lambda one: one.value)
    if iterations != 0 and not (built and built[0].code.certificate.optimal):
        built += _searched(built, provenance, budget, iterations, progress)
        built.sort(key=lambda one: one.value)
    if not built:
        raise InfeasibleError(f"no family we know has num_classes {K} at dim {n}, got too many for a search; try dim 8")
    return replace(built[0].code, choice=_choice(built, found))


def _measurable(scheme: str, num_classes: int, dim: int) -> bool:
    """Whether so many points of a scheme can be certified in seconds: by words, a lattice or nearest neighbours."""
    few = num_classes <= LARGEST_PAIRWISE or dim <= DEEPEST
    return few or describe(scheme).packed or scheme in SHELLS


def _check_budget(budget: float | None, iterations: int | None) -> None:
    if budget is not None and iterations is not None:
        raise InvalidArgumentError(f"'budget' and 'iterations' exclude each other, got {budget!r} and {iterations!r}")
    if budget is not None:
        as_positive("budget", budget)
    if iterations is not None:
        as_integer("iterations", iterations, minimum=0)


def _algebraic(found: list[Candidate], provenance: Provenance, progress: Progress) -> Iterator[_Built]:
    """The most promising candidates, built; one that meets the converse ends the search."""
    K, n = provenance.num_classes, provenance.dim
    limit = float(converse(K, n)) + 1e-12
    for candidate in found[: BUILT if K * K * n <= LARGEST_OPTIMISED else 1]:
        placement = _kept(candidate, K)
        code = SphericalCode(placement, certified(placement, candidate.max_cosine, progress), provenance)
        yield _Built(code, candidate)
        if float(code.max_cosine) <= limit:
            return


def _kept(candidate: Candidate, num_classes: int) -> Placement:
    """The points of a candidate: of a larger code of moderate size, those without its closest pairs."""
    if not num_classes < candidate.size <= LARGEST_THINNED:
        return candidate.place(num_classes)
    whole = candidate.place(candidate.size)
    points = whole.unit_rows(0, candidate.size)
    kept = points[thinned(points, num_classes)]
    recipe = f"{num_classes} of {candidate.size} points: {candidate.recipe}"
    return Placement(recipe, Plain(kept, whole.structure.cosine_step))


def _searched(
    built: list[_Built], provenance: Provenance, budget: float | None, iterations: int | None, progress: Progress
) -> list[_Built]:
    """What searches add: the catalogue's code, and the optimiser's where it has evaluations beyond those kept there."""
    K, n = provenance.num_classes, provenance.dim
    kept: list[_Built] = []
    if shipped_catalogue().covers(K, n):
        kept = _catalogued(built, provenance, progress)
        if budget is not None:
            budget = max(0.0, budget - EQUIVALENT_SECONDS)
        else:
            iterations = max(0, (iterations or default_iterations(K, n)) - equivalent_iterations(K, n))
    small = K * K * n <= LARGEST_OPTIMISED or (budget is not None and K <= LARGEST_PAIRWISE)
    if not small or 0 in (budget, iterations):
        return kept
    starts = [*(one.code.points for one in built), *algebraic_codes(K, n)]
    result = search_code(
        K,
        n,
        rng=np.random.default_rng(provenance.seed),
        budget=budget,
        iterations=iterations,
        start_points=starts,
        catalogued=[one.code.points for one in kept],
        progress=progress,
    )
    return [*kept, _found(result.points, f"optimised, from a {result.kind} start", provenance, progress)]


def _catalogued(built: list[_Built], provenance: Provenance, progress: Progress) -> list[_Built]:
    """The code that follows from the catalogue, where it beats what is built."""
    K, n = provenance.num_classes, provenance.dim
    recipe = shipped_catalogue().best_entry(K, n)
    if recipe is None or (built and built[0].value <= recipe.max_cosine):
        return []
    points = shipped_catalogue().code(K, n, progress)
    assert points is not None, "there is a recipe"
    part = "" if (K, n) == (recipe.num_points, recipe.dim) else f"part of K = {recipe.num_points}, n = {recipe.dim}, "
    return [_found(points, f"{part}found by an earlier search and kept", provenance, progress)]


def _found(points: Points, recipe: str, provenance: Provenance, progress: Progress) -> _Built:
    """A searched code, measured."""
    placement = Placement(recipe, Plain(points))
    code = SphericalCode(placement, certified(placement, None, progress), provenance)
    candidate = Candidate(code.max_cosine, "optimized", recipe, len(points), lambda _: placement)
    return _Built(code, candidate)


def _choice(built: list[_Built], found: list[Candidate]) -> Choice:
    """Why the first of `built` was chosen, and everything that was considered."""
    winner = built[0]
    bound = winner.code.certificate.converse
    reason = f"{winner.candidate.scheme} has the lowest max cosine, {short(winner.code.max_cosine)}"
    if winner.code.certificate.optimal:
        reason += f", and is optimal: it meets the converse ({bound.theorem})."
    else:
        reason += f"; nothing can be below {short(bound.value)} ({bound.theorem})."
    measured = [Considered(b.candidate.scheme, b.code.placement.recipe, _promise(b), b.code.max_cosine) for b in built]
    known = {id(b.candidate) for b in built}
    others = [Considered(c.scheme, c.recipe, c.max_cosine, None) for c in found if id(c) not in known]
    return Choice(reason, (*measured, *others[:RUNNERS_UP]))


def _promise(built: _Built) -> float | None:
    return None if built.candidate.scheme == "optimized" else built.candidate.promise
