"""A tree laid out depth first, in time and memory that follow its number of nodes, however deep it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import InvalidArgumentError, brief
from protosphere.types import Indices

ROOT = ""
"""The name of the root that joins the nodes without a parent where there are several."""

Heights = NDArray[np.int32]
"""K x K heights of lowest common ancestors."""

BLOCK = 256
"""Rows of a matrix whose columns are permuted together."""


@dataclass(frozen=True)
class TreeLayout:
    """Where the nodes above the classes are in a depth-first walk.

    Attributes:
        order: The numbers of the classes in the order of the walk.
        ranges: For each inner node, parents first, the part of `order` that is below it, as (start, end).
        heights: For each inner node the longest way down to a class.
        children: For each inner node its children, classes and inner nodes, in the order of the walk.
    """

    order: Indices
    ranges: Mapping[str, tuple[int, int]]
    heights: Mapping[str, int]
    children: Mapping[str, Sequence[str]]


def tree_layout(classes: Sequence[str], parents: Mapping[str, str]) -> TreeLayout:
    """Lay out the part of the tree that is above the classes; a cycle is refused."""
    children = _children(classes, parents)
    roots = children.pop(ROOT)
    if len(roots) == 1 and roots[0] in children:
        top = roots[0]
    else:
        top = ROOT
        children[ROOT] = roots
    numbers = {name: number for number, name in enumerate(classes)}
    order: list[int] = []
    starts: dict[str, int] = {}
    stack = [top]
    while stack:
        node = stack.pop()
        if node in children:
            starts[node] = len(order)
            stack.extend(reversed(children[node]))
        else:
            order.append(numbers[node])
    sizes: dict[str, int] = {}
    heights: dict[str, int] = {}
    for node in reversed(starts):
        sizes[node] = sum(sizes.get(child, 1) for child in children[node])
        heights[node] = 1 + max(heights.get(child, 0) for child in children[node])
    ranges = {node: (start, start + sizes[node]) for node, start in starts.items()}
    return TreeLayout(np.array(order, dtype=np.int64), ranges, heights, children)


def _children(
    classes: Sequence[str], parents: Mapping[str, str]
) -> dict[str, list[str]]:
    """The children of every node above a class; nodes without a parent are the children of `ROOT`."""
    children: dict[str, list[str]] = {ROOT: []}
    for name in classes:
        climbed = {name}
        child = name
        while True:
            parent = parents.get(child, ROOT)
            if parent in climbed:
                raise InvalidArgumentError(
                    f"the tree has a cycle through {brief(parent)}"
                )
            if parent in children:
                children[parent].append(child)
                break
            children[parent] = [child]
            climbed.add(parent)
            child = parent
    return children


def pair_heights(layout: TreeLayout) -> Heights:
    """K x K: the height of the lowest common ancestor of any two classes; every entry is written once."""
    K = len(layout.order)
    found = np.zeros((K, K), dtype=np.int32)
    for node, (start, end) in layout.ranges.items():
        position = start
        for child in layout.children[node]:
            if child in layout.ranges:
                child_end = layout.ranges[child][1]
            else:
                child_end = position + 1
            rows = layout.order[position:child_end]
            found[rows, start:position] = layout.heights[node]
            found[rows, child_end:end] = layout.heights[node]
            position = child_end
    place = np.argsort(layout.order)
    for first in range(0, K, BLOCK):
        found[first : first + BLOCK] = found[first : first + BLOCK, place]
    return found


def ancestors_above(layout: TreeLayout, above: int) -> list[str]:
    """For each class its ancestor so many levels up, or the root where it has fewer."""
    found = [ROOT] * len(layout.order)
    reached = 0
    path: list[str] = []
    stack = [(next(iter(layout.ranges)), 0)]
    while stack:
        node, depth = stack.pop()
        del path[depth:]
        if node in layout.ranges:
            path.append(node)
            stack.extend(
                (child, depth + 1) for child in reversed(layout.children[node])
            )
        else:
            found[layout.order[reached]] = path[max(0, depth - above)]
            reached += 1
    return found
