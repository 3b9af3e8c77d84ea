"""Codes for a tree in fewer dimensions than classes: a code a level side by side, each with a share of the length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from protosphere.assignment import assignment, taxonomy
from protosphere.assignment.levels import heights_of, level_labels
from protosphere.assignment.similarity import as_similarity
from protosphere.bounds import converse
from protosphere.code.placement import Placement
from protosphere.code.structures import Plain
from protosphere.constructions.best import best
from protosphere.constructions.registry import construction
from protosphere.errors import InvalidArgumentError, brief
from protosphere.geometry.simplex import simplex_points
from protosphere.geometry.sphere import normalized, padded
from protosphere.types import Indices, Points, Progress, ignore


@dataclass(frozen=True, eq=False)
class Level:
    """A level of a tree: for each class its node, the node's parent, and the node's place among its siblings."""

    node: Indices
    parent: Indices
    child: Indices

    @property
    def count(self) -> int:
        """Of its nodes."""
        return int(self.node.max()) + 1

    @property
    def siblings(self) -> NDArray[np.bool_]:
        """For every two nodes whether they have the same parent."""
        parents = self.parent[np.unique(self.node, return_index=True)[1]]
        return parents[:, None] == parents

    @property
    def most_siblings(self) -> int:
        """Of one parent."""
        return int(self.child.max()) + 1


@dataclass(frozen=True)
class LevelCode:
    """A code for a level in `dim` dimensions, and the largest cosines of nodes of one parent and of others.

    One simplex may serve the children of every parent, who then meet those of others at cosine 1; or each node has its
    own point.
    """

    dim: int
    siblings: float
    others: float
    shared: bool


def tree_levels(tree: str) -> list[Level]:
    """The levels from the top down."""
    labels = level_labels(taxonomy(tree))
    above = [np.zeros_like(labels[0]), *labels[:-1]]
    return [Level(node, parent, _places(node, parent)) for node, parent in zip(labels, above, strict=True)]


def _places(node: Indices, parent: Indices) -> Indices:
    """For each class its node's place among the nodes with the same parent."""
    places = np.empty_like(node)
    for one in np.unique(parent):
        mine = parent == one
        places[mine] = np.unique(node[mine], return_inverse=True)[1]
    return places


def level_bounds(codes: Sequence[LevelCode], shares: Points) -> Points:
    """What cosines of pairs that part at each level, from the top, cannot exceed.

    Levels above are shared and count in full, at the parting they are siblings, and below anything.
    """
    L = len(codes)
    table = np.where(np.tri(L, L, -1) > 0, 1.0, [code.others for code in codes])
    np.fill_diagonal(table, [code.siblings for code in codes])
    return table @ shares


def best_shares(codes: Sequence[LevelCode], spread: float) -> Points | None:
    """The shares with the lowest max cosine among those whose bounds rise by `spread` from the root to siblings."""
    from scipy.optimize import linprog

    L = len(codes)
    table = np.stack([level_bounds(codes, unit) for unit in np.eye(L)], axis=1)
    rises = np.diff(table, axis=0) if L > 1 else np.zeros((0, L))
    least = np.full(len(rises), -spread / max(1, L - 1))
    answer = linprog(table[-1], A_ub=-rises, b_ub=least, A_eq=np.ones((1, L)), b_eq=[1.0], bounds=(0, 1))
    return np.asarray(answer.x, dtype=np.float64) if answer.status == 0 else None


@lru_cache(maxsize=16)
def level_codes(tree: str, dim: int, spread: float) -> tuple[LevelCode, ...] | None:
    """Which code each level gets: of the ways that fit that with the lowest max cosine, the last level's estimated."""
    levels = tree_levels(tree)
    above = [_exact_codes(level) for level in levels[:-1]]
    best_plan, lowest = None, np.inf
    for chosen in product(*above):
        room = dim - sum(code.dim for code in chosen)
        for last in _last_codes(levels[-1], room):
            plan = (*chosen, last)
            shares = best_shares(plan, spread)
            if shares is not None and (value := float(level_bounds(plan, shares)[-1])) < lowest - 1e-12:
                best_plan, lowest = plan, value
    return best_plan


