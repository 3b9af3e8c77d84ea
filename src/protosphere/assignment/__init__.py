"""Which class gets which point."""

from __future__ import annotations

import numpy as np

from protosphere.types import Indices

MAPPINGS = ("fixed", "random")


def class_order(mapping: str, num_classes: int, rng: np.random.Generator) -> Indices | None:
    """For each class the number of its point: None for `fixed` (class i gets point i), a permutation for `random`."""
    return None if mapping == "fixed" else rng.permutation(num_classes)
