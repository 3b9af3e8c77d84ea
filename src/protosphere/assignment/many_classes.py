"""Assignment of thousands of classes.

Classes and points are first divided into groups, and each group of classes gets a group of points. Then random sets of
classes, called blocks, exchange their points among themselves, one block after the other. An order is an array with the
index of the point of each class.
"""

import numpy as np

from protosphere.assignment.quadratic import tabu
from protosphere.types import Indices, Points, Progress, ignore

NUM_GROUPS = 64
"""Number of groups into which classes and points are divided, a power of two."""

GROUP_STEPS = 5_000
"""Number of steps of the tabu search that assigns groups of points to groups of classes."""

BLOCK_CLASSES = 400
"""Largest number of classes in a block. The classes of a block exchange their points with each other."""

BLOCK_STEPS = 600
"""Number of steps of the tabu search in which the classes of a block exchange their points."""

NUM_SWEEPS = 3
"""Number of times that every class is reassigned."""

NUM_EIGENVECTORS = 24
"""Number of eigenvectors of the similarity by which classes are grouped."""

FORBIDDEN = -1e12
"""Term of the objective if a group of classes gets a group of points of another size, so that this never happens."""


def many_classes_order(
    similarity: Points,
    points: Points,
    rng: np.random.Generator,
    progress: Progress = ignore,
) -> Indices:
    """Return an order of the points that gives similar classes close points.

    The order is found by a search. It has a large sum, over all pairs of classes, of the similarity of the classes
    times the cosine of their points. The K x K matrix of cosines is never computed as a whole.

    Args:
        similarity: K x K similarity of the classes.
        points: K x n matrix of the points.
        rng: Random generator of the search.
        progress: Function that is called with the name of the stage, the number of finished steps and the number of all
            steps.

    Returns:
        The order: class i gets point order[i].
    """
    order = _group_order(similarity, points, rng)
    K = len(order)
    num_blocks = -(-K // BLOCK_CLASSES)
    blocks: list[Indices] = []
    for _ in range(NUM_SWEEPS):
        blocks.extend(np.array_split(rng.permutation(K), num_blocks))
    for done, block in enumerate(blocks):
        order[block] = _reassigned(similarity, points, order, block, rng)
        progress("assigning", done + 1, len(blocks))
    return order


def _reassigned(
    similarity: Points,
    points: Points,
    order: Indices,
    block: Indices,
    rng: np.random.Generator,
) -> Indices:
    # a tabu search exchanges the points of the classes in `block`; all other classes keep their points
    placed = points[order]
    block_points = points[order[block]]
    block_similarity = similarity[np.ix_(block, block)]
    from_others = similarity[block] @ placed - block_similarity @ block_points
    linear = from_others @ block_points.T
    cosines = block_points @ block_points.T
    identity = np.arange(len(block))
    local_order = tabu(block_similarity, cosines, identity, BLOCK_STEPS, rng, linear)
    return order[block][local_order]


def _group_order(
    similarity: Points, points: Points, rng: np.random.Generator
) -> Indices:
    # groups of similar classes get groups of close points
    class_groups = _bisected(_spectral_embedding(similarity), NUM_GROUPS)
    point_groups = _bisected(points, NUM_GROUPS)
    sizes = np.array([len(group) for group in class_groups])
    membership = np.zeros((NUM_GROUPS, len(points)))
    for number, group in enumerate(class_groups):
        membership[number, group] = 1
    group_similarity = membership @ similarity @ membership.T
    means = np.stack([points[group].mean(axis=0) for group in point_groups])
    cosines = means @ means.T
    own_terms = group_similarity.diagonal()[:, None] * cosines.diagonal() / 2
    same_size = sizes[:, None] == sizes
    linear = np.where(same_size, own_terms, FORBIDDEN)
    identity = np.arange(NUM_GROUPS)
    found = tabu(group_similarity, cosines, identity, GROUP_STEPS, rng, linear)
    order = np.empty(len(points), dtype=np.int64)
    for classes, number in zip(class_groups, found, strict=True):
        order[classes] = point_groups[number]
    return order


def _spectral_embedding(similarity: Points) -> Points:
    # the inner products of the rows of the result approximate the similarities
    from scipy.sparse.linalg import eigsh

    start = np.ones(len(similarity))
    values, vectors = eigsh(similarity, k=NUM_EIGENVECTORS, which="LA", v0=start)
    return vectors * np.sqrt(np.maximum(values, 0))


def _bisected(vectors: Points, count: int) -> list[Indices]:
    # `count` is a power of two
    groups = [np.arange(len(vectors))]
    while len(groups) < count:
        halves: list[Indices] = []
        for group in groups:
            halves.extend(_halves(vectors, group))
        groups = halves
    return groups


def _halves(vectors: Points, group: Indices) -> tuple[Indices, Indices]:
    # the rows are divided in the middle of their order along the first principal component
    centered = vectors[group] - vectors[group].mean(axis=0)
    eigenvectors = np.linalg.eigh(centered.T @ centered)[1]
    direction = eigenvectors[:, -1]
    ranked = group[np.argsort(centered @ direction, kind="stable")]
    middle = (len(group) + 1) // 2
    return ranked[:middle], ranked[middle:]
