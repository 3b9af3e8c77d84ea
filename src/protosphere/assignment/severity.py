"""Severity of misclassifications, measured by a tree over the classes, and predictions that reduce this severity.

The parent of a class is its superclass.

The severity is the height of the lowest common ancestor of the predicted class and the true class. The height of a node
is the length of the longest path from the node down to a class.
"""

from typing import Any

import numpy as np

from protosphere.assignment.levels import heights_of
from protosphere.assignment.similarity import as_array, real_matrix
from protosphere.assignment.taxonomy import taxonomy
from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.types import Indices, Points


def mistake_severity(scores: Any, labels: Any, tree: Any) -> float:
    """Return the mean height of the lowest common ancestor of predicted and true class, over misclassified images.

    The height of a node is the length of the longest path from the node down to a class.

    Args:
        scores: Scores of the K classes, one row per image and one column per class. The class with the highest score is
            predicted.
        labels: The true class of each row of `scores`, as an index from 0 to K - 1.
        tree: A tree of the K classes: a mapping from each node to its parent, a text or a text file with a child and
            its parent on each line, or a `Taxonomy`. Class i is the leaf with index i, in the order in which the leaves
            occur in the mapping or text, or in the attribute `classes` of the `Taxonomy`.

    Returns:
        The mean height. It is 0 if no image is misclassified.

    Raises:
        InvalidArgumentError: If shapes or types are not valid.

    Example:
        >>> tree = {"cat": "animal", "dog": "animal", "car": "thing"}
        >>> mistake_severity([[9, 1, 0], [5, 1, 0], [5, 1, 2]], [0, 1, 2], tree)
        1.5
    """
    heights, ranked = _top_heights(scores, labels, tree, 1)
    predicted = ranked[:, 0]
    is_mistake = predicted != _class_numbers(labels)
    if not is_mistake.any():
        return 0.0
    return float(heights[:, 0][is_mistake].mean())


def hierarchical_distance(scores: Any, labels: Any, tree: Any, k: int = 1) -> float:
    """Return the mean height of the lowest common ancestors of the true class and each of the top-k predictions.

    The height of a node is the length of the longest path from the node down to a class.

    Args:
        scores: Scores of the K classes, one row per image and one column per class.
        labels: The true class of each row of `scores`, as an index from 0 to K - 1.
        tree: A tree of the K classes: a mapping from each node to its parent, a text or a text file with a child and
            its parent on each line, or a `Taxonomy`. Class i is the leaf with index i, in the order in which the leaves
            occur in the mapping or text, or in the attribute `classes` of the `Taxonomy`.
        k: Number of predictions per image, at most K. The predictions are the k classes with the highest scores.

    Returns:
        The mean height over all images and their top-k predictions.

    Raises:
        InvalidArgumentError: If shapes or types are not valid.

    Example:
        >>> tree = {"cat": "animal", "dog": "animal", "car": "thing"}
        >>> hierarchical_distance([[9, 1, 0], [0, 1, 9]], [0, 1], tree, k=1)
        1.0
    """
    heights, _ = _top_heights(scores, labels, tree, k)
    return float(heights.mean())


def superclass_accuracy(scores: Any, labels: Any, tree: Any, above: int = 1) -> float:
    """Return the fraction of images whose predicted class and true class have the same ancestor at a given level.

    Args:
        scores: Scores of the K classes, one row per image and one column per class. The class with the highest score is
            predicted.
        labels: The true class of each row of `scores`, as an index from 0 to K - 1.
        tree: A tree of the K classes: a mapping from each node to its parent, a text or a text file with a child and
            its parent on each line, or a `Taxonomy`. Class i is the leaf with index i, in the order in which the leaves
            occur in the mapping or text, or in the attribute `classes` of the `Taxonomy`.
        above: Number of levels from a class up to its ancestor. If it is 1, the ancestor is the parent of the class,
            which is its superclass. If a class has fewer levels above it, the ancestor is the root.

    Returns:
        The fraction, from 0 to 1.

    Raises:
        InvalidArgumentError: If shapes or types are not valid.

    Example:
        >>> tree = {"cat": "animal", "dog": "animal", "car": "thing"}
        >>> superclass_accuracy([[9, 1, 0], [9, 1, 0]], [1, 2], tree)
        0.5
    """
    groups = taxonomy(tree).groups(as_integer("above", above, minimum=1))
    _, ranked = _top_heights(scores, labels, tree, 1)
    predicted_groups = groups[ranked[:, 0]]
    true_groups = groups[_class_numbers(labels)]
    return float((predicted_groups == true_groups).mean())


def expected_cost_scores(probabilities: Any, tree: Any) -> Points:
    """Return scores that are highest for the class with the smallest expected severity if it is predicted.

    The score of a class is minus the expected height of the lowest common ancestor of this class and the true class,
    where the height of a node is the length of the longest path from the node down to a class. The expectation is over
    the true class, which has the given probabilities. A classifier that predicts the class with the highest score
    minimizes the conditional risk (Karthik et al. 2021).

    Args:
        probabilities: Class probabilities of a softmax, one row per image and one column per class.
        tree: A tree of the K classes: a mapping from each node to its parent, a text or a text file with a child and
            its parent on each line, or a `Taxonomy`. Class i is the leaf with index i, in the order in which the leaves
            occur in the mapping or text, or in the attribute `classes` of the `Taxonomy`.

    Returns:
        A score for each image and class, in the same shape as `probabilities`.

    Raises:
        InvalidArgumentError: If `probabilities` is not a matrix with a column for each class of the tree.

    Example:
        >>> tree = {"cat": "animal", "dog": "animal", "car": "thing"}
        >>> expected_cost_scores([[0.5, 0.3, 0.2]], tree).round(2).tolist()
        [[-0.7, -0.9, -1.6]]
    """
    rows = real_matrix(probabilities, "probabilities", least_rows=1)
    heights = heights_of(tree, rows.shape[1])
    return -(rows @ heights.astype(np.float64))


def _top_heights(
    scores: Any, labels: Any, tree: Any, k: int
) -> tuple[Indices, Indices]:
    rows = real_matrix(scores, "scores", least_rows=1)
    true_classes = _class_numbers(labels)
    heights = heights_of(tree, rows.shape[1])
    if true_classes.shape != (len(rows),):
        raise InvalidArgumentError(
            f"'labels' must be one class a row of scores, got {true_classes.shape} for {len(rows)} rows"
        )
    if as_integer("k", k, minimum=1) > rows.shape[1]:
        raise InvalidArgumentError(
            f"'k' must be at most the {rows.shape[1]} classes, got {k}"
        )
    # column j of both results belongs to the class with the j-th highest score of each image
    ranked = np.argsort(-rows, axis=1, kind="stable")[:, :k]
    top_heights = heights[ranked, true_classes[:, None]]
    return top_heights.astype(np.int64), ranked


def _class_numbers(labels: Any) -> Indices:
    found = as_array(labels)
    if found.dtype.kind not in "iu":
        raise InvalidArgumentError(
            f"'labels' must be classes 0, 1, 2, ..., got {found.dtype}"
        )
    return found.astype(np.int64)
