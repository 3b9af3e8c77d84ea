"""Depth-first layout of a tree of any depth, in time and memory that grow linearly with the number of nodes.

The leaves of the tree are classes. The inner nodes are the nodes that are not classes. The root is the node above all
other nodes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import InvalidArgumentError, brief
from protosphere.types import Indices

ROOT = ""
"""Name of the root that joins several nodes without a parent."""

Heights = NDArray[np.int32]
"""K x K matrix of the heights of the lowest common ancestors of pairs of classes."""

BLOCK_ROWS = 256
"""Number of rows of a matrix whose columns are permuted together."""


@dataclass(frozen=True)
class TreeLayout:
    """The classes and inner nodes of a tree in the order of a depth-first traversal. Nodes are given by their names.

    Attributes:
        order: The indices of the classes in the order of the traversal.
        ranges: Mapping from each inner node to a pair (start, end): order[start:end] are the indices of the classes
            below the node. The mapping has each inner node before the inner nodes below it.
        heights: Mapping from each inner node to its height: the length of the longest path from the node down to a
            class.
        children: Mapping from each inner node to its children, which are classes or inner nodes. The children are in
            the order of the traversal.
    """

    order: Indices
    ranges: Mapping[str, tuple[int, int]]
    heights: Mapping[str, int]
    children: Mapping[str, Sequence[str]]


def tree_layout(classes: Sequence[str], parents: Mapping[str, str]) -> TreeLayout:
    """Return the classes and inner nodes of a tree in the order of a depth-first traversal.

    Inner nodes without a class below them are left out. If no inner node is above all classes, a root with the empty
    name is added above them.

    Args:
        classes: Names of the classes, which are the leaves of the tree.
        parents: Mapping from the name of each node to the name of its parent. Nodes without a parent are not in the
            mapping.

    Raises:
        InvalidArgumentError: If a class is below a cycle of nodes.
    """
    children = _children(classes, parents)
    roots = children.pop(ROOT)
    if len(roots) == 1 and roots[0] in children:
        top = roots[0]
    else:
        top = ROOT
        children[ROOT] = roots
    order, starts = _depth_first(top, classes, children)
    sizes: dict[str, int] = {}
    heights: dict[str, int] = {}
    for node in reversed(starts):
        sizes[node] = sum(sizes.get(child, 1) for child in children[node])
        heights[node] = 1 + max(heights.get(child, 0) for child in children[node])
    ranges = {node: (start, start + sizes[node]) for node, start in starts.items()}
    return TreeLayout(np.array(order, dtype=np.int64), ranges, heights, children)


def _depth_first(
    top: str, classes: Sequence[str], children: Mapping[str, Sequence[str]]
) -> tuple[list[int], dict[str, int]]:
    numbers = {name: number for number, name in enumerate(classes)}
    order: list[int] = []
    starts: dict[str, int] = {}
    stack = [top]
    while stack:
        node = stack.pop()
        if node in children:
            starts[node] = len(order)  # the position of its first class
            stack.extend(reversed(children[node]))
        else:
            order.append(numbers[node])
    return order, starts


def _children(
    classes: Sequence[str], parents: Mapping[str, str]
) -> dict[str, list[str]]:
    # only nodes with a class below them are added; ROOT gets the nodes without a parent
    children: dict[str, list[str]] = {ROOT: []}
    for name in classes:
        path = {name}
        child = name
        while True:
            parent = parents.get(child, ROOT)
            if parent in path:
                raise InvalidArgumentError(
                    f"the tree has a cycle through {brief(parent)}"
                )
            if parent in children:
                children[parent].append(child)
                break
            children[parent] = [child]
            path.add(parent)
            child = parent
    return children


def pair_heights(layout: TreeLayout) -> Heights:
    """Return the K x K matrix whose entry (i, j) is the height of the lowest common ancestor of classes i and j.

    The height of a node is the length of the longest path from the node down to a class. The entries on the diagonal
    are 0. Rows and columns are in the order in which the classes were given to `tree_layout`.

    Args:
        layout: Layout of a tree with K classes.
    """
    K = len(layout.order)
    heights = np.zeros((K, K), dtype=np.int32)
    for node, (start, end) in layout.ranges.items():
        height = layout.heights[node]
        position = start
        for child in layout.children[node]:
            if child in layout.ranges:
                child_end = layout.ranges[child][1]
            else:
                child_end = position + 1
            rows = layout.order[position:child_end]
            heights[rows, start:position] = height
            heights[rows, child_end:end] = height
            position = child_end
    place = np.argsort(layout.order)
    for first in range(0, K, BLOCK_ROWS):
        last = first + BLOCK_ROWS
        heights[first:last] = heights[first:last, place]
    return heights


def ancestors_above(layout: TreeLayout, above: int) -> list[str]:
    """Return the name of an ancestor of each class: the node `above` levels above the class.

    If there are fewer levels above a class, its ancestor is the root. The names are in the order in which the classes
    were given to `tree_layout`.

    Args:
        layout: Layout of the tree.
        above: Number of levels from a class up to its ancestor, at least 1. The parent of a class is 1 level above it.
    """
    ancestors = [ROOT] * len(layout.order)
    num_reached = 0
    path: list[str] = []
    root = next(iter(layout.ranges))
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        del path[depth:]
        if node in layout.ranges:
            path.append(node)
            for child in reversed(layout.children[node]):
                stack.append((child, depth + 1))
        else:
            ancestor = path[max(0, depth - above)]
            ancestors[layout.order[num_reached]] = ancestor
            num_reached += 1
    return ancestors
