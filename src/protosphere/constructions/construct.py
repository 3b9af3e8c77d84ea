"""From a request to a certified code: look up, check, choose, build, certify, freeze."""

from dataclasses import replace
from typing import Any

from protosphere.assignment import MAPPINGS, class_order, taxonomy
from protosphere.assignment.part_table import part_table
from protosphere.assignment.similarity import as_similarity
from protosphere.constructions.build import build, streams, with_choice
from protosphere.constructions.limits import size_infeasible_reason
from protosphere.constructions.registry import Construction, describe
from protosphere.errors import InfeasibleError, as_choice, as_integer, brief
from protosphere.spherical.certificate import certified
from protosphere.spherical.provenance import Provenance
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Progress, ignore
from protosphere.version import __version__


def construct(
    scheme: str,
    num_classes: int | None = None,
    dim: int | None = None,
    *,
    seed: int = 0,
    mapping: str = "fixed",
    progress: Progress = ignore,
    **options: Any,
) -> SphericalCode:
    """K = `num_classes` prototypes on the unit sphere of R^n, n = `dim`, by the named scheme, with a certificate.

    Args:
        scheme: one of `ps.available()`; 'best' is the lowest max cosine of them all.
        num_classes: how many prototypes, at least 2; may be left out where `similarity`, `tree` or `table` says it.
        dim: the dimension, at least 1; InfeasibleError names the nearest that works where this one does not.
        seed: of everything random. On one machine the same seed gives the same bits; of the paper's two descents with
            the same number of threads.
        mapping: `fixed` gives class i point i; `random` permutes them by the seed.
        progress: called with (stage, steps done, steps in all) while work goes on; `ps.progress_bar` shows a bar.
        options: the scheme's own, see `ps.describe(scheme).options`.

    >>> construct("reed_muller", num_classes=100, dim=64)
    SphericalCode(reed_muller, K=100, n=64, max cosine 0 = converse (rankin_orthoplex))
    """
    entry = describe(scheme)
    given = entry.resolved(options)
    K = as_integer(
        "num_classes",
        _implied(given) if num_classes is None else num_classes,
        minimum=2,
    )
    n = as_integer("dim", dim, minimum=1)
    as_choice("mapping", mapping, MAPPINGS)
    request = Provenance(
        entry.name,
        K,
        n,
        given,
        as_integer("seed", seed, minimum=0),
        mapping,
        __version__,
    )
    try:
        if infeasible_reason := entry.infeasible_reason(
            K, n, **given
        ) or size_infeasible_reason(entry, K, n):
            raise InfeasibleError(infeasible_reason)
        return _built(entry, request, progress)
    except MemoryError as error:
        got = f"got num_classes {brief(K)} and dim {brief(n)}"
        raise InfeasibleError(
            f"'{scheme}' does not fit into this machine's memory, {got}"
        ) from error


def best(
    num_classes: int,
    dim: int,
    *,
    budget: float | None = None,
    iterations: int | None = None,
    catalogue: bool = True,
    seed: int = 0,
    mapping: str = "fixed",
    prefer: str = "separated",
    tolerance: float = 0.0,
    progress: Progress = ignore,
) -> SphericalCode:
    """The best separated K = `num_classes` points of R^n, n = `dim`, of everything we know.

    Every family's guarantee is looked up, the most promising are built and measured, subsets of larger codes are chosen
    with care, codes that long searches found are made anew from what is kept of them, and where (K, n) is small enough
    the optimizer starts from all of these and from scratch. `code.provenance.resolved` says what it returned.

    Args:
        num_classes: K, at least 2.
        dim: n, at least 1 (which holds two).
        budget: seconds in all, compiling included, after which no search goes on; what is known is built and certified
            all the same. What is found then depends on the machine.
        iterations: or the optimizer's evaluations; 0 for what is known already, algebra and the catalogue. By default a
            few seconds' worth, fewer where what is known will hardly be beaten. Up to 300 classes in 64 dimensions what
            searches found is kept, and what they took, a second or some thousand evaluations, counts as spent.
        catalogue: whether to use what is kept of searches; without it and with iterations=0 it is algebra alone.
        seed: of the optimizer.
        mapping: as of `ps.construct`.
        prefer: 'separated', or 'energy': of the codes within `tolerance` of the lowest max cosine the one
            whose other cosines are low as well, by the energy of a head (`ps.code_statistics`). Ties of 'separated'
            go to the scheme with the fastest head, as on the explore page.
        tolerance: how much max cosine may be given for that.
        progress: called while work goes on. Ctrl-C during the search returns the best so far, and its choice says so.

    >>> best(num_classes=100, dim=64)
    SphericalCode(best: orthogonal_simplices, K=100, n=64, max cosine 0 = converse (rankin_orthoplex))
    """
    effort = {"budget": budget, "iterations": iterations, "catalogue": catalogue}
    options = effort | {"prefer": prefer, "tolerance": tolerance}
    return construct(
        "best",
        num_classes=num_classes,
        dim=dim,
        seed=seed,
        mapping=mapping,
        progress=progress,
        **options,
    )


def _built(
    entry: Construction, request: Provenance, progress: Progress
) -> SphericalCode:
    K = request.num_classes
    n = request.dim
    request = with_choice(request)
    guarantee = entry.promised(K, n, request.chosen, request.options)
    made = build(request, progress)
    order = class_order(request.mapping, K, streams(request.seed)[1])
    if isinstance(made, SphericalCode):
        code = replace(made, provenance=replace(request, resolved=made.provenance))
        if order is None:
            return code
        placement = made.placement.permuted(order)
        guarantee = made.certificate.guarantee
        return replace(
            code,
            placement=placement,
            certificate=certified(placement, guarantee, progress),
        )
    placement = made if order is None else made.permuted(order)
    return SphericalCode(placement, certified(placement, guarantee, progress), request)


def _implied(options: dict[str, Any]) -> int | None:
    """How many classes a similarity, a tree or a table of parts has."""
    if options.get("similarity"):
        return len(as_similarity(options["similarity"]))
    if options.get("table"):
        return part_table(options["table"]).num_classes
    return len(taxonomy(options["tree"]).classes) if options.get("tree") else None
