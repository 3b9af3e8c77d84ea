"""Trees of classes: heights against their definition, and costs that follow the size of the tree."""

from __future__ import annotations

import numpy as np
import pytest

import protosphere as ps


def random_tree(seed):
    """A mapping child -> parent with several roots at times, and its leaves in a random order."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(3, 40))
    parents = {}
    for number in range(1, size):
        lowest = max(0, number - int(rng.integers(1, 8)))
        parents[f"n{number}"] = f"n{int(rng.integers(lowest, number))}"
    inner = set(parents.values())
    leaves = [name for name in parents if name not in inner]
    for name in rng.permutation(sorted(inner))[: int(rng.integers(0, 3))]:
        parents.pop(str(name), None)
    return parents, [str(name) for name in rng.permutation(leaves)]


def chain_above(parents, name):
    chain = []
    while name in parents:
        name = parents[name]
        chain.append(name)
    return chain


@pytest.mark.parametrize("seed", range(40))
def test_heights_ancestors_and_groups_of_random_trees_follow_their_definitions(seed):
    parents, classes = random_tree(seed)
    chains = [chain_above(parents, name) for name in classes]
    if len({chain[-1] for chain in chains}) > 1:
        chains = [[*chain, ""] for chain in chains]
    tree = ps.taxonomy(parents, classes)
    assert tree.ancestors == tuple(map(tuple, chains))
    node_heights = {}
    for chain in chains:
        for height, node in enumerate(chain, 1):
            node_heights[node] = max(height, node_heights.get(node, 0))
    assert tree.node_heights == node_heights
    for i, one in enumerate(chains):
        for j, other in enumerate(chains):
            meet = next(node for node in one if node in other)
            assert tree.heights[i, j] == (0 if i == j else node_heights[meet])
    for above in (1, 2, 5):
        names = [chain[min(above, len(chain)) - 1] for chain in chains]
        groups = tree.groups(above)
        assert all(
            (groups[i] == groups[j]) == (names[i] == names[j])
            for i in range(len(names))
            for j in range(i)
        )
    for node, below in tree.leaves.items():
        assert sorted(below) == [i for i, chain in enumerate(chains) if node in chain]
    again = ps.taxonomy(tree.text)
    assert again.classes == tree.classes
    np.testing.assert_array_equal(again.heights, tree.heights)


class CountedParents(dict):
    """A mapping that counts how often a parent is asked for."""

    asked = 0

    def get(self, key, default=None):
        self.asked += 1
        return super().get(key, default)

    def __getitem__(self, key):
        self.asked += 1
        return super().__getitem__(key)


def caterpillar(num_classes):
    spine = {f"n{i + 1}": f"n{i}" for i in range(num_classes - 1)}
    return spine | {f"c{i}": f"n{i}" for i in range(num_classes)}


def star(num_classes):
    return {f"c{i}": "root" for i in range(num_classes)}


@pytest.mark.parametrize("shape", [caterpillar, star])
def test_reading_a_tree_asks_for_each_parent_a_few_times_at_most(shape):
    parents = CountedParents(shape(500))
    ps.assignment.Taxonomy(tuple(f"c{i}" for i in range(500)), parents)
    assert parents.asked <= 4 * len(parents)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [caterpillar, star])
def test_trees_of_any_size_are_read_and_grouped_and_pairs_beyond_the_limit_refused(
    shape,
):
    tree = ps.taxonomy(shape(20_000))
    assert len(tree.classes) == 20_000
    assert tree.of(tree.classes[::-1]).classes[0] == tree.classes[-1]
    assert len(tree.groups(tree.height)) == 20_000
    assert ps.taxonomy(tree.text).height == tree.height
    for pairs in (lambda: tree.heights, tree.similarity):
        with pytest.raises(ps.InvalidArgumentError, match="10,000 classes"):
            pairs()
    for scheme, dim in (("hierarchical", 16), ("hierarchy_frame", 20_000)):
        with pytest.raises(ps.ProtosphereError, match="'num_classes' can be at most"):
            ps.construct(scheme, tree=tree, dim=dim)


def test_the_ancestors_of_a_very_deep_tree_are_refused_in_one_sentence():
    with pytest.raises(ps.InvalidArgumentError, match="at most 10,000,000 names"):
        _ = ps.taxonomy(caterpillar(20_000)).ancestors


@pytest.mark.parametrize("classes", [["c0"] * 2, [""]])
def test_classes_without_a_name_of_their_own_are_refused(classes):
    with pytest.raises(ps.InvalidArgumentError, match="a tree's classes must"):
        ps.taxonomy(star(3) | {"": "root"}, classes)
