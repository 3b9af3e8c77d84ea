"""Prototypes from Reed-Muller codes: lengths 2^m, and with `modify` every length."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from protosphere.code.placement import Placement
from protosphere.codes import reed_muller as rm
from protosphere.codes.fields import binary_field
from protosphere.codes.linear import pack, row_reduce, unpack
from protosphere.codes.polynomials import LARGEST_DEGREE
from protosphere.constructions.block_codes.modified import (
    ModifiedCode,
    choose_modification,
    modification_name,
    modified_guarantee,
    named_modification,
)
from protosphere.constructions.block_codes.words import (
    SUBSETS,
    message_bits,
    placed_words,
    rows_needed,
    subset_obstacle,
)
from protosphere.constructions.registry import construction
from protosphere.errors import as_choice, as_flag, brief
from protosphere.types import Indices, PackedBits

LONGEST = 1 << 20

LARGEST_SHORTENED = 600
"""Shortening by elimination is cheap up to this dimension; larger codes are only punctured."""


def _obstacle(num_classes: int, dim: int, *, modify: bool, subset: str) -> str | None:
    as_flag("modify", modify)
    as_choice("subset", subset, SUBSETS)
    if dim > LONGEST:
        return f"'reed_muller' serves dim up to {LONGEST}, got {brief(dim)}"
    if message_bits(num_classes) > dim:
        return (
            f"'reed_muller' needs 2**dim >= num_classes, got dim {brief(dim)} for {brief(num_classes)} classes; "
            f"nearest: {_shortest(message_bits(num_classes), modify)}"
        )
    if not modify and dim & (dim - 1):
        below = 1 << (dim.bit_length() - 1)
        fitting = [brief(n) for n in (below, 2 * below) if n >= message_bits(num_classes)]
        return f"'reed_muller' needs dim = 2**m, got {brief(dim)}; nearest: {', '.join(fitting)}; or modify=True"
    return subset_obstacle("reed_muller", subset, num_classes)


def _shortest(needed: int, modify: bool) -> str:
    return brief(needed if modify else 1 << (needed - 1).bit_length())


def _choose(num_classes: int, dim: int, *, modify: bool, subset: str) -> dict[str, Any]:
    del subset
    needed = message_bits(num_classes)
    return choose_modification(reed_muller_modifications(dim, needed), dim, needed) if modify else {}


def _guarantee(
    num_classes: int, dim: int, *, modify: bool, subset: str, chosen: Mapping[str, Any] | None = None
) -> Fraction | None:
    del subset
    if modify:
        return modified_guarantee(reed_muller_modifications(dim, message_bits(num_classes)), dim, chosen)
    r = rm.order_for(message_bits(num_classes), dim.bit_length() - 1)
    return None if r is None else 1 - Fraction(2, 1 << r)


@construction(
    obstacle=_obstacle,
    guarantee=_guarantee,
    summary="Reed-Muller words as +-1/sqrt(n): max cosine <= 0 from n = K~/2 on, K~ the next power of two",
    reference="Lindstrom et al. (2024), lemma 3.2; MacWilliams & Sloane, chapter 13",
    packed=True,
    choose=_choose,
)
def reed_muller(
    num_classes: int,
    dim: int,
    *,
    rng: np.random.Generator,
    chosen: Mapping[str, Any],
    modify: bool = False,
    subset: str = "first",
) -> Placement:
    """K words of RM(r, m) with the smallest r that has enough; `modify=True` reaches lengths other than 2^m."""
    needed = message_bits(num_classes)
    if modify:
        modified = named_modification(reed_muller_modifications(dim, needed), chosen)
        return placed_words(modified.generator(), dim, num_classes, subset, rng, modified.text)
    m = dim.bit_length() - 1
    r = rm.order_for(needed, m)
    assert r is not None, "the obstacle has made sure that the code is large enough"
    rows = rows_needed(subset, num_classes, rm.dimension(r, m))
    return placed_words(rm.generator_rows(r, m, rows), dim, num_classes, subset, rng, f"RM({r},{m})")


def reed_muller_modifications(dim: int, needed: int) -> list[ModifiedCode]:
    """Every Reed-Muller code that can be brought to length `dim` with `needed` dimensions left and words apart."""
    m = (dim - 1).bit_length()
    lengths = [*range(m, m + 2), *([m - 1] if dim > 1 else [])]
    return [modified for m in lengths for modified in _modifications_of(m, dim, needed) if modified.distance > 0]


def _modifications_of(m: int, dim: int, needed: int) -> Iterator[ModifiedCode]:
    excess = (1 << m) - dim
    for r in range(m + 1):
        k = rm.dimension(r, m)
        if k < needed:
            continue
        shortened = max(0, min(k - needed, excess)) if k <= LARGEST_SHORTENED else 0
        yield _modification(r, m, dim, needed, shortened)


def _modification(r: int, m: int, dim: int, needed: int, shortened: int) -> ModifiedCode:
    excess = (1 << m) - dim
    punctured, repeated = max(0, excess - shortened), max(0, -excess)
    text = modification_name(f"RM({r},{m})", shortened=shortened, punctured=punctured, repeated=repeated)
    return ModifiedCode(text, (1 << (m - r)) - punctured, lambda: _generator(r, m, dim, needed, shortened))


def _generator(r: int, m: int, dim: int, needed: int, shortened: int) -> PackedBits:
    """RM(r, m) shortened at its first points by weight (an information set), then cut or repeated to `dim` columns."""
    rows = rm.generator_rows(r, m, rm.dimension(r, m) if shortened else needed)
    vanishing = np.argsort(np.bitwise_count(np.arange(1 << m)), kind="stable")[:shortened]
    if shortened:
        reduced, pivots = row_reduce(rows, vanishing)
        rows = reduced[len(pivots) :][:needed]
    bits = unpack(rows, 1 << m)
    if dim == 1 << m:
        return rows
    columns = np.setdiff1d(_scattered(m), vanishing, assume_unique=True)
    return pack(bits[:, np.resize(columns, dim)])


def _scattered(m: int) -> Indices:
    """All points of GF(2)^m, the powers of a primitive element in order: stretches of it favour no hyperplane."""
    return np.append(0, binary_field(m).exp[: (1 << m) - 1]) if 1 <= m <= LARGEST_DEGREE else np.arange(1 << m)
