"""Which class gets which point: in order, at random, or by how similar classes are."""

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
"""What `construct` takes as its `mapping`."""


def class_order(mapping: str, num_classes: int, rng: np.random.Generator) -> Indices | None:
    """For each class the number of its point: None for `fixed` (class i gets point i), a permutation for `random`."""
    return None if mapping == "fixed" else rng.permutation(num_classes)
