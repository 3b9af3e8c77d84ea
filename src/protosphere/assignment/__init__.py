"""Which class gets which point: in order, at random, or by how similar classes are."""

import numpy as np

from protosphere.assignment.assign import OBJECTIVES as OBJECTIVES
from protosphere.assignment.assign import Assignment as Assignment
from protosphere.assignment.assign import assign as assign
from protosphere.assignment.assign import assignment as assignment
from protosphere.assignment.class_table import (
    similarity_from_table as similarity_from_table,
)
from protosphere.assignment.features import (
    similarity_from_features as similarity_from_features,
)
from protosphere.assignment.levels import LevelCosines as LevelCosines
from protosphere.assignment.levels import level_cosines as level_cosines
from protosphere.assignment.severity import expected_cost_scores as expected_cost_scores
from protosphere.assignment.severity import (
    hierarchical_distance as hierarchical_distance,
)
from protosphere.assignment.severity import mistake_severity as mistake_severity
from protosphere.assignment.severity import superclass_accuracy as superclass_accuracy
from protosphere.assignment.similarity import (
    similarity_from_confusion as similarity_from_confusion,
)
from protosphere.assignment.similarity import (
    similarity_from_embeddings as similarity_from_embeddings,
)
from protosphere.assignment.similarity import (
    similarity_from_names as similarity_from_names,
)
from protosphere.assignment.taxonomy import Taxonomy as Taxonomy
from protosphere.assignment.taxonomy import taxonomy as taxonomy
from protosphere.types import Indices

MAPPINGS = ("fixed", "random")
"""What `construct` takes as its `mapping`."""


def class_order(
    mapping: str, num_classes: int, rng: np.random.Generator
) -> Indices | None:
    """For each class the number of its point: None for `fixed` (class i gets point i), a permutation for `random`."""
    return None if mapping == "fixed" else rng.permutation(num_classes)
