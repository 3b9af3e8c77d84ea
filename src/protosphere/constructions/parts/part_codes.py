"""Codes for the parts of classes: a point for each value of a part, such as each color.

Parts are attributes of classes, such as color and shape. Each class has one value of every part. The provenance of a
code is the record from which its points can be built again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, SupportsIndex, cast

import numpy as np

from protosphere.constructions.build import placement_of
from protosphere.constructions.construct import construct
from protosphere.constructions.embeddings.from_embeddings import from_embeddings
from protosphere.constructions.registry import describe
from protosphere.errors import InvalidArgumentError, as_integer, brief
from protosphere.spherical.part_names import PartNames
from protosphere.spherical.provenance import Provenance
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.structures import OrthogonalSimplices, Structure
from protosphere.spherical.structures.product import MOST_PART_ENTRIES
from protosphere.spherical.structures.structure import read_fraction

SIMPLEX = "simplex"

LARGEST_WEIGHT_DENOMINATOR = 10**6
"""Largest denominator of the fractions to which weights of parts are rounded."""

Description = str | list[Any] | dict[str, Any]
"""Description of the code of a part: a scheme, a list [scheme, number of points, dimension], or a provenance."""


@dataclass(frozen=True, eq=False)
class PartCode:
    """The points of the values of a part, and a description from which they can be rebuilt.

    Attributes:
        points: One point for each value, followed by points for values that are added later.
        description: Description from which the points can be rebuilt. It is the name of a scheme, a list [scheme,
            number of points, dimension], or a dictionary with the provenance of a code. It is None if the points cannot
            be rebuilt, for example because a search found them.
    """

    points: Structure
    description: Description | None


def part_code(given: Any, size: int, reserve: int, part: str, seed: int) -> PartCode:
    """Return the code of one part, with a point for each value of the part.

    Args:
        given: What the points are made from: the name of a scheme, a pair (scheme, dim), a triple (scheme, number of
            points, dim), the provenance of a code as a mapping, a SphericalCode, or a matrix with one row per value.
            From a matrix, the function `from_embeddings` makes the points.
        size: Number of values of the part.
        reserve: Number of additional points, for values that are added later. It is used only if `given` is the name of
            a scheme or a pair (scheme, dim). In all other cases, `given` determines the number of points.
        part: Name of the part, for error messages.
        seed: Seed of the scheme, if `given` names one.

    Returns:
        The code, with at least `size` points, and its description.

    Raises:
        InvalidArgumentError: If `given` has another type, if there are fewer points than the part has values, if a
            matrix does not have exactly one row per value, or if the points have more than 2^24 coordinates in all.
    """
    if isinstance(given, str):
        found = _by_scheme(given, size + reserve, None, part, seed)
    elif isinstance(given, SphericalCode):
        found = _described(given)
    elif isinstance(given, Mapping):
        named = Provenance.from_json(cast("Mapping[str, Any]", given))
        found = PartCode(placement_of(named).structure, dict(named.to_json()))
    elif _is_scheme_with_sizes(given):
        scheme, *given_sizes = given
        sizes = [int(number) for number in given_sizes]
        count = size + reserve if len(sizes) == 1 else sizes[0]
        found = _by_scheme(scheme, count, sizes[-1], part, seed)
    elif _may_be_matrix(given):
        found = _by_vectors(given, size, part)
    else:
        raise InvalidArgumentError(
            f"'codes' must be a scheme, a pair such as ('best', 8), a SphericalCode or vectors, got {brief(given)}"
        )
    _require_enough(found.points, size, part)
    return found


def smallest_dim(scheme: str, count: int) -> int | None:
    """Return the smallest dimension in which a scheme can place `count` points.

    Args:
        scheme: Name of the scheme, such as 'simplex'.
        count: Number of points.

    Returns:
        The dimension, or None if no smallest dimension is known for the scheme.

    >>> [smallest_dim(scheme, 9) for scheme in ("simplex", "one_hot", "cross_polytope")]
    [8, 9, 5]
    """
    formula = describe(scheme).traits.smallest_dim
    return None if formula is None else formula(count)


def _is_scheme_with_sizes(given: object) -> bool:
    if not isinstance(given, tuple | list):
        return False
    scheme, *sizes = cast("Sequence[object]", given) or [None]
    numbers = [size for size in sizes if isinstance(size, SupportsIndex)]
    return isinstance(scheme, str) and len(numbers) == len(sizes) in (1, 2)


def _may_be_matrix(given: object) -> bool:
    return hasattr(given, "__array__") or isinstance(given, list)


def _by_scheme(
    scheme: str, count: int, dim: int | None, part: str, seed: int
) -> PartCode:
    as_integer("num_points", count, minimum=2)
    n = smallest_dim(scheme, count) if dim is None else dim
    if n is None:
        describe(scheme)
        raise InvalidArgumentError(
            f"'codes' must give a dimension for {brief(part)}, got {brief(scheme)}; ('{scheme}', 8) does"
        )
    if scheme == SIMPLEX and n >= count - 1:
        points = OrthogonalSimplices(np.array([count]), np.arange(count), n)
        return PartCode(points, [SIMPLEX, count, n])
    return _described(construct(scheme, num_classes=count, dim=n, seed=seed))


def _described(code: SphericalCode) -> PartCode:
    named = code.provenance
    points = code.placement.structure
    if named is None or describe(named.placed_by.construction).traits.searched:
        return PartCode(points, None)  # points from a search cannot be rebuilt
    return PartCode(points, dict(named.to_json()))


def _by_vectors(given: Any, size: int, part: str) -> PartCode:
    code = from_embeddings(given)
    if code.num_classes != size:
        raise InvalidArgumentError(
            f"'codes' must have a vector for each of the {size} values of {brief(part)}, got {code.num_classes}"
        )
    return _described(code)


def _require_enough(points: Structure, size: int, part: str) -> None:
    if points.count < size:
        raise InvalidArgumentError(
            f"'codes' must have a point for each of the {size} values of {brief(part)}, got {points.count}"
        )
    if points.count * points.dim > MOST_PART_ENTRIES:
        raise InvalidArgumentError(
            f"'codes' must have at most 2**24 numbers a part, got {points.count} x {points.dim} for {brief(part)};"
            " split the part in two"
        )


def given_by_part(given: Any, names: PartNames, what: str, default: Any) -> list[Any]:
    """Return a list with the value of an argument, such as the weight, for each part.

    Args:
        given: One value for all parts, a list of values in the order of the parts, or a mapping from the names of parts
            to values. A scheme with one or two numbers, such as ['best', 8], is one value.
        names: Names of the parts.
        what: Name of the argument, for error messages.
        default: Value for parts that a mapping does not name, and for all parts if `given` is None.

    Raises:
        InvalidArgumentError: If a mapping names an unknown part, or a list does not have one entry for each part.
    """
    parts = names.parts
    if what != "codes" and hasattr(given, "tolist"):
        given = given.tolist()
    if isinstance(given, Mapping):
        by_name = cast("Mapping[str, Any]", given)
        for name in by_name:
            if name not in parts:
                raise InvalidArgumentError(
                    f"'{what}' must be for the parts {', '.join(parts)}, got {brief(name)}"
                )
        return [by_name.get(name, default) for name in parts]
    if isinstance(given, list | tuple) and not _is_scheme_with_sizes(
        cast("object", given)
    ):
        listed = cast("Sequence[Any]", given)
        if len(listed) != len(parts):
            raise InvalidArgumentError(
                f"'{what}' must have an entry for each of the {len(parts)} parts, got {len(listed)}"
            )
        return list(listed)
    return [default if given is None else given] * len(parts)


def shares_of(weights: Sequence[Any]) -> tuple[Fraction, ...]:
    """Return each weight divided by the sum of all weights, as a Fraction.

    Args:
        weights: Numbers above 0, or fractions as text, such as '1/3'.

    Raises:
        InvalidArgumentError: If a weight is not a number above 0.

    >>> shares_of([1, 0.5])
    (Fraction(2, 3), Fraction(1, 3))
    """
    exact = [_as_fraction(weight) for weight in weights]
    total = sum(exact, Fraction(0))
    return tuple(weight / total for weight in exact)


def _as_fraction(weight: Any) -> Fraction:
    try:  # a float is read as the decimal number that Python prints for it
        text = weight if isinstance(weight, str) else str(weight)
        exact = read_fraction("weights", text)
    except InvalidArgumentError:
        exact = _rounded(weight)
    if exact is None or exact <= 0:
        raise InvalidArgumentError(
            f"'weights' must be numbers above 0, got {brief(weight)}"
        )
    return exact


def _rounded(weight: Any) -> Fraction | None:
    try:
        number = float(weight)
    except (TypeError, ValueError):
        return None
    if not 1 / LARGEST_WEIGHT_DENOMINATOR <= number <= LARGEST_WEIGHT_DENOMINATOR:
        return None
    return Fraction(repr(number)).limit_denominator(LARGEST_WEIGHT_DENOMINATOR)


def codes_text(codes: Sequence[PartCode]) -> str | None:
    """Return the text of a JSON list with the description of each code, or None if a code has no description.

    Args:
        codes: One code for each part.
    """
    descriptions = [code.description for code in codes]
    if any(description is None for description in descriptions):
        return None
    return json.dumps(descriptions, sort_keys=True)
