"""The functions `construct` and `best`, which construct a certified code."""

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
    """Construct K prototypes on the unit sphere of R^n by a named scheme, with a certificate.

    Args:
        scheme: Name of a construction, one of `ps.available()`; 'best' compares the codes of all constructions and
            takes the code with the lowest maximum cosine.
        num_classes: Number K of prototypes, at least 2. It may be omitted if one of the options `similarity`, `tree`
            and `table` of the scheme is given, because this option then determines K.
        dim: Dimension n, at least 1.
        seed: Seed of all random choices. On one machine the same seed gives the same bits. Schemes that run a descent
            on large codes, such as 'mean_row_max', also need the same number of threads.
        mapping: 'fixed' gives class i point i; 'random' permutes the points by the seed.
        progress: Function that is called with (stage, steps done, total steps); `ps.progress_bar` shows a bar.
        options: Options of the scheme by name; `ps.describe(scheme).options` lists them.

    Returns:
        The certified code.

    Raises:
        InvalidArgumentError: If an argument is not valid, or the scheme or an option does not exist.
        InfeasibleError: If the scheme has no code for K and n; the message names the nearest dimension that works.

    Example:
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
    """Return K points of R^n with the lowest known maximum cosine.

    First the guaranteed maximum cosines of many algebraic codes, which follow from formulas, are compared. The codes
    with the lowest of these cosines are built, and their maximum cosines are measured. If such a code has more than K
    points, a subset of it is used. Codes that earlier searches found come from a table of the package, the catalogue.
    If K and n are small enough, a numerical search starts from known codes and from random points. In the result,
    `code.provenance.resolved` says which scheme was chosen.

    Args:
        num_classes: Number K of points, at least 2.
        dim: Dimension n, at least 1; in one dimension K must be 2.
        budget: Number of seconds after which the search ends; None means no time limit. The time to compile the search
            counts too. Known codes are built and certified even if this takes longer. With a budget, the result depends
            on the speed of the machine.
        iterations: Number of evaluations after which the search ends. It cannot be given together with `budget`. An
            evaluation computes the objective of the search and its gradient for one set of points. With 0, there is no
            search. If `iterations` and `budget` are both None, the search takes a few seconds, or less if an
            improvement is unlikely. For up to 300 classes in up to 64 dimensions, and for some larger K, the catalogue
            has a code of an earlier search. The new search is then shorter: 1,000 to 60,000 evaluations are subtracted
            from `iterations`, and the first second of `budget` counts as used.
        catalogue: Whether to use the catalogue of codes of earlier searches.
        seed: Seed of the random choices of the search.
        mapping: 'fixed' gives class i point i; 'random' permutes the points by the seed.
        prefer: 'separated' takes the code with the lowest maximum cosine. If several codes have the lowest maximum
            cosine, algebraic codes are preferred to codes of a search. Among algebraic codes, those whose scheme gives
            the lowest frame potential (mean squared cosine) come first, then those for which a head computes logits
            fastest. 'energy' takes the code with the lowest energy among all codes whose maximum cosine is at most
            `tolerance` above the lowest. Lower energy means more uniform points (see `ps.code_statistics`).
        tolerance: Largest increase of the maximum cosine, compared with the lowest one, that `prefer="energy"` accepts.
        progress: Function that is called with (stage, steps done, total steps) during the work. Ctrl-C during the
            search returns the best code so far, and `code.choice` says that the search was interrupted.

    Returns:
        The certified code.

    Raises:
        InvalidArgumentError: If an argument is not valid.
        InfeasibleError: If K points in R^n exceed the memory of the machine.

    Example:
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
    if options.get("similarity"):
        return len(as_similarity(options["similarity"]))
    if options.get("table"):
        return part_table(options["table"]).num_classes
    return len(taxonomy(options["tree"]).classes) if options.get("tree") else None
