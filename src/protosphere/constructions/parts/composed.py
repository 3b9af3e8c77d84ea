"""Prototypes of classes with parts: the concatenated prototypes of the parts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

from protosphere.assignment.part_table import PartTable, part_table
from protosphere.constructions.parts.part_codes import (
    SIMPLEX,
    PartCode,
    given_by_part,
    part_code,
    shares_of,
    smallest_dim,
)
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import Traits
from protosphere.errors import InvalidArgumentError, as_integer, brief
from protosphere.spherical.placement import Placement
from protosphere.spherical.structures import ProductPoints


def _infeasible_reason(
    num_classes: int, dim: int, *, table: str, codes: str, weights: str
) -> str | None:
    if table == "":
        return "'composed' needs 'table', class -> value of each part, got none; ps.compose takes one"
    parts = checked_table(table, num_classes)
    _read_weights(weights, parts)
    needed = _needed_dims(codes, parts)
    if needed is None or dim >= sum(needed):
        return None
    return too_few_dims(needed, dim)


def too_few_dims(needed: Sequence[int], dim: int) -> str:
    """Return a sentence that says how many dimensions the parts need."""
    total = sum(needed)
    each = " + ".join(map(str, needed))
    return (
        f"'composed' needs dim >= {total} = {each} for its parts, got {dim}; nearest: {total}, "
        "or codes in fewer dimensions, such as ('best', 8)"
    )


def checked_table(table: str, num_classes: int) -> PartTable:
    """Read the table and compare the number of its classes."""
    parts = part_table(table)
    if parts.num_classes != num_classes:
        raise InvalidArgumentError(
            f"'num_classes' must be the {parts.num_classes} classes of 'table', got {brief(num_classes)}"
        )
    return parts


def _needed_dims(codes: str, parts: PartTable) -> list[int] | None:
    """The dimensions of the parts' codes, where these are schemes."""
    needed: list[int] = []
    for given, size in zip(_read_codes(codes, parts), parts.sizes, strict=True):
        if isinstance(given, dict):
            dim = cast("dict[str, Any]", given).get("dim")
        elif isinstance(given, list):
            dim = cast("list[Any]", given)[-1]
        else:
            dim = smallest_dim(given, size)
        if dim is None:
            return None
        needed.append(as_integer("dim", dim, minimum=1))
    return needed


def _read_codes(codes: str, parts: PartTable) -> list[Any]:
    """What `codes` says of each part: nothing is a simplex, a name is for all parts, else it is JSON."""
    if not codes.startswith("["):
        return [codes or SIMPLEX] * len(parts.sizes)
    try:
        listed = json.loads(codes)
    except ValueError as error:
        raise InvalidArgumentError(
            f"'codes' must be a scheme or a JSON list, got {brief(codes)}"
        ) from error
    return given_by_part(listed, parts.names, "codes", SIMPLEX)


def _read_weights(weights: str, parts: PartTable) -> tuple[Fraction, ...]:
    """The share of each part; equal ones if nothing is given."""
    given = weights.split() if weights else [1] * len(parts.sizes)
    return shares_of(given_by_part(given, parts.names, "weights", 1))


def _guarantee(
    num_classes: int, dim: int, *, table: str, codes: str, weights: str
) -> Fraction | None:
    """The theorem for simplices; attained where two classes differ in one part only."""
    del dim
    parts = checked_table(table, num_classes)
    if codes not in ("", SIMPLEX):
        return None
    shares = _read_weights(weights, parts)
    distances = [
        share * Fraction(size, size - 1)
        for share, size in zip(shares, parts.sizes, strict=True)
    ]
    return 1 - min(distances)


@construction(
    infeasible_reason=_infeasible_reason,
    guarantee=_guarantee,
    summary="for classes with parts: the parts' codes side by side, cosines are means of the parts' cosines",
    reference="ours; for classes described by attributes Palatucci et al. (2009)",
    traits=Traits(numbered=True, on_page=False),
)
def composed(
    num_classes: int,
    dim: int,
    *,
    seed: int,
    table: str = "",
    codes: str = "",
    weights: str = "",
) -> Placement:
    """Concatenate the prototypes of the parts, each scaled by the square root of its share, with zeros up to R^n."""
    parts = checked_table(table, num_classes)
    part_codes = [
        part_code(given, size, 0, name, seed)
        for given, size, name in zip(
            _read_codes(codes, parts), parts.sizes, parts.names.parts, strict=True
        )
    ]
    return composed_placement(parts, part_codes, _read_weights(weights, parts), dim)


def composed_placement(
    parts: PartTable,
    part_codes: Sequence[PartCode],
    shares: tuple[Fraction, ...],
    dim: int,
) -> Placement:
    """Return the prototypes of a table, before they are certified."""
    points = tuple(code.points for code in part_codes)
    values = None if parts.lists_all_combinations else parts.values
    structure = ProductPoints(
        points, parts.sizes, shares, values, dim, names=parts.names
    )
    sizes = " x ".join(map(str, parts.sizes))
    if structure.has_all_combinations:
        return Placement(f"all combinations of {sizes} values", structure)
    return Placement(f"some combinations of {sizes} values", structure)
