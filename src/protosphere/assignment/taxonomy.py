"""A tree over classes: each has a parent, any depth; who is near whom follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path

import numpy as np

from protosphere.assignment.tree_layout import (
    Heights,
    TreeLayout,
    ancestors_above,
    pair_heights,
    tree_layout,
)
from protosphere.errors import (
    InvalidArgumentError,
    StorageError,
    as_choice,
    as_integer,
    brief,
)
from protosphere.types import Indices, Points

MOST_CLASSES_IN_PAIRS = 10_000
"""Classes of a tree whose pairs are still held as a K x K matrix: 0.4 GB of heights, 0.8 GB of similarities."""

MOST_ANCESTORS = 10_000_000
"""Names in all in `Taxonomy.ancestors`, which grows with the square of the depth."""

SHIPPED = ("cifar100_superclasses", "cifar100_levels")
"""Trees in the package: the 20 superclasses of 5 classes, and 100, 20, 8, 4 and 2 nodes a level."""


@dataclass(frozen=True)
class Taxonomy:
    """Classes in order, the parent of every class and of every inner node but roots.

    >>> tree = Taxonomy(("cat", "dog", "car"), {"cat": "animal", "dog": "animal", "car": "thing"})
    >>> tree.heights.tolist()
    [[0, 1, 2], [1, 0, 2], [2, 2, 0]]
    """

    classes: tuple[str, ...]
    parents: Mapping[str, str]

    def __post_init__(self) -> None:
        if not self.classes:
            raise InvalidArgumentError(
                "a tree must have classes, got none; a line 'child parent' each gives them"
            )
        if "" in self.classes:
            raise InvalidArgumentError(
                "a tree's classes must have names, got an empty one"
            )
        names: set[str] = set()
        for name in self.classes:
            if name in names:
                raise InvalidArgumentError(
                    f"a tree's classes must differ, got {brief(name)} twice"
                )
            names.add(name)
        if missing := [name for name in self.classes if name not in self.parents]:
            raise InvalidArgumentError(
                f"the tree has no parent for the class {brief(missing[0])}"
            )
        inner = set(self.parents.values())
        if used := [name for name in self.classes if name in inner]:
            raise InvalidArgumentError(
                f"the class {brief(used[0])} has children in the tree; classes must be its leaves"
            )
        _ = self._layout  # which refuses a cycle

    @cached_property
    def _layout(self) -> TreeLayout:
        return tree_layout(self.classes, self.parents)

    @cached_property
    def ancestors(self) -> tuple[tuple[str, ...], ...]:
        """For each class its ancestors from the parent to the root; several roots have one more above them.

        Raises:
            InvalidArgumentError: If they are more than `MOST_ANCESTORS` names in all.
        """
        layout = self._layout
        total = sum(end - start for start, end in layout.ranges.values())
        if total > MOST_ANCESTORS:
            raise InvalidArgumentError(
                f"'ancestors' lists at most {MOST_ANCESTORS:,} names, and this tree has {total:,}; "
                "'groups' gives the ancestors of one level"
            )
        chains: dict[str, tuple[str, ...]] = {}
        for node in layout.ranges:
            above = chains.get(node, ())
            for child in layout.children[node]:
                chains[child] = (node, *above)
        return tuple(chains[name] for name in self.classes)

    @cached_property
    def leaves(self) -> dict[str, Indices]:
        """The classes below each inner node, as numbers, depth first."""
        return {
            node: self._layout.order[start:end]
            for node, (start, end) in self._layout.ranges.items()
        }

    @property
    def node_heights(self) -> dict[str, int]:
        """The height of each inner node: the longest way down to a class."""
        return dict(self._layout.heights)

    @cached_property
    def heights(self) -> Heights:
        """K x K: the height of the lowest common ancestor of two classes; 0 of a class with itself.

        Raises:
            InvalidArgumentError: If there are more than `MOST_CLASSES_IN_PAIRS` classes.
        """
        if len(self.classes) > MOST_CLASSES_IN_PAIRS:
            raise InvalidArgumentError(
                f"heights of all pairs are held for trees of at most {MOST_CLASSES_IN_PAIRS:,} classes, "
                f"got {len(self.classes):,}; the groups of a tree ('groups') can be any number"
            )
        return pair_heights(self._layout)

    @property
    def height(self) -> int:
        """Of the root."""
        return max(self._layout.heights.values())

    def similarity(self) -> Points:
        """1 minus the height of the lowest common ancestor as a share of the root's: from 1 (the same class) to 0."""
        similarity = self.heights / self.height
        return np.subtract(1, similarity, out=similarity)

    def groups(self, above: int = 1) -> Indices:
        """For each class the number of its ancestor `above` levels up (1: its superclass), counted as they appear."""
        names = ancestors_above(self._layout, as_integer("above", above, minimum=1))
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        return np.array([numbers[name] for name in names], dtype=np.int64)

    @property
    def text(self) -> str:
        """All of it as lines of child and parent, which `taxonomy` reads."""
        inner = {
            node: self.parents[node]
            for node in self._layout.ranges
            if node in self.parents
        }
        edges = [(name, self.parents[name]) for name in self.classes] + sorted(
            inner.items()
        )
        return "".join(f"{child}\t{parent}\n" for child, parent in edges)

    def of(self, class_names: Sequence[str]) -> Taxonomy:
        """The tree of just these classes in this order; one that it does not have is refused."""
        known = set(self.classes)
        for name in class_names:
            if name not in known:
                raise InvalidArgumentError(
                    f"the tree has no class {brief(name)}; its first are {', '.join(self.classes[:3])}"
                )
        return Taxonomy(tuple(class_names), self.parents)


