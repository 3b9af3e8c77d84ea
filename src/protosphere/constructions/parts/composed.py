"""The scheme 'composed': the prototype of a class is the concatenation of the prototypes of the values of its parts.

Parts are attributes of classes, such as color and shape. Each part has a number of values, and each class has one value
of every part. The values of a part are represented by prototypes of their own. A table lists the values of every class.
"""

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
from protosphere.errors import (
    InfeasibleError,
    InvalidArgumentError,
    as_integer,
    brief,
)
from protosphere.spherical.placement import Placement
from protosphere.spherical.structures import ProductPoints
from protosphere.spherical.structures.product import LARGEST_PRODUCT_DIM


def _infeasible_reason(
    num_classes: int, dim: int, *, table: str, codes: str, weights: str
) -> str | None:
    if table == "":
        return "'composed' needs 'table', class -> value of each part, got none; ps.compose takes one"
    parts = checked_table(table, num_classes)
    _read_shares(weights, parts)
    needed = _needed_dims(codes, parts)
    if needed is None or dim >= sum(needed):
        return None
    return too_few_dims(needed, dim)


def too_few_dims(needed: Sequence[int], dim: int) -> str:
    """Return the error message for a dimension that is smaller than the sum of the dimensions of all parts.

    Args:
        needed: For each part, the dimension of the prototypes of its values.
        dim: The dimension that is too small.
    """
    total = sum(needed)
    each = " + ".join(map(str, needed))
    return (
        f"'composed' needs dim >= {total} = {each} for its parts, got {dim}; nearest: {total}, "
        "or codes in fewer dimensions, such as ('best', 8)"
    )


def require_possible_dim(needed: Sequence[int], dim: int) -> None:
    """Check that a dimension is at least the sum of the dimensions of all parts, and at most 2^24.

    Args:
        needed: For each part, the dimension of the prototypes of its values.
        dim: Dimension to check.

    Raises:
        InfeasibleError: If `dim` is too small or too large.
    """
    if dim < sum(needed):
        raise InfeasibleError(too_few_dims(needed, dim))
    if dim > LARGEST_PRODUCT_DIM:
        raise InfeasibleError(
            f"'dim' must be at most {LARGEST_PRODUCT_DIM:,} for classes made of parts, got {brief(dim)}"
        )


def checked_table(table: str, num_classes: int) -> PartTable:
    """Return the table that a text describes, after checking its number of classes.

    Args:
        table: If every combination of values is a class, the numbers of values of the parts, such as '4 x 3' for two
            parts with 4 and 3 values. Otherwise lines of comma-separated values: a heading with the names of the parts,
            then the name and the values of each class.
        num_classes: Required number K of classes.

    Raises:
        InvalidArgumentError: If the table has another number of classes.
    """
    parts = part_table(table)
    if parts.num_classes != num_classes:
        raise InvalidArgumentError(
            f"'num_classes' must be the {parts.num_classes} classes of 'table', got {brief(num_classes)}"
        )
    return parts


def _needed_dims(codes: str, parts: PartTable) -> list[int] | None:
    needed: list[int] = []
    for given, size in zip(_read_codes(codes, parts), parts.sizes, strict=True):
        if isinstance(given, dict):
            dim = cast("dict[str, Any]", given).get("dim")
        elif isinstance(given, list):
            dim = cast("list[Any]", given)[-1]
        else:
            dim = smallest_dim(given, size)
        if dim is None:  # the scheme has no smallest dimension
            return None
        needed.append(as_integer("dim", dim, minimum=1))
    return needed


def _read_codes(codes: str, parts: PartTable) -> list[Any]:
    if not codes.startswith("["):  # one scheme for all parts
        return [codes or SIMPLEX] * len(parts.sizes)
    try:
        listed = json.loads(codes)
    except ValueError as error:
        raise InvalidArgumentError(
            f"'codes' must be a scheme or a JSON list, got {brief(codes)}"
        ) from error
    return given_by_part(listed, parts.names, "codes", SIMPLEX)


def _read_shares(weights: str, parts: PartTable) -> tuple[Fraction, ...]:
    given = weights.split() if weights else [1] * len(parts.sizes)
    return shares_of(given_by_part(given, parts.names, "weights", 1))


def _guarantee(
    num_classes: int, dim: int, *, table: str, codes: str, weights: str
) -> Fraction | None:
    del dim
    parts = checked_table(table, num_classes)
    if codes not in ("", SIMPLEX):  # other codes have no known maximum cosine here
        return None
    shares = _read_shares(weights, parts)
    distances = [
        share * Fraction(size, size - 1)
        for share, size in zip(shares, parts.sizes, strict=True)
    ]
    return 1 - min(distances)


@construction(
    infeasible_reason=_infeasible_reason,
    guarantee=_guarantee,
    summary="for classes with parts, concatenated prototypes of the parts; cosines are means of the parts' cosines",
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
    """Place each class at the concatenated prototypes of the values of its parts, with zeros appended up to R^n.

    Parts are attributes of classes, such as color and shape. The prototypes of the values of a part are scaled by the
    square root of the share of the part, which is its weight divided by the sum of all weights.

    Args:
        num_classes: Number K of classes.
        dim: Dimension n.
        seed: Seed of schemes that are random.
        table: If every combination of values is a class, the numbers of values of the parts, such as '4 x 3' for two
            parts with 4 and 3 values. Otherwise lines of comma-separated values: a heading with the names of the parts,
            then the name and the values of each class.
        codes: Name of a scheme that makes the prototypes of all parts, or a JSON list with an entry for each part: the
            name of a scheme, a list [scheme, number of points, dimension], or the provenance of a code. The empty text
            means a simplex for each part.
        weights: Text with one weight per part, in the order of the parts, separated by spaces. The empty text means
            equal weights.
    """
    parts = checked_table(table, num_classes)
    part_codes = [
        part_code(given, size, 0, name, seed)
        for given, size, name in zip(
            _read_codes(codes, parts), parts.sizes, parts.names.parts, strict=True
        )
    ]
    return composed_placement(parts, part_codes, _read_shares(weights, parts), dim)


def composed_placement(
    parts: PartTable,
    part_codes: Sequence[PartCode],
    shares: tuple[Fraction, ...],
    dim: int,
) -> Placement:
    """Return the prototypes of the classes of a table, with a description, but without a certificate.

    Args:
        parts: Table with the value of each part for every class.
        part_codes: For each part, the code with the prototypes of its values.
        shares: Weight of each part in the cosine of two classes; the weights sum to 1.
        dim: Dimension n of the result. Zeros are appended up to it.
    """
    points = tuple(code.points for code in part_codes)
    values = None if parts.lists_all_combinations else parts.values
    structure = ProductPoints(
        points, parts.sizes, shares, values, dim, names=parts.names
    )
    sizes = " x ".join(map(str, parts.sizes))
    if structure.has_all_combinations:
        return Placement(f"all combinations of {sizes} values", structure)
    return Placement(f"some combinations of {sizes} values", structure)
