"""Room for classes that come later: a larger code, ordered so that its first points are as good as may be.

Codes that are nested chains stay in their order: the first words of a union of cosets of RM(1, m) are themselves such
codes, RM(1, m) < Kerdock < Delsarte-Goethals, and the first 2^j words of a linear code are a linear code. Others, up to
a moderate size, are put in an order that begins well (`nested`).
"""

from __future__ import annotations

from dataclasses import replace

from protosphere.code.certificate import Certificate
from protosphere.code.certification import certified
from protosphere.code.provenance import Provenance
from protosphere.code.spherical_code import SphericalCode
from protosphere.constructions import best, construct
from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.nn.nested import nested_order

NESTED = "nested from "
"""The mapping, with the number of first classes after it, that provenance names for codes put in nested order."""

LARGEST_ORDERED = 1 << 34
"""Products (K^2 n) up to which a code is put in order, some seconds' worth; larger ones keep theirs."""


def built(scheme: str, num_classes: int, dim: int, seed: int = 0) -> SphericalCode:
    """`ps.construct` by the named scheme; 'best' is `ps.best` by algebra alone: quick, and the same every time."""
    if scheme == "best":
        return best(num_classes=num_classes, dim=dim, seed=seed, iterations=0)
    return construct(scheme, num_classes=num_classes, dim=dim, seed=seed)


def rebuilt(provenance: Provenance) -> SphericalCode:
    """The code that this is the provenance of."""
    start = provenance.mapping.removeprefix(NESTED) if provenance.mapping.startswith(NESTED) else None
    K, n, seed, options = provenance.num_classes, provenance.dim, provenance.seed, provenance.options
    if provenance.construction == "best":
        code = best(num_classes=K, dim=n, seed=seed, **options)
    else:
        mapping = "fixed" if start else provenance.mapping
        code = construct(provenance.construction, num_classes=K, dim=n, seed=seed, mapping=mapping, **options)
    return in_nested_order(code, int(start)) if start else code


def in_nested_order(code: SphericalCode, num_first: int) -> SphericalCode:
    """The same points, the first `num_first` as well separated as we know; chains stay as they are."""
    if code.placement.structure.is_chain or code.num_classes**2 * code.dim > LARGEST_ORDERED:
        return code
    order = nested_order(code.points, num_first)
    provenance = code.provenance and replace(code.provenance, mapping=f"{NESTED}{num_first}")
    return replace(code, placement=code.placement.permuted(order), provenance=provenance)


def first_classes(code: SphericalCode, num_classes: int) -> SphericalCode:
    """The first classes of a code, point for point, with a certificate of their own; its provenance is the code's.

    >>> import protosphere as ps
    >>> first_classes(ps.construct("kerdock", num_classes=200, dim=16), 32)
    SphericalCode(kerdock, K=32, n=16, max cosine 0 = converse (rankin_orthoplex))
    """
    K = as_integer("num_classes", num_classes, minimum=2)
    if code.num_classes == K:
        return code
    if code.num_classes < K:
        raise InvalidArgumentError(f"'num_classes' must be at most the {code.num_classes} in reserve, got {K}")
    placement = code.placement.first(K)
    return SphericalCode(placement, certified(placement, code.certificate.guarantee), code.provenance)


def ladder(code: SphericalCode) -> tuple[Certificate, ...]:
    """What the first 2, 4, 8, ... classes of a code guarantee, and all of them.

    >>> import protosphere as ps
    >>> [(c.num_classes, str(c.max_cosine)) for c in ladder(ps.construct("kerdock", num_classes=200, dim=16))]
    [(2, '-1'), (4, '0'), (8, '0'), (16, '0'), (32, '0'), (64, '1/4'), (128, '1/4'), (200, '1/4')]
    """
    counts = [1 << bits for bits in range(1, code.num_classes.bit_length()) if 1 << bits < code.num_classes]
    return tuple(first_classes(code, count).certificate for count in [*counts, code.num_classes])