def taxonomy(
    source: str | Path | Mapping[str, str] | Taxonomy,
    classes: Sequence[str] | None = None,
) -> Taxonomy:
    """A tree from a mapping class -> parent, from a text file with a line 'child parent' each, or one of `SHIPPED`.

    Without `classes` they are the leaves as they come. Names with spaces have a comma or a tab between them.
    """
    if isinstance(source, Taxonomy):
        return source if classes is None else source.of(classes)
    if isinstance(source, str) and "\n" in source:
        parents = _parsed(source.splitlines(), "given as text")
    elif isinstance(source, Mapping):
        parents = {str(child): str(parent) for child, parent in source.items()}
    elif not isinstance(source, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance] - users pass anything
        raise InvalidArgumentError(
            f"'tree' must be a mapping class -> parent, a file or a name, got {brief(source)}"
        )
    elif isinstance(source, Path) or source not in SHIPPED:
        parents = _parsed(_lines(Path(source)), str(source))
    else:
        text = resources.files("protosphere.assignment").joinpath(
            f"trees/{as_choice('tree', source, SHIPPED)}.txt"
        )
        parents = _parsed(text.read_text(encoding="utf-8").splitlines(), str(source))
    inner = set(parents.values())
    if classes is None:
        leaves = tuple(name for name in parents if name not in inner)
    else:
        leaves = tuple(classes)
    if classes is None and parents and not leaves:
        raise InvalidArgumentError(
            f"the tree has a cycle through {brief(next(iter(parents)))}"
        )
    return Taxonomy(leaves, parents)


def _lines(path: Path) -> list[str]:
    if path.exists() and not path.is_file():  # a device may have no end
        raise StorageError(f"cannot read the tree '{path}': it is not a file")
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        known = ", ".join(SHIPPED)
        raise StorageError(
            f"cannot read the tree '{path}': {reason}; trees we ship: {known}"
        ) from error


def _parsed(lines: Iterable[str], where: str) -> dict[str, str]:
    parents: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        text = line.split("#")[0].strip()
        if not text:
            continue
        mark = next((mark for mark in "\t," if mark in text), None)
        words = [word.strip() for word in text.split(mark)]
        if len(words) != 2 or not all(words):
            raise StorageError(
                f"cannot read the tree '{where}': line {number} must be 'child parent', is {brief(text)}"
            )
        if parents.setdefault(words[0], words[1]) != words[1]:
            raise StorageError(
                f"cannot read the tree '{where}': line {number} gives {brief(words[0])} a second parent"
            )
    return parents
