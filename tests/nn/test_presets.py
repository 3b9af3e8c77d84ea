"""Scales that presets choose."""

from __future__ import annotations

import pytest

from protosphere.nn import PrototypeHead
from protosphere.spherical.statistics import confident_scale


@pytest.mark.slow
@pytest.mark.parametrize(
    ("num_classes", "dim"), [(10, 9), (100, 99), (100, 300), (1000, 999), (300, 40)]
)
def test_a_soft_cap_lets_a_right_class_stand_out_and_wrong_ones_differ(
    num_classes, dim
):
    """Its cap is twice what probability .99 takes, and no shorter than a z whose logits have the mean square 10."""
    head = PrototypeHead(num_classes, dim=dim, preset="soft_cap")
    free = min(dim, num_classes - 1)
    both = (
        2 * confident_scale(num_classes, float(head.code.max_cosine)),
        (10 * free) ** 0.5,
    )
    assert head.scaling.value == pytest.approx(max(both))
    assert (both[1] > both[0]) == (dim >= 99)
