"""The function `compose`, which makes prototypes for classes that are described by the values of several parts.

Parts are attributes of classes, such as color and shape. Each part has several values, such as the colors, and each
class has one value of every part.
"""

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
    """Make prototypes for classes that are described by the values of several parts.

    A table gives the value of each part of each class. Examples of parts are the initial, vowel and final of a
    syllable, the make, model and color of a car, or the digits of a number. The table has one of these forms:

    - a mapping from the name of each class to the values of its parts
    - a list with one row for each class, which has the values of its parts
    - a data frame with one row for each class. The names of the classes are in the index. If the index has only row
      numbers, the names are in the first column.
    - the path of a .csv file with a heading, whose first column has the names of the classes

    Each part has a code of its own, with one prototype for each value. The prototype of a class is the concatenation of
    the prototypes of its values. The cosine of two classes is then the weighted mean of the cosines of their values, so
    classes that share values are close. A class without training examples can be recognized by its values, if other
    classes have these values.

    Args:
        parts: The table. If `by` is given, it is a list of the names of the classes instead.
        codes: The code of each part. A code is given as a scheme ('simplex', 'one_hot' or 'cross_polytope'), a pair of
            a scheme and a dimension such as ('best', 12), a SphericalCode, or a matrix. Row i of a matrix is the vector
            of the value that is the i-th to appear in the table. The argument is one code for all parts, a list with
            one code per part, or a mapping from part name to code. The default is 'simplex'.
        weights: Weight of each part in the cosine of two classes, as a list or a mapping from part name to number. By
            default, all weights are equal.
        by: Function that returns the values of the parts of a class, given its name.
        sizes: Number of values of each part. It is given instead of a table. Every combination of values is then a
            class, and the value of the last part changes fastest. At most 2**40 classes are possible.
        dim: Dimension n. If it is larger than the sum of the dimensions of the parts' codes, zeros are appended. By
            default, it is this sum.
        reserve: Number of values that `add_classes` may add to each part later. It is one number for all parts, or a
            mapping from part name to number.
        seed: Seed of schemes that are random.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, while
            pairs are compared.

    Returns:
        The certified code. Its maximum cosine is exact if every combination of values is a class and the maximum
        cosines of the parts' codes are exact. Otherwise the maximum cosine is computed by comparing pairs. The result
        is then exact only if all cosines are 1 minus integer multiples of the same fraction, whose denominator is at
        most 2**20.

    Raises:
        InvalidArgumentError: If a class is described twice, a value is missing, two classes have the same values, or a
            part has only one value and `reserve` is 0 for this part.
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
    """Return the certified code of classes that are described by the values of several parts.

    The prototype of a class is the concatenation of the prototypes of its values. If the codes of all parts can be
    described by text, the provenance of the code stores the options from which it can be rebuilt. Otherwise the
    provenance is None.

    Args:
        table: Values of the parts of each class.
        part_codes: Code of each part, with one prototype for each value of the part.
        weights: Weight of each part in the cosine of two classes.
        dim: Dimension n. If it is None, n is the sum of the dimensions of the parts' codes.
        seed: Seed with which the part codes were made. It is only stored in the provenance.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, while
            pairs are compared.

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
