"""Trees whose leaves are classes. The leaves may have different depths.

The inner nodes are the nodes that are not classes. The root is the node above all other nodes.

The height of a node is the length of the longest path from the node down to a class.
"""

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
    as_integer,
    brief,
)
from protosphere.types import Indices, Points

MOST_CLASSES_IN_PAIRS = 10_000
"""Largest number K of classes for K x K matrices: 0.4 GB of heights or 0.8 GB of similarities."""

MAX_ANCESTOR_NAMES = 10_000_000
"""Largest number of names in `Taxonomy.ancestors`: one name for each class and each of its ancestors."""

SHIPPED = ("cifar100_superclasses", "cifar100_levels")
"""Names of the trees of CIFAR-100 in the package.

The first has the 20 superclasses of 5 classes each. The second has further levels above them: its levels have 100, 20,
8, 4 and 2 nodes.
"""


@dataclass(frozen=True)
class Taxonomy:
    """A tree whose leaves are K classes.

    Attributes:
        classes: Names of the K classes. Class i has the name classes[i], and is a leaf of the tree.
        parents: Mapping from the name of a node to the name of its parent. It has all classes and inner nodes, except
            nodes without a parent.

    Raises:
        InvalidArgumentError: If names are empty or repeated, a class has no parent or has children, or there is a
            cycle.

    Example:
        >>> tree = Taxonomy(("cat", "dog", "car"), {"cat": "animal", "dog": "animal", "car": "thing"})
        >>> tree.heights.tolist()
        [[0, 1, 2], [1, 0, 2], [2, 2, 0]]
    """

    classes: tuple[str, ...]
    parents: Mapping[str, str]

    def __post_init__(self) -> None:
        self._check_names()
        inner_nodes = set(self.parents.values())
        for name in self.classes:
            if name not in self.parents:
                raise InvalidArgumentError(
                    f"the tree has no parent for the class {brief(name)}"
                )
        for name in self.classes:
            if name in inner_nodes:
                raise InvalidArgumentError(
                    f"the class {brief(name)} has children in the tree; classes must be its leaves"
                )
        _ = self._layout  # raises if there is a cycle

    def _check_names(self) -> None:
        if not self.classes:
            raise InvalidArgumentError(
                "a tree must have classes, got none; a line 'child parent' each gives them"
            )
        if "" in self.classes:
            raise InvalidArgumentError(
                "a tree's classes must have names, got an empty one"
            )
        seen: set[str] = set()
        for name in self.classes:
            if name in seen:
                raise InvalidArgumentError(
                    f"a tree's classes must differ, got {brief(name)} twice"
                )
            seen.add(name)

    @cached_property
    def _layout(self) -> TreeLayout:
        return tree_layout(self.classes, self.parents)

    @cached_property
    def ancestors(self) -> tuple[tuple[str, ...], ...]:
        """For each class, the names of its ancestors, from its parent to the root.

        If there are several nodes without a parent, a common root with an empty name is added above them.

        Raises:
            InvalidArgumentError: If all classes together have more than 10,000,000 ancestors.
        """
        layout = self._layout
        total = sum(end - start for start, end in layout.ranges.values())
        if total > MAX_ANCESTOR_NAMES:
            raise InvalidArgumentError(
                f"'ancestors' lists at most {MAX_ANCESTOR_NAMES:,} names, and this tree has {total:,}; "
                "'groups' gives the ancestors of one level"
            )
        ancestors_of: dict[str, tuple[str, ...]] = {}
        for node in layout.ranges:
            above = ancestors_of.get(node, ())
            for child in layout.children[node]:
                ancestors_of[child] = (node, *above)
        return tuple(ancestors_of[name] for name in self.classes)

    @cached_property
    def leaves(self) -> dict[str, Indices]:
        """Mapping from the name of each inner node to the indices of the classes below it.

        An index is the position of the class in `classes`, from 0. The indices below a node are in the order of a
        depth-first traversal of the tree.
        """
        order = self._layout.order
        ranges = self._layout.ranges
        return {node: order[start:end] for node, (start, end) in ranges.items()}

    @property
    def node_heights(self) -> dict[str, int]:
        """Mapping from the name of each inner node to its height, the length of the longest path down to a class."""
        return dict(self._layout.heights)

    @cached_property
    def heights(self) -> Heights:
        """K x K matrix with the height of the lowest common ancestor of each pair of classes, and 0 on the diagonal.

        The height of a node is the length of the longest path from the node down to a class.

        Raises:
            InvalidArgumentError: If there are more than 10,000 classes.
        """
        if len(self.classes) > MOST_CLASSES_IN_PAIRS:
            raise InvalidArgumentError(
                f"heights of all pairs are held for trees of at most {MOST_CLASSES_IN_PAIRS:,} classes, "
                f"got {len(self.classes):,}; the groups of a tree ('groups') can be any number"
            )
        return pair_heights(self._layout)

    @property
    def height(self) -> int:
        """The height of the root: the length of the longest path from the root down to a class."""
        return max(self._layout.heights.values())

    def similarity(self) -> Points:
        """Return the similarity of each pair of classes, computed from the height h of their lowest common ancestor.

        The similarity is 1 - h / (height of the root). The height of a node is the length of the longest path from the
        node down to a class.

        Returns:
            The K x K matrix of similarities, which are numbers from 0 (only the root in common) to 1 (the same class).
        """
        relative_heights = self.heights / self.height
        return np.subtract(1, relative_heights, out=relative_heights)

    def groups(self, above: int = 1) -> Indices:
        """Return the index of the group of each class. A group consists of all classes with the same ancestor.

        Args:
            above: Number of levels from a class up to its ancestor. If it is 1, the ancestor is the parent of the
                class. If a class has fewer levels above it, the ancestor is the root.

        Returns:
            K indices, one for each class. Class 0 is in group 0. The other groups get the indices 1, 2, ... in the
            order of their first classes.
        """
        names = ancestors_above(self._layout, as_integer("above", above, minimum=1))
        numbers: dict[str, int] = {}
        for name in names:
            numbers.setdefault(name, len(numbers))
        return np.array([numbers[name] for name in names], dtype=np.int64)

    @property
    def text(self) -> str:
        """The tree as text that `taxonomy` reads, with one line 'child<tab>parent' for each node that has a parent."""
        class_edges = [(name, self.parents[name]) for name in self.classes]
        inner_edges = [
            (node, self.parents[node])
            for node in self._layout.ranges
            if node in self.parents
        ]
        edges = class_edges + sorted(inner_edges)
        return "".join(f"{child}\t{parent}\n" for child, parent in edges)

    def of(self, class_names: Sequence[str]) -> Taxonomy:
        """Return the tree that has only the given classes, in the given order.

        Args:
            class_names: Names of classes of this tree, in the order that they get in the new tree.

        Raises:
            InvalidArgumentError: If one of the names is not a class of this tree.
        """
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
    """Return the tree of classes that a mapping, a file, a text or a name describes.

    Args:
        source: Description of the tree. It can be a mapping from each node to its parent, a text of several lines, the
            path of a text file, the name of a tree in the package, or a `Taxonomy`. The package has two trees of the
            100 classes of CIFAR-100: 'cifar100_superclasses' has 20 superclasses of 5 classes each, and
            'cifar100_levels' has three further levels above the superclasses. A text or a file has a child and its
            parent on each line. They are separated by a space, or by a comma or a tab if names contain spaces.
        classes: Names of the classes: class i of the tree gets the name classes[i]. If it is None, the classes are all
            leaves, in the order in which the source lists them.

    Returns:
        The tree.

    Raises:
        InvalidArgumentError: If the source has another type or does not describe a tree with these classes.
        StorageError: If the file cannot be read.

    Example:
        >>> taxonomy({"cat": "animal", "dog": "animal", "car": "thing"}).classes
        ('cat', 'dog', 'car')
    """
    if isinstance(source, Taxonomy):
        return source if classes is None else source.of(classes)
    parents = _parents(source)
    if classes is not None:
        return Taxonomy(tuple(classes), parents)
    inner_nodes = set(parents.values())
    leaves = tuple(name for name in parents if name not in inner_nodes)
    if parents and not leaves:
        first = next(iter(parents))
        raise InvalidArgumentError(f"the tree has a cycle through {brief(first)}")
    return Taxonomy(leaves, parents)


