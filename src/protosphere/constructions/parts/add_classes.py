"""The function `add_classes`, which adds classes to a code of `compose`.

Parts are attributes of classes, such as color and shape. Each part has several values, such as the colors, and each
class has one value of every part.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from protosphere.assignment.part_table import (
    PartTable,
    Row,
    part_table,
    require_different,
)
from protosphere.constructions.parts.compose import composed_code
from protosphere.constructions.parts.part_codes import PartCode
from protosphere.errors import InvalidArgumentError, brief
from protosphere.geometry.closest_classes import Values
from protosphere.spherical.part_names import PartNames
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.structures import ProductPoints
from protosphere.spherical.structures.product import value_type
from protosphere.types import Progress, ignore

MOST_LISTED = 1 << 24
"""Largest number of classes of a code to which classes can be added; all its classes are listed."""


def add_classes(
    code: SphericalCode,
    parts: Any,
    *,
    by: Callable[[Any], Row] | None = None,
    progress: Progress = ignore,
) -> SphericalCode:
    """Add classes to a code of `compose` without moving any prototype.

    In such a code, a class consists of parts, such as a color and a shape, and has one value of each part. New classes
    are new combinations of values. A value that no class had before gets one of the points that `compose` reserved for
    its part.

    Args:
        code: A code that `compose` or `add_classes` returned.
        parts: A table of the new classes: a mapping from the name of a class to its values, a list of rows of values, a
            data frame, or the path of a .csv file with a heading and the names of the classes in its first column. If
            `by` is given, `parts` has only the names of the new classes.
        by: Function from the name of a class to the values of its parts. None if `parts` has the values.
        progress: Function that is called with a text, the number of finished steps and the number of all steps, while
            pairs of points are compared.

    Returns:
        The code with the new classes after the old ones.

    Raises:
        InvalidArgumentError: If `code` is not a code of `compose`, if a class exists already, or if a part has no
            reserved point for a new value.

    Example:
        >>> import protosphere as ps
        >>> code = ps.compose(sizes=(3, 4), reserve=1)
        >>> ps.add_classes(code, [("3", "0"), ("3", "2")]).num_classes
        14
    """
    placement = getattr(code, "placement", None)
    structure = getattr(placement, "structure", None)
    if not isinstance(structure, ProductPoints) or structure.names is None:
        raise InvalidArgumentError(
            f"'code' must be a code of ps.compose, got {brief(code)}"
        )
    if structure.count > MOST_LISTED:
        raise InvalidArgumentError(
            f"'code' must have at most {MOST_LISTED} classes to add more, got {structure.count}; "
            "ps.compose with larger 'sizes' has them"
        )
    added = part_table(parts, by=by, least=1)
    if added.values is None:
        raise InvalidArgumentError(
            f"'parts' must be a table of the new classes, got sizes, {brief(parts)}"
        )
    table = _joined(structure.names, added.names, added.values, structure)
    descriptions = _descriptions(code, structure)
    codes = list(map(PartCode, structure.parts, descriptions))
    seed = 0 if code.provenance is None else code.provenance.seed
    return composed_code(table, codes, structure.shares, code.dim, seed, progress)


def _descriptions(code: SphericalCode, structure: ProductPoints) -> list[Any]:
    named = code.provenance
    if named is None or not str(named.options.get("codes", "")).startswith("["):
        return [None] * structure.num_parts
    return json.loads(named.options["codes"])


def _joined(
    old: PartNames, new: PartNames, added: Values, structure: ProductPoints
) -> PartTable:
    # the values of the code keep their indices
    columns = _columns(old, new)
    values: list[tuple[str, ...]] = []
    numbers: list[Values] = []
    for part, column in enumerate(columns):
        known = {name: number for number, name in enumerate(old.values[part])}
        of_new = new.values[column]
        translated = [known.setdefault(name, len(known)) for name in of_new]
        if len(known) > structure.parts[part].count:
            last = list(known)[structure.parts[part].count]
            raise InvalidArgumentError(
                f"'parts' must have known values of {brief(old.parts[part])}, got {brief(last)}, for which no "
                "point is reserved; reserve= of ps.compose does"
            )
        values.append(tuple(known))
        numbers.append(np.array(translated)[added[:, column]])
    names = PartNames(old.parts, tuple(values), _class_names(old, new))
    kind = value_type(tuple(map(len, values)))
    listed = structure.class_values(0, structure.count)
    rows = np.vstack([listed, np.stack(numbers, axis=1)]).astype(kind)
    require_different(rows.tolist(), names.classes)
    return PartTable(names, rows)


def _columns(old: PartNames, new: PartNames) -> list[int]:
    if len(old.parts) != len(new.parts):
        raise InvalidArgumentError(
            f"'parts' must have the {len(old.parts)} parts of the code, got {len(new.parts)}"
        )
    # parts are matched by their names or, if `new` has only numbers in place of names, by their order
    if set(old.parts) == set(new.parts):
        return [new.parts.index(part) for part in old.parts]
    if all(name == f"part {number}" for number, name in enumerate(new.parts)):
        return list(range(len(new.parts)))
    raise InvalidArgumentError(
        f"'parts' must have the parts {', '.join(old.parts)}, got {', '.join(new.parts)}"
    )


def _class_names(old: PartNames, new: PartNames) -> tuple[str, ...] | None:
    if old.classes is None:
        return None
    if new.classes is None:
        raise InvalidArgumentError(
            "'parts' must name the new classes, because those of the code have names; a dict of class to values does"
        )
    again = set(old.classes) & set(new.classes)
    if again:
        raise InvalidArgumentError(
            f"'parts' must describe new classes, got {brief(min(again))}, which the code has"
        )
    return old.classes + new.classes
