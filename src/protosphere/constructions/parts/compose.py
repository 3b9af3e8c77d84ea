"""The function that makes prototypes for classes with parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from protosphere.assignment.part_table import PartTable, Row, part_table
from protosphere.constructions.parts.composed import (
    composed_placement,
    require_possible_dim,
)
from protosphere.constructions.parts.part_codes import (
    SIMPLEX,
    PartCode,
    codes_text,
    given_by_part,
    part_code,
    shares_of,
)
from protosphere.errors import InvalidArgumentError, as_integer, brief
from protosphere.spherical.certificate import certified
from protosphere.spherical.provenance import Provenance
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Progress, ignore
from protosphere.version import __version__


def compose(
    parts: Any = None,
    codes: Any = None,
    weights: Any = None,
    *,
    by: Callable[[Any], Row] | None = None,
    sizes: Sequence[int] | None = None,
    dim: int | None = None,
    reserve: int | Mapping[str, int] = 0,
    seed: int = 0,
    progress: Progress = ignore,
) -> SphericalCode:
    """Make prototypes for classes that are made of parts.

    A table gives the value of each part of each class: initial, vowel and final of a syllable; make, model and color;
    genus and species; the digits of a number. Each part has a code of its own, and the prototype of a class has the
    prototypes of its values side by side. The cosine of two classes is the weighted mean of the cosines of their parts,
    so that classes that share parts are close, and classes without examples are described by parts that have some.

    Args:
        parts: A mapping from class name to the values of its parts; a list of rows of values; a data frame whose index,
            or else first column, has the class names; the path of a .csv file with a heading, whose first column has
            the class names; or, with `by`, the class names.
        codes: The code of the values of each part: a scheme ('simplex', the default, 'one_hot' or 'cross_polytope'), a
            pair such as ('best', 12) with a dimension, a SphericalCode, or a matrix with a vector for each value in the
            order of their first appearance (see `from_embeddings`). One for all parts, a list, or a mapping from part
            name to code.
        weights: How much each part counts in the cosine of two classes: a list or a mapping from part name to number;
            equal by default.
        by: Function from a class name to the values of its parts.
        sizes: Number of values of each part, in place of a table: every combination is a class, up to 2**40 of them,
            and the value of the last part changes fastest.
        dim: Dimension n; the sum of the parts' dimensions by default. Zeros are appended.
        reserve: Number of values that may be added to each part later (`add_classes`): for all parts, or by part name.
        seed: Seed of schemes that are random.
        progress: Called while pairs are measured.

    Returns:
        The certified code. Its maximum cosine is exact if the maximum cosines of the parts' codes are exact. The
        maximum cosine is measured if not every combination is a class and the cosines are multiples of no fraction
        above 2**-20.

    Raises:
        InvalidArgumentError: If a class is described twice, a part is missing, or two classes have the same values.
        InfeasibleError: If the parts need more than `dim` dimensions.
        StorageError: If the file cannot be read.

    Example:
        >>> code = compose({"red car": ("red", "car"), "red bus": ("red", "bus"), "blue car": ("blue", "car")})
        >>> code.max_cosine
        Fraction(0, 1)
        >>> compose(sizes=(19, 21, 28))
        SphericalCode(composed, K=11172, n=65, max cosine 53/81, converse 0.155288 (levenshtein))
    """
    seed = as_integer("seed", seed, minimum=0)
    table = part_table(parts, by=by, sizes=sizes)
    _require_several_values(table, reserve)
    given = given_by_part(codes, table.names, "codes", SIMPLEX)
    reserved = given_by_part(reserve, table.names, "reserve", 0)
    part_codes = [
        part_code(
            SIMPLEX if code is None else code,
            size,
            as_integer("reserve", more, minimum=0),
            name,
            seed,
        )
        for code, size, more, name in zip(
            given, table.sizes, reserved, table.names.parts, strict=True
        )
    ]
    listed = given_by_part(weights, table.names, "weights", 1)
    return composed_code(table, part_codes, listed, dim, seed, progress)


def _require_several_values(table: PartTable, reserve: Any) -> None:
    """Raise InvalidArgumentError if a part has a single value and no value is reserved."""
    reserved = given_by_part(reserve, table.names, "reserve", 0)
    for name, size, more in zip(table.names.parts, table.sizes, reserved, strict=True):
        if size < 2 and not more:
            raise InvalidArgumentError(
                f"'parts' must have two values or more of each part, got one of part {brief(name)}; leave the part out"
            )


def composed_code(
    table: PartTable,
    part_codes: list[PartCode],
    weights: Sequence[Any],
    dim: int | None,
    seed: int,
    progress: Progress,
) -> SphericalCode:
    """Certify the prototypes of a table, and store the options from which they can be rebuilt.

    Args:
        table: Values of the parts of each class.
        part_codes: Code of each part.
        weights: Weight of each part in the cosine.
        dim: Dimension n; the sum of the parts' dimensions if None.
        seed: Seed of the request.
        progress: Called while pairs are measured.

    Raises:
        InfeasibleError: If the parts need more than `dim` dimensions.
    """
    needed = [code.points.dim for code in part_codes]
    n = sum(needed) if dim is None else as_integer("dim", dim, minimum=1)
    require_possible_dim(needed, n)
    shares = shares_of(weights)
    placement = composed_placement(table, part_codes, shares, n)
    certificate = certified(placement, None, progress)
    described = codes_text(part_codes)
    provenance = None
    if described is not None:
        options = {
            "table": table.text,
            "codes": described,
            "weights": " ".join(map(str, shares)),
        }
        K = table.num_classes
        provenance = Provenance("composed", K, n, options, seed, "fixed", __version__)
    return SphericalCode(placement, certificate, provenance)
