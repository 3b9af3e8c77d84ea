"""Assignment of prototypes to classes: in order, at random, or by the similarity of the classes."""

import numpy as np

from protosphere.assignment.assign import OBJECTIVES, Assignment, assign, assignment
from protosphere.assignment.class_table import similarity_from_table
from protosphere.assignment.features import similarity_from_features
from protosphere.assignment.levels import LevelCosines, level_cosines
from protosphere.assignment.severity import (
    expected_cost_scores,
    hierarchical_distance,
    mistake_severity,
    superclass_accuracy,
)
from protosphere.assignment.similarity import (
    similarity_from_confusion,
    similarity_from_embeddings,
    similarity_from_names,
)
from protosphere.assignment.taxonomy import Taxonomy, taxonomy
from protosphere.types import Indices

__all__ = [
    "MAPPINGS",
    "OBJECTIVES",
    "Assignment",
    "LevelCosines",
    "Taxonomy",
    "assign",
    "assignment",
    "class_order",
    "expected_cost_scores",
    "hierarchical_distance",
    "level_cosines",
    "mistake_severity",
    "similarity_from_confusion",
    "similarity_from_embeddings",
    "similarity_from_features",
    "similarity_from_names",
    "similarity_from_table",
    "superclass_accuracy",
    "taxonomy",
]

MAPPINGS = ("fixed", "random")
"""Values of the argument `mapping` of `construct`."""


def class_order(
    mapping: str, num_classes: int, rng: np.random.Generator
) -> Indices | None:
    """Return the order in which the points of a code are given to the classes.

    Args:
        mapping: One of `MAPPINGS`: "fixed" or "random".
        num_classes: Number K of classes.
        rng: Random generator for the permutation.

    Returns:
        For "random", a permutation whose entry i is the index of the point of class i. For "fixed", None, which means
        that class i gets point i.

    Example:
        >>> class_order("random", 4, np.random.default_rng(0)).tolist()
        [2, 0, 1, 3]
    """
    if mapping == "fixed":
        return None
    return rng.permutation(num_classes)
