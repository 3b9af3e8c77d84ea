"""Which class gets which point: in order, at random, or by how similar classes are."""

from __future__ import annotations

import numpy as np

from protosphere.assignment.assign import OBJECTIVES, Assignment, assign, assignment
from protosphere.assignment.features import similarity_from_features
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
    "Taxonomy",
    "assign",
    "assignment",
    "class_order",
    "similarity_from_confusion",
    "similarity_from_embeddings",
    "similarity_from_features",
    "similarity_from_names",
    "taxonomy",
]

MAPPINGS = ("fixed", "random")


def class_order(mapping: str, num_classes: int, rng: np.random.Generator) -> Indices | None:
    """For each class the number of its point: None for `fixed` (class i gets point i), a permutation for `random`."""
    return None if mapping == "fixed" else rng.permutation(num_classes)
