"""Quadratic assignment of thousands of classes: groups first, then blocks of classes while the others stay."""

import numpy as np

from protosphere.assignment.quadratic import tabu
from protosphere.types import Indices, Points, Progress, ignore

GROUPS, GROUP_STEPS = 64, 5_000
"""Into how many parts classes and points are cut, and the steps in which parts are assigned to parts."""

BLOCK, BLOCK_STEPS, SWEEPS = 400, 600, 3
"""Classes reassigned at a time, the steps that takes, and how often all of them are."""

FEATURES = 24
"""Eigenvectors of the similarity that classes are cut by."""

FORBIDDEN = -1e12


def many_classes_order(
    similarity: Points,
    points: Points,
    rng: np.random.Generator,
    progress: Progress = ignore,
) -> Indices:
    """An order of the points with a large sum over pairs of similarity times cosine, never holding all cosines."""
    order = _grouped(similarity, points, rng)
    K = len(order)
    blocks = [
        block
        for _ in range(SWEEPS)
        for block in np.array_split(rng.permutation(K), -(-K // BLOCK))
    ]
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
    """The points of these classes, distributed among them anew while all others keep theirs."""
    placed = points[order]
    mine = points[order[block]]
    own = similarity[np.ix_(block, block)]
    linear = (similarity[block] @ placed - own @ mine) @ mine.T
    local = tabu(own, mine @ mine.T, np.arange(len(block)), BLOCK_STEPS, rng, linear)
    return order[block][local]


def _grouped(similarity: Points, points: Points, rng: np.random.Generator) -> Indices:
    """Groups of similar classes at groups of near points: cut both in halves, and the halves, and assign the parts."""
    classes = _parts(_spectral(similarity), GROUPS)
    places = _parts(points, GROUPS)
    sizes = np.array([len(part) for part in classes])
    inside = np.zeros((GROUPS, len(points)))
    for number, part in enumerate(classes):
        inside[number, part] = 1
    sums = inside @ similarity @ inside.T
    means = np.stack([points[part].mean(axis=0) for part in places])
    cosines = means @ means.T
    linear = sums.diagonal()[:, None] * cosines.diagonal() / 2
    linear = np.where(sizes[:, None] == sizes, linear, FORBIDDEN)
    chosen = tabu(sums, cosines, np.arange(GROUPS), GROUP_STEPS, rng, linear)
    order = np.empty(len(points), dtype=np.int64)
    for part, place in zip(classes, chosen, strict=True):
        order[part] = places[place]
    return order


def _spectral(similarity: Points) -> Points:
    """Vectors of the classes whose products are about their similarities."""
    from scipy.sparse.linalg import eigsh

    values, vectors = eigsh(
        similarity, k=FEATURES, which="LA", v0=np.ones(len(similarity))
    )
    return vectors * np.sqrt(np.maximum(values, 0))


def _parts(vectors: Points, count: int) -> list[Indices]:
    """Rows cut in halves across their longest direction, again and again; `count` is a power of two."""
    parts = [np.arange(len(vectors))]
    while len(parts) < count:
        parts = [half for part in parts for half in _halves(vectors, part)]
    return parts


def _halves(vectors: Points, part: Indices) -> tuple[Indices, Indices]:
    centred = vectors[part] - vectors[part].mean(axis=0)
    direction = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    ranked = part[np.argsort(centred @ direction, kind="stable")]
    middle = (len(part) + 1) // 2
    return ranked[:middle], ranked[middle:]
