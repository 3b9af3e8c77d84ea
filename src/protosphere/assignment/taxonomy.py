"""A tree over classes: each has a parent, any depth; who is near whom follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path

import numpy as np

from protosphere.errors import InvalidArgumentError, StorageError, as_choice, brief
from protosphere.types import Indices, Points

ROOT = ""
"""The name of the root that joins the nodes without a parent where there are several."""

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
            raise InvalidArgumentError("a tree must have classes, got none; a line 'child parent' each gives them")
        if len(set(self.classes)) < len(self.classes):
            twice = next(name for name in self.classes if self.classes.count(name) > 1)
            raise InvalidArgumentError(f"a tree's classes must differ, got {brief(twice)} twice")
        if missing := [name for name in self.classes if name not in self.parents]:
            raise InvalidArgumentError(f"the tree has no parent for the class {brief(missing[0])}")
        inner = set(self.parents.values())
        if used := [name for name in self.classes if name in inner]:
            raise InvalidArgumentError(
                f"the class {brief(used[0])} has children in the tree; classes must be its leaves"
            )
        for name in self.classes:
            self._chain(name)

    def _chain(self, name: str) -> tuple[str, ...]:
        """All nodes above a class, from its parent on."""
        chain: list[str] = []
        while (name := self.parents.get(name, ROOT)) != ROOT:
            if name in chain:
                raise InvalidArgumentError(f"the tree has a cycle through {brief(name)}")
            chain.append(name)
        return tuple(chain)

    @cached_property
    def ancestors(self) -> tuple[tuple[str, ...], ...]:
        """For each class its ancestors from the parent to the root; several roots have one more above them."""
        chains = [self._chain(name) for name in self.classes]
        one_root = len({chain[-1:] for chain in chains}) == 1 and all(chains)
        return tuple(chain if one_root else (*chain, ROOT) for chain in chains)

    @cached_property
    def leaves(self) -> dict[str, Indices]:
        """The classes below each inner node, as numbers."""
        below: dict[str, list[int]] = {}
        for number, chain in enumerate(self.ancestors):
            for node in chain:
                below.setdefault(node, []).append(number)
        return {node: np.array(numbers, dtype=np.int64) for node, numbers in below.items()}

    @cached_property
    def node_heights(self) -> dict[str, int]:
        """The height of each inner node: the longest way down to a class."""
        heights: dict[str, int] = {}
        for chain in self.ancestors:
            for height, node in enumerate(chain, 1):
                heights[node] = max(height, heights.get(node, 0))
        return heights

    @cached_property
    def heights(self) -> Indices:
        """K x K: the height of the lowest common ancestor of two classes; 0 of a class with itself."""
        found = np.zeros((len(self.classes), len(self.classes)), dtype=np.int64)
        for node in sorted(self.leaves, key=lambda node: -self.node_heights[node]):
            found[np.ix_(self.leaves[node], self.leaves[node])] = self.node_heights[node]
        np.fill_diagonal(found, 0)
        return found

    @property
    def height(self) -> int:
        """Of the root."""
        return max(self.node_heights.values())

    def similarity(self) -> Points:
        """1 minus the height of the lowest common ancestor as a share of the root's: from 1 (the same class) to 0."""
        return 1 - self.heights / self.height

    def groups(self, above: int = 1) -> Indices:
        """For each class the number of its ancestor `above` levels up (1: its superclass), counted as they appear."""
        names = [chain[min(above, len(chain)) - 1] for chain in self.ancestors]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        return np.array([numbers[name] for name in names], dtype=np.int64)

    @property
    def text(self) -> str:
        """All of it as lines of child and parent, which `taxonomy` reads."""
        inner = {node: self.parents[node] for chain in self.ancestors for node in chain if node in self.parents}
        edges = [(name, self.parents[name]) for name in self.classes] + sorted(inner.items())
        return "".join(f"{child}\t{parent}\n" for child, parent in edges)

    def of(self, class_names: Sequence[str]) -> Taxonomy:
        """The tree of just these classes in this order; one that it does not have is refused."""
        for name in class_names:
            if name not in self.classes:
                raise InvalidArgumentError(
                    f"the tree has no class {brief(name)}; its first are {', '.join(self.classes[:3])}"
                )
        return Taxonomy(tuple(class_names), self.parents)


def taxonomy(source: str | Path | Mapping[str, str] | Taxonomy, classes: Sequence[str] | None = None) -> Taxonomy:
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
        raise InvalidArgumentError(f"'tree' must be a mapping class -> parent, a file or a name, got {brief(source)}")
    elif isinstance(source, Path) or source not in SHIPPED:
        parents = _parsed(_lines(Path(source)), str(source))
    else:
        text = resources.files("protosphere.assignment").joinpath(f"trees/{as_choice('tree', source, SHIPPED)}.txt")
        parents = _parsed(text.read_text(encoding="utf-8").splitlines(), str(source))
    inner = set(parents.values())
    leaves = tuple(name for name in parents if name not in inner) if classes is None else tuple(classes)
    if classes is None and parents and not leaves:
        raise InvalidArgumentError(f"the tree has a cycle through {brief(next(iter(parents)))}")
    return Taxonomy(leaves, parents)


def _lines(path: Path) -> list[str]:
    if path.exists() and not path.is_file():  # a device may have no end
        raise StorageError(f"cannot read the tree '{path}': it is not a file")
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        known = ", ".join(SHIPPED)
        raise StorageError(f"cannot read the tree '{path}': {reason}; trees we ship: {known}") from error


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
            raise StorageError(f"cannot read the tree '{where}': line {number} gives {brief(words[0])} a second parent")
    return parents