def _parents(source: str | Path | Mapping[str, str]) -> dict[str, str]:
    if isinstance(source, Mapping):
        return {str(child): str(parent) for child, parent in source.items()}
    if isinstance(source, Path):
        return _parse_edges(_read_lines(source), str(source))
    if not isinstance(source, str):  # pyright: ignore[reportUnnecessaryIsInstance] - users pass anything
        raise InvalidArgumentError(
            f"'tree' must be a mapping class -> parent, a file or a name, got {brief(source)}"
        )
    if "\n" in source:
        return _parse_edges(source.splitlines(), "given as text")
    if source in SHIPPED:
        package = resources.files("protosphere.assignment")
        file = package.joinpath(f"trees/{source}.txt")
        text = file.read_text(encoding="utf-8")
        return _parse_edges(text.splitlines(), source)
    return _parse_edges(_read_lines(Path(source)), source)


def _read_lines(path: Path) -> list[str]:
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


def _parse_edges(lines: Iterable[str], where: str) -> dict[str, str]:
    # the text `where` names the source of the lines in messages
    parents: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        text = line.split("#")[0].strip()
        if not text:
            continue
        names = _split_names(text)
        if len(names) != 2 or not all(names):
            raise StorageError(
                f"cannot read the tree '{where}': line {number} must be 'child parent', is {brief(text)}"
            )
        child, parent = names
        if parents.setdefault(child, parent) != parent:
            raise StorageError(
                f"cannot read the tree '{where}': line {number} gives {brief(child)} a second parent"
            )
    return parents


def _split_names(text: str) -> list[str]:
    separator = None
    if "\t" in text:
        separator = "\t"
    elif "," in text:
        separator = ","
    return [name.strip() for name in text.split(separator)]
