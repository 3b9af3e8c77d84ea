"""From a request to a certified code: look up, obstacle?, choose, build, certify, freeze."""

from dataclasses import replace
from typing import Any

from protosphere.assignment import MAPPINGS, class_order, taxonomy
from protosphere.assignment.similarity import as_similarity
from protosphere.code.certificate import certified
from protosphere.code.provenance import Provenance
from protosphere.code.spherical_code import SphericalCode
from protosphere.constructions.limits import size_obstacle
from protosphere.constructions.rebuild import build, streams, with_choice
from protosphere.constructions.registry import Construction, describe
from protosphere.errors import InfeasibleError, as_choice, as_integer, brief
from protosphere.types import Progress, ignore
from protosphere.version import __version__


def construct(
    scheme: str,
    *,
    num_classes: int | None = None,
    dim: int,
    seed: int = 0,
    mapping: str = "fixed",
    progress: Progress = ignore,
    **options: Any,
) -> SphericalCode:
    """K = `num_classes` prototypes on the unit sphere of R^n, n = `dim`, by the named scheme, with a certificate.

    Args:
        scheme: one of `ps.available()`; 'best' is the lowest max cosine of them all.
        num_classes: how many prototypes, at least 2; may be left out where `similarity` or `tree` says it.
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
    K = as_integer("num_classes", _implied(given) if num_classes is None else num_classes, minimum=2)
    n = as_integer("dim", dim, minimum=1)
    as_choice("mapping", mapping, MAPPINGS)
    request = Provenance(entry.name, K, n, given, as_integer("seed", seed, minimum=0), mapping, __version__)
    try:
        if obstacle := entry.obstacle(K, n, **given) or size_obstacle(entry, K, n):
            raise InfeasibleError(obstacle)
        return _built(entry, request, progress)
    except MemoryError as error:
        got = f"got num_classes {brief(K)} and dim {brief(n)}"
        raise InfeasibleError(f"'{scheme}' does not fit into this machine's memory, {got}") from error


def _built(entry: Construction, request: Provenance, progress: Progress) -> SphericalCode:
    K, n = request.num_classes, request.dim
    request = with_choice(request)
    guarantee = entry.promised(K, n, request.chosen, request.options)
    made = build(request, progress)
    order = class_order(request.mapping, K, streams(request.seed)[1])
    if isinstance(made, SphericalCode):
        code = replace(made, provenance=replace(request, resolved=made.provenance))
        if order is None:
            return code
        placement, guarantee = made.placement.permuted(order), made.certificate.guarantee
        return replace(code, placement=placement, certificate=certified(placement, guarantee, progress))
    placement = made if order is None else made.permuted(order)
    return SphericalCode(placement, certified(placement, guarantee, progress), request)


def _implied(options: dict[str, Any]) -> int | None:
    """How many classes a similarity or a tree has."""
    if options.get("similarity"):
        return len(as_similarity(options["similarity"]))
    return len(taxonomy(options["tree"]).classes) if options.get("tree") else None
