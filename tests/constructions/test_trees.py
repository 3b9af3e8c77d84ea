"""Codes for trees: cosines bounded at every level, exactly as said, and the frame whose cosines are a formula."""

from __future__ import annotations

import re

import numpy as np
import pytest

import protosphere as ps
from protosphere.constructions.trees.hierarchy_frame import frame_gram

TREES = ("cifar100_superclasses", "cifar100_levels")


@pytest.mark.parametrize("dim", [24, 32, 64])
@pytest.mark.parametrize("tree", TREES)
def test_every_level_keeps_its_bound_and_siblings_are_nearest(tree, dim):
    code = ps.construct("hierarchical", tree=tree, dim=dim)
    levels = ps.level_cosines(code, tree)
    bounds = [float(bound) for bound in re.findall(r"-?\d\.\d{3}", code.placement.recipe)]
    assert len(levels) == len(bounds) == ps.taxonomy(tree).height
    for level, bound in zip(levels, reversed(bounds), strict=True):
        assert level.highest <= bound + 6e-4
    highest = [level.highest for level in levels]
    assert highest == sorted(highest, reverse=True)
    assert highest[0] - highest[-1] >= 0.3 - 1e-9, "siblings may be nearer by the spread"
    assert sum(level.pairs for level in levels) == 4950
    assert float(code.max_cosine) == pytest.approx(highest[0])


def test_a_crooked_tree_is_served_too():
    tree = {"a": "x", "b": "x", "c": "y", "x": "y", "d": "z", "e": "z", "f": "z"}
    code = ps.construct("hierarchical", tree=tree, dim=5)
    assert code.num_classes == 6
    highest = [level.highest for level in ps.level_cosines(code, tree)]
    assert highest[0] == max(highest)


def test_more_spread_is_more_cosine():
    found = [
        ps.construct("hierarchical", tree=TREES[0], dim=32, spread=spread).max_cosine for spread in (0.1, 0.3, 0.5)
    ]
    assert found == sorted(found)


def test_the_frames_cosines_are_the_formula_with_the_lowest_constant():
    tree = ps.taxonomy("cifar100_levels")
    code = ps.construct("hierarchy_frame", tree=tree, dim=99, gamma=2.0)
    gram = frame_gram(tree.heights.astype(float), 2.0)
    np.testing.assert_allclose(code.points @ code.points.T, gram, atol=1e-12)
    assert np.linalg.eigvalsh(gram)[0] == pytest.approx(0, abs=1e-12)
    lower = gram - 1e-6 * (1 - np.eye(100))
    assert np.linalg.eigvalsh(lower)[0] < 0, "with any lower constant it would be no Gram matrix"


def test_a_steep_frame_is_a_simplex():
    code = ps.construct("hierarchy_frame", tree="cifar100_superclasses", dim=99, gamma=400.0)
    assert float(code.max_cosine) == pytest.approx(-1 / 99)


@pytest.mark.parametrize("scheme", ["hierarchical", "hierarchy_frame"])
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"num_classes": 10}, "needs 'tree'"),
        ({"tree": "cifar100_levels", "num_classes": 10}, "'tree' must have 10 classes, got 100"),
        ({"tree": {"a": "b", "b": "a"}}, "cycle"),
        ({"tree": "cifar100_levels", "spread": 3, "gamma": -1}, "must be|has no option"),
    ],
)
def test_a_bad_tree_gets_one_sentence(scheme, options, says):
    with pytest.raises((ps.InvalidArgumentError, ps.InfeasibleError), match=says):
        ps.construct(scheme, dim=99, **options)