def _exact_codes(level: Level) -> list[LevelCode]:
    """A simplex for the children of all, a simplex of all nodes, or their cross-polytope."""
    N, q = level.count, level.most_siblings
    codes = [LevelCode(N - 1, -1 / (N - 1), -1 / (N - 1), False)]
    if q < N:
        codes.append(LevelCode(max(1, q - 1), -1 / (q - 1) if q > 1 else 1.0, 1.0, True))
        codes.append(LevelCode(-(-N // 2), 0.0, 0.0, False))
    return codes


def _last_codes(level: Level, room: int) -> list[LevelCode]:
    codes = [code for code in _exact_codes(level) if code.dim <= room]
    if 2 <= room < level.count // 2:
        estimate = float(converse(level.count, room))
        codes.append(LevelCode(room, estimate, estimate, False))
    return codes


def _placed(level: Level, code: LevelCode, similarity: Points | None, progress: Progress) -> Points:
    """The points of each class at a level: aligned with the similarity of its nodes, or else siblings far apart."""
    if code.shared:
        return padded(simplex_points(level.most_siblings), code.dim)[level.child]
    found = best(num_classes=level.count, dim=code.dim, iterations=0, progress=progress)
    if similarity is None:
        order = assignment(found, level.siblings.astype(np.float64), "oppose", progress=progress).order
    else:
        mean = np.eye(level.count)[level.node] / np.bincount(level.node)[level.node, None]
        order = assignment(found, mean.T @ similarity @ mean, "align", progress=progress).order
    return found.points[order][level.node]


def _least_dim(levels: Sequence[Level]) -> int:
    return sum(max(1, level.most_siblings - 1) for level in levels)


def _obstacle(num_classes: int, dim: int, *, tree: str, spread: object, similarity: str) -> str | None:
    if tree == "":
        return "'hierarchical' needs 'tree', class -> parent, got none; ps.taxonomy makes one"
    heights_of(tree, num_classes)
    if similarity:
        as_similarity(similarity, num_classes)
    if not (isinstance(spread, (int, float)) and 0 <= spread <= 1):
        raise InvalidArgumentError(f"'spread' must be from 0 to 1, got {brief(spread)}")
    levels = tree_levels(tree)
    if dim < _least_dim(levels):
        return (
            f"'hierarchical' needs dim >= {_least_dim(levels)} for this tree, got {dim}; nearest: {_least_dim(levels)}"
        )
    if level_codes(tree, dim, float(spread)) is None:
        return f"'hierarchical' cannot keep levels 'spread' {spread} apart in dim {dim}; try {float(spread) / 2:g}"
    return None


@construction(
    obstacle=_obstacle,
    summary="a code a level of a tree side by side: cosines bounded at every level, siblings nearest",
    reference="ours; concatenation as of Forney (1966)",
    searched=True,
)
def hierarchical(
    num_classes: int,
    dim: int,
    *,
    progress: Progress = ignore,
    tree: str = "",
    spread: float = 0.3,
    similarity: str = "",
) -> Placement:
    """(sqrt(share_1) u_1, sqrt(share_2) u_2, ...), u_l the point of a class's node at level l, shares adding up to 1.

    Classes that part at level l have cosine at most the sum of the shares above it, plus the level's largest cosine of
    siblings times its share, plus those below. The shares are those with the lowest max cosine for which these bounds
    rise by `spread` from the root to siblings. `ps.level_cosines` measures what came of it. With `similarity` a level's
    points are aligned with it; without, siblings are put far apart.
    """
    S = as_similarity(similarity, num_classes) if similarity else None
    levels = tree_levels(tree)
    plan = level_codes(tree, dim, float(spread))
    assert plan is not None, "the obstacle has made sure that there is one"
    blocks = [_placed(level, code, S, progress) for level, code in zip(levels, plan, strict=True)]
    codes = [_measured(level, code, block) for level, code, block in zip(levels, plan, blocks, strict=True)]
    shares = best_shares(codes, spread)
    shares = shares if shares is not None else np.full(len(codes), 1 / len(codes))
    points = np.hstack([sqrt(share) * block for share, block in zip(shares, blocks, strict=True)])
    bounds = ", ".join(f"{bound:.3f}" for bound in level_bounds(codes, shares))
    recipe = f"{len(levels)} levels in {', '.join(str(code.dim) for code in codes)} dimensions, cosines up to {bounds}"
    return Placement(recipe, Plain(normalized(padded(points, dim))))


def _measured(level: Level, code: LevelCode, block: Points) -> LevelCode:
    """The code with the cosines that its points have."""
    nodes = block[np.unique(level.node, return_index=True)[1]]
    gram = nodes @ nodes.T
    siblings = float(gram.max(initial=-1.0, where=level.siblings & ~np.eye(len(nodes), dtype=np.bool_)))
    others = float(gram.max(initial=-1.0, where=~level.siblings))
    return LevelCode(code.dim, siblings, others, code.shared)
