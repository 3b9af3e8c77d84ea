"""Names for classes that consist of parts.

A class has one value of each part. The parts and their values have names. The classes may have names.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

from protosphere.errors import InvalidArgumentError, brief
from protosphere.types import Indices


@dataclass(frozen=True)
class PartNames:
    """Names of the parts of classes, of the values of each part, and of the classes.

    Attributes:
        parts: Names of the parts, in the order of the parts.
        values: For each part, the names of its values, in the order of the values.
        classes: Names of the classes, in the order of the classes. None if they have no names.
    """

    parts: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    classes: tuple[str, ...] | None = None

    def permuted(self, order: Indices) -> PartNames:
        """Return the names for classes in another order: class i of the result is class order[i] of this object.

        The names of parts and values stay the same.

        Args:
            order: Indices of classes of this object: all of them in a new order, or some of them.
        """
        if self.classes is None:
            return self
        numbers: list[int] = order.tolist()
        classes = tuple(self.classes[number] for number in numbers)
        return replace(self, classes=classes)

    def to_json(self) -> dict[str, Any]:
        """Return the names as a JSON object with the keys "parts", "values" and "classes".

        Each key has the value of the attribute with the same name.
        """
        classes = None if self.classes is None else list(self.classes)
        values = [list(names) for names in self.values]
        return {"parts": list(self.parts), "values": values, "classes": classes}


def read_part_names(
    record: object, sizes: tuple[int, ...], num_classes: int
) -> PartNames | None:
    """Read the names of parts, values and classes from the header of a file.

    Args:
        record: The JSON object that `PartNames.to_json` returned, or None if there are no names.
        sizes: For each part, how many values it has.
        num_classes: Number K of classes.

    Returns:
        The names; None if `record` is None.

    Raises:
        InvalidArgumentError: If there is not one name (a text) for each part and each value, if only some classes have
            names, or if two parts, two values of a part, or two classes have the same name.
    """
    if record is None:
        return None
    if not isinstance(record, dict):
        raise InvalidArgumentError(
            f"'part_names' should be an object, is {brief(record)}"
        )
    names = cast("dict[str, Any]", record)
    parts = _distinct_texts("parts", names.get("parts"), len(sizes))
    listed = _as_list(names.get("values"))
    if len(listed) != len(sizes):
        raise InvalidArgumentError(
            f"'values' of 'part_names' should list {len(sizes)} parts, are {len(listed)}"
        )
    values = tuple(map(_value_names, listed, sizes))
    classes = names.get("classes")
    if classes is not None:
        classes = _distinct_texts("classes", classes, num_classes)
    return PartNames(parts, values, classes)


def _value_names(listed: object, size: int) -> tuple[str, ...]:
    return _distinct_texts("values", listed, size)


def _as_list(listed: object) -> list[object]:
    return cast("list[object]", listed) if isinstance(listed, list) else []


def _distinct_texts(what: str, listed: object, count: int) -> tuple[str, ...]:
    texts = _as_list(listed)
    named = tuple(text for text in texts if isinstance(text, str))
    if len(texts) != count or len(set(named)) != count:
        raise InvalidArgumentError(
            f"'{what}' of 'part_names' should be {count} different texts, are {brief(listed)}"
        )
    return named
