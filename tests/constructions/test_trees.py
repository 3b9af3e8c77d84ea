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
def test_every_level_is_as_the_description_says_and_siblings_are_nearest(tree, dim):
    code = ps.construct("hierarchical", tree=tree, dim=dim)
    levels = ps.level_cosines(code, tree)
    said = [
        float(bound) for bound in re.findall(r"-?\d\.\d{3}", code.placement.description)
    ]
    highest = [level.highest for level in levels]
    np.testing.assert_allclose(highest, said[::-1], atol=6e-4)
    rises = np.diff(highest[::-1])
    assert len(levels) == ps.taxonomy(tree).height
    spread = 0.3 * (1 - max(0.0, float(code.certificate.converse)))
    np.testing.assert_allclose(rises, spread / len(rises), atol=0.02)
    assert sum(level.pairs for level in levels) == 4950
    assert float(code.max_cosine) == pytest.approx(highest[0])


# what levels came to where a code for each level stood side by side with the others, each with its share of the length
CONCATENATED = {
    ("cifar100_superclasses", 24): (0.591, 0.291),
    ("cifar100_superclasses", 64): (0.312, 0.012),
    ("cifar100_levels", 24): (0.450, 0.375, 0.300, 0.225, 0.150),
    ("cifar100_levels", 64): (0.267, 0.192, 0.117, 0.042, -0.033),
}


@pytest.mark.parametrize(("cell", "before"), CONCATENATED.items(), ids=str)
def test_no_level_is_nearer_than_concatenated_codes_have_it(cell, before):
    tree, dim = cell
    found = [
        level.highest
        for level in ps.level_cosines(
            ps.construct("hierarchical", tree=tree, dim=dim), tree
        )
    ]
    assert all(now < then for now, then in zip(found, before, strict=True))


@pytest.mark.parametrize("dim", [3, 4, 5, 9])
def test_a_crooked_tree_is_served_too(dim):
    tree = {"a": "x", "b": "x", "c": "y", "x": "y", "d": "z", "e": "z", "f": "z"}
    code = ps.construct("hierarchical", tree=tree, dim=dim)
    assert code.num_classes == 6
    highest = [level.highest for level in ps.level_cosines(code, tree)]
    assert highest == sorted(highest, reverse=True)


def test_without_levels_it_is_a_code_like_any_other():
    flat = ps.construct("hierarchical", tree={f"c{i}": "all" for i in range(12)}, dim=5)
    assert (
        float(flat.max_cosine) < float(ps.best(num_classes=12, dim=5).max_cosine) + 0.02
    )


@pytest.mark.parametrize(
    ("tree", "dim"), [("cifar100_levels", 3), ("cifar100_superclasses", 4)]
)
def test_siblings_differ_however_narrow_it_is(tree, dim):
    for spread in (0.3, 0.9):
        assert (
            float(
                ps.construct(
                    "hierarchical", tree=tree, dim=dim, spread=spread
                ).max_cosine
            )
            < 0.98
        )


def test_more_spread_is_more_cosine():
    found = [
        ps.construct("hierarchical", tree=TREES[0], dim=32, spread=spread).max_cosine
        for spread in (0.1, 0.3, 0.5)
    ]
    assert found == sorted(found)


def test_with_a_similarity_both_are_heard():
    tree = ps.taxonomy("cifar100_superclasses")
    S = ps.similarity_from_embeddings(
        np.random.default_rng(0).standard_normal((100, 12))
    )
    codes = [
        ps.construct("hierarchical", tree=tree, dim=24, spread=spread, similarity=S)
        for spread in (0, 0.3, 1)
    ]
    upper = np.triu_indices(100, 1)
    cosines = [(code.points @ code.points.T)[upper] for code in codes]
    of_similarity = [np.corrcoef(S[upper], found)[0, 1] for found in cosines]
    of_tree = [np.corrcoef(tree.similarity()[upper], found)[0, 1] for found in cosines]
    assert of_similarity == sorted(of_similarity, reverse=True)
    assert of_tree == sorted(of_tree)
    assert min(of_similarity[1], of_tree[1]) > 0.2 > abs(of_tree[0])


def test_the_frames_cosines_are_the_formula_with_the_lowest_constant():
    tree = ps.taxonomy("cifar100_levels")
    code = ps.construct("hierarchy_frame", tree=tree, dim=99, gamma=2.0)
    gram = frame_gram(tree.heights.astype(float), 2.0)
    np.testing.assert_allclose(code.points @ code.points.T, gram, atol=1e-12)
    assert np.linalg.eigvalsh(gram)[0] == pytest.approx(0, abs=1e-12)
    lower = gram - 1e-6 * (1 - np.eye(100))
    assert np.linalg.eigvalsh(lower)[0] < 0, (
        "with any lower constant it would be no Gram matrix"
    )


def test_a_steep_frame_is_a_simplex():
    code = ps.construct(
        "hierarchy_frame", tree="cifar100_superclasses", dim=99, gamma=400.0
    )
    assert float(code.max_cosine) == pytest.approx(-1 / 99)


@pytest.mark.parametrize("scheme", ["hierarchical", "hierarchy_frame"])
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"num_classes": 10}, "needs 'tree'"),
        (
            {"tree": "cifar100_levels", "num_classes": 10},
            "'tree' must have 10 classes, got 100",
        ),
        ({"tree": {"a": "b", "b": "a"}}, "cycle"),
        (
            {"tree": "cifar100_levels", "spread": 3, "gamma": -1},
            "must be|has no option",
        ),
    ],
)
def test_a_bad_tree_gets_one_sentence(scheme, options, says):
    with pytest.raises((ps.InvalidArgumentError, ps.InfeasibleError), match=says):
        ps.construct(scheme, dim=99, **options)
