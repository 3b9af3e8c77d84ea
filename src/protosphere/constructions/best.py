"""The best known code, as people ask for it: the scheme 'best' of `ps.construct` under a name of its own."""

from collections.abc import Mapping
from typing import Any

from protosphere.code.spherical_code import SphericalCode
from protosphere.constructions.construct import construct
from protosphere.types import Progress, ignore

QUICK: Mapping[str, Mapping[str, Any]] = {"best": {"iterations": 0}}
"""Options of schemes where an answer is wanted at once: of 'best' what is known already, which takes about a second."""


def best(
    *,
    num_classes: int,
    dim: int,
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
    the optimiser starts from all of these and from scratch. `code.provenance.resolved` says what it returned.

    Args:
        num_classes: K, at least 2.
        dim: n, at least 1 (which holds two).
        budget: seconds in all, compiling included; what is found then depends on the machine.
        iterations: or the optimiser's evaluations; 0 for what is known already, algebra and the catalogue. By default a
            few seconds' worth, fewer where what is known will hardly be beaten. Up to 300 classes in 64 dimensions what
            searches found is kept, and what they took, a second or some thousand evaluations, counts as spent.
        catalogue: whether to use what is kept of searches; without it and with iterations=0 it is algebra alone.
        seed: of the optimiser.
        mapping: as of `ps.construct`.
        prefer: 'separated', or 'even': of the codes within `tolerance` of the lowest max cosine the one whose other
            cosines are low as well, by the energy of a head (`code.evenness`). Ties are always decided by it.
        tolerance: how much max cosine may be given for that.
        progress: called while work goes on. Ctrl-C during the search returns the best so far, and its choice says so.

    >>> best(num_classes=100, dim=64)
    SphericalCode(best: orthogonal_simplices, K=100, n=64, max cosine 0 = converse (rankin_orthoplex))
    """
    effort = {"budget": budget, "iterations": iterations, "catalogue": catalogue}
    options = effort | {"prefer": prefer, "tolerance": tolerance}
    return construct("best", num_classes=num_classes, dim=dim, seed=seed, mapping=mapping, progress=progress, **options)
