"""Metrics of the severity of mistakes, for datasets whose classes are leaves of a class tree in the package.

The lowest common ancestor of two classes is the lowest node of the tree above both of them. The height of a node is the
length of the longest path from it down to a leaf. The severity of a mistake is the height of the lowest common ancestor
of the predicted class and the true class. The severity is 0 if the predicted class is the true class. The superclass of
a class is the node of the tree one level above it.

L. Bertinetto et al., Making better mistakes: leveraging class hierarchies with deep networks, CVPR 2020.
"""

from functools import lru_cache, partial

import torch
from torch import Tensor

from protosphere.assignment import Taxonomy, taxonomy
from protosphere.data import Dataset
from protosphere.experiments.metrics.registry import (
    METRICS,
    Metric,
    Predictions,
    Sums,
    mean,
    metric,
)

TREES = ("cifar100_levels",)


@lru_cache(maxsize=4)
def shipped_tree(class_names: tuple[str, ...]) -> Taxonomy | None:
    """Return a class tree with exactly the classes in `class_names` as leaves, or None if the package has no such tree.

    The tree is taken from a class tree of the package that contains all these classes, and its other leaves are
    removed. The leaves of the result are in the order of `class_names`.
    """
    found = (
        tree for tree in map(taxonomy, TREES) if set(class_names) <= set(tree.classes)
    )
    tree = next(found, None)
    return tree and tree.of(class_names)


def has_tree(dataset: Dataset) -> bool:
    """Return True if a single class tree of the package contains all classes of a dataset."""
    return shipped_tree(dataset.class_names) is not None


def tree_heights(predictions: Predictions) -> Tensor:
    """Return a K x K matrix whose entry (i, j) is the height of the lowest common ancestor of classes i and j.

    The ancestors are nodes of the class tree of the package that contains all classes of the dataset. There must be
    such a tree. The height of a node is the length of the longest path from it down to a leaf.

    Args:
        predictions: Predictions for examples of the dataset. Only the dataset and the device are used.
    """
    tree = shipped_tree(predictions.dataset.class_names)
    assert tree is not None, "only asked where there is one"
    return torch.as_tensor(tree.heights, device=predictions.logits.device)


def _heights(predictions: Predictions, k: int) -> Tensor:
    # Entry (i, j) is the height of the lowest common ancestor of the true class of example i and the class with the
    # j-th largest logit of this example.
    heights = tree_heights(predictions)
    best = predictions.logits.topk(min(k, len(heights)), dim=1).indices
    return heights[best, predictions.labels[:, None]]


def _over_mistakes(sums: Tensor, count: int) -> float:
    del count
    return float(sums[0]) / max(1.0, float(sums[1]))


@metric(
    summary="mean height of the lowest common ancestor over mistakes",
    value=_over_mistakes,
    applies=has_tree,
)
def mistake_severity(predictions: Predictions) -> Tensor:
    """Return the sum of the severities of the mistakes in a batch, and the number of mistakes in the batch.

    The severity of a mistake is the height, in the class tree that contains all classes of the dataset, of the lowest
    common ancestor of the predicted class and the true class. Both numbers are added up over all batches, and the
    metric is the first total divided by the second.
    """
    heights = _heights(predictions, 1)
    return torch.stack([heights.sum(), (heights > 0).sum()])


def distance_sum(k: int, predictions: Predictions) -> Tensor:
    """Return the sum of the hierarchical distances at k of the examples in a batch.

    To compute the hierarchical distance at k of an example, take the k classes with the largest logits, or all classes
    if there are fewer than k. The distance is the mean, over these classes, of the height, in the class tree, of the
    lowest common ancestor of the class and the true class.

    Args:
        k: Number of classes with the largest logits that are compared with the true class.
        predictions: Predictions for a batch of examples.
    """
    return _heights(predictions, k).double().mean(dim=1).sum()


def add_mean(name: str, sums: Sums, summary: str) -> None:
    """Register a metric that is a mean over the examples, for datasets whose classes are all in one class tree.

    Args:
        name: Name of the metric, without the prefix `test_` or `validation_`.
        sums: Function from the predictions of a batch to the sum of a quantity over the examples of the batch. The
            metric is the mean of this quantity over all examples.
        summary: Description in one line.
    """
    METRICS.add(name, Metric(name, sums, mean, has_tree, summary))


for _k in (1, 5, 20):
    _summary = f"mean height of the lowest common ancestor over the {_k} largest logits"
    add_mean(f"hierarchical_distance_at_{_k}", partial(distance_sum, _k), _summary)


@metric(
    summary="the fraction of examples whose predicted class has the superclass of the true class",
    applies=has_tree,
)
def superclass_accuracy(predictions: Predictions) -> Tensor:
    """Return the number of examples in a batch whose predicted class and true class have the same superclass.

    The metric is the sum of these numbers over all batches, divided by the number of all examples. Two classes have the
    same superclass if the height of their lowest common ancestor in the class tree is at most 1.
    """
    return (_heights(predictions, 1) <= 1).sum()
