"""How bad mistakes are, by a tree over the classes, and predictions that make them milder."""

from typing import Any

import numpy as np

from protosphere.assignment.levels import heights_of
from protosphere.assignment.similarity import as_array, real_matrix
from protosphere.assignment.taxonomy import taxonomy
from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.types import Indices, Points


def mistake_severity(scores: Any, labels: Any, tree: Any) -> float:
    """The mean height of the lowest common ancestor of the predicted and the true class over mistakes; 0 without any.

    >>> tree = {"cat": "animal", "dog": "animal", "car": "thing"}
    >>> mistake_severity([[9, 1, 0], [5, 1, 0], [5, 1, 2]], [0, 1, 2], tree)
    1.5
    """
    heights, ranked = _ranked(scores, labels, tree, 1)
    wrong = ranked[:, 0] != _classes(labels)
    return float(heights[:, 0][wrong].mean()) if wrong.any() else 0.0


def hierarchical_distance(scores: Any, labels: Any, tree: Any, k: int = 1) -> float:
    """The mean height of the lowest common ancestors of the true class and the k classes with the highest scores."""
    return float(_ranked(scores, labels, tree, k)[0].mean())


def superclass_accuracy(scores: Any, labels: Any, tree: Any, above: int = 1) -> float:
    """The share of images whose best class has the same ancestor `above` levels up as the true one."""
    groups = taxonomy(tree).groups(as_integer("above", above, minimum=1))
    _, ranked = _ranked(scores, labels, tree, 1)
    return float((groups[ranked[:, 0]] == groups[_classes(labels)]).mean())


def expected_cost_scores(probabilities: Any, tree: Any) -> Points:
    """Minus the expected height of the lowest common ancestor for each class that might be predicted.

    The class with the highest is the prediction of the least conditional risk (Karthik et al. 2021); the k highest are
    the k such predictions. `probabilities` are those of a softmax, one image a row.
    """
    chances = real_matrix(probabilities, "probabilities", least_rows=1)
    return -(chances @ heights_of(tree, chances.shape[1]).astype(np.float64))


def _ranked(scores: Any, labels: Any, tree: Any, k: int) -> tuple[Indices, Indices]:
    """For each image the heights of common ancestors with its k best classes, and those classes, best first."""
    rows = real_matrix(scores, "scores", least_rows=1)
    true = _classes(labels)
    heights = heights_of(tree, rows.shape[1])
    if true.shape != (len(rows),):
        raise InvalidArgumentError(
            f"'labels' must be one class a row of scores, got {true.shape} for {len(rows)} rows"
        )
    if as_integer("k", k, minimum=1) > rows.shape[1]:
        raise InvalidArgumentError(
            f"'k' must be at most the {rows.shape[1]} classes, got {k}"
        )
    ranked = np.argsort(-rows, axis=1, kind="stable")[:, :k]
    return heights[ranked, true[:, None]].astype(np.int64), ranked


def _classes(labels: Any) -> Indices:
    found = as_array(labels)
    if found.dtype.kind not in "iu":
        raise InvalidArgumentError(
            f"'labels' must be classes 0, 1, 2, ..., got {found.dtype}"
        )
    return found.astype(np.int64)
