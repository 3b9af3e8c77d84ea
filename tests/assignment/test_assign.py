"""Assignment: the same points, the best order by brute force where that can be had, better than chance everywhere."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import protosphere as ps
from protosphere.assignment import OBJECTIVES, assignment
from protosphere.assignment.many_classes import many_classes_order
from protosphere.assignment.quadratic import (
    faq,
    interchangeable,
    maximize_pair_sum,
    pair_sum,
    without_diagonal,
)
from protosphere.assignment.worst_pair import worst_pair, worst_pair_bound
from protosphere.constructions.build import rebuild
from protosphere.errors import InvalidArgumentError, StorageError

SCHEMES = {
    "log_sum_exp": (40, 10, {"steps": 100}),
    "orthogonal_simplices": (40, 27, {}),
    "cross_polytope": (41, 21, {}),
    "bch": (40, 15, {}),
    "uniform": (40, 3, {}),
}


def similarity(K, seed, dim=4):
    """Of random embeddings."""
    return ps.similarity_from_embeddings(
        np.random.default_rng(seed).standard_normal((K, dim))
    )


def code_of(scheme):
    K, n, options = SCHEMES[scheme]
    return ps.construct(scheme, num_classes=K, dim=n, **options)


def value(objective, S, cosines):
    upper = np.triu_indices(len(S), 1)
    if objective == "worst":
        return -np.max(S[upper] * (1 - cosines[upper]))
    return (1 if objective == "align" else -1) * np.sum(S[upper] * cosines[upper])


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("K", [2, 3, 5, 7])
def test_few_classes_get_the_best_of_all_orders(objective, K):
    for seed in range(6):
        S = similarity(K, seed)
        code = ps.construct("uniform", num_classes=K, dim=3, seed=seed)
        gram = code.points @ code.points.T
        best = max(
            value(objective, S, gram[np.ix_(p, p)])
            for p in map(list, permutations(range(K)))
        )
        found = ps.assign(code, S, objective).points
        assert value(objective, S, found @ found.T) == pytest.approx(best, abs=1e-12)


def test_few_classes_get_the_best_of_all_orders_by_any_function():
    S = similarity(6, 1)
    code = ps.construct("uniform", num_classes=6, dim=3)
    gram = code.points @ code.points.T

    def rank_products(similarities, cosines):
        return float(np.sum(similarities * cosines**3))

    best = max(
        rank_products(S, gram[np.ix_(p, p)]) for p in map(list, permutations(range(6)))
    )
    found = ps.assign(code, S, rank_products).points
    assert rank_products(S, found @ found.T) == pytest.approx(best)


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_better_than_a_thousand_random_orders(scheme, objective):
    code = code_of(scheme)
    S = similarity(len(code), 3)
    gram = code.points @ code.points.T
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(code)) for _ in range(1000)]
    chance = max(value(objective, S, gram[np.ix_(order, order)]) for order in orders)
    found = assignment(code, S, objective, seed=1)
    assert value(objective, S, gram[np.ix_(found.order, found.order)]) == pytest.approx(
        found.after
    )
    assert found.after > chance or (
        found.after == pytest.approx(chance) and found.proof
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_points_and_the_certificate_stay(scheme):
    code = ps.construct(
        scheme,
        num_classes=30,
        dim=SCHEMES[scheme][1] if scheme == "bch" else 20,
        seed=4,
    )
    found = ps.assign(code, similarity(30, 2))
    assert np.array_equal(
        np.unique(found.points, axis=0), np.unique(code.points, axis=0)
    )
    assert found.certificate == code.certificate
    assert ps.certify(found).max_cosine == pytest.approx(code.max_cosine)


def test_the_same_seed_gives_the_same_order():
    code = code_of("bch")
    S = similarity(40, 5)
    assert np.array_equal(
        ps.assign(code, S, seed=3).points, ps.assign(code, S, seed=3).points
    )


def test_a_simplex_leaves_nothing_to_choose_and_that_is_said():
    code = ps.construct("simplex", num_classes=20, dim=19)
    found = ps.assign(code, similarity(20, 0))
    assert np.array_equal(found.points, code.points)
    assert "every order is the same" in found.explain()


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["align", "oppose"])
@pytest.mark.parametrize(("K", "n"), [(100, 50), (31, 20), (30, 15)])
def test_a_cross_polytope_is_matched_exactly(objective, K, n):
    nx = pytest.importorskip("networkx")
    S = similarity(K, K)
    found = assignment(
        ps.construct("cross_polytope", num_classes=K, dim=n), S, objective
    )
    graph = nx.Graph()
    sign = -1 if objective == "align" else 1
    edges = [(i, j, sign * S[i, j] + 10) for i in range(K) for j in range(i + 1, K)]
    graph.add_weighted_edges_from(edges)
    matching = nx.max_weight_matching(graph, maxcardinality=True)
    opposed = sum(S[i, j] for i, j in matching)
    assert found.after == pytest.approx(-opposed if objective == "align" else opposed)
    assert "matching" in found.proof


def test_our_relaxation_is_scipys():
    from scipy.optimize import quadratic_assignment

    S, G = (
        without_diagonal(similarity(40, seed, dim)) for seed, dim in ((1, 5), (2, 9))
    )
    theirs = quadratic_assignment(
        S, G, options={"maximize": True, "rng": np.random.default_rng(0)}
    )
    assert 2 * pair_sum(S, G, faq(S, G)) == pytest.approx(theirs.fun, rel=0.02)


@pytest.mark.parametrize("K", [40, 100])
def test_never_worse_than_the_relaxation_alone(K):
    S, G = (similarity(K, seed, dim) for seed, dim in ((1, 5), (2, 9)))
    rng = np.random.default_rng(0)
    alone = pair_sum(S, G, faq(without_diagonal(S), without_diagonal(G)))
    assert pair_sum(S, G, maximize_pair_sum(S, G, rng)) > alone


def test_interchangeable_rows_can_be_exchanged():
    gram = code_of("orthogonal_simplices").points
    gram = gram @ gram.T
    same = interchangeable(gram)
    for i in range(40):
        j = same[i]
        order = np.arange(40)
        order[[i, j]] = j, i
        np.testing.assert_allclose(gram[np.ix_(order, order)], gram, atol=1e-12)
    assert len(set(same.tolist())) == 13, "as many as there are simplices"


def test_many_classes_are_aligned_a_block_at_a_time():
    S = similarity(500, 1, 8)
    points = ps.construct("uniform", num_classes=500, dim=10).points
    rng = np.random.default_rng(0)
    gram = points @ points.T
    order = many_classes_order(S, points, rng)
    assert np.array_equal(np.sort(order), np.arange(500))
    chance = [pair_sum(S, gram, rng.permutation(500)) for _ in range(100)]
    spread = np.std(chance)
    assert pair_sum(S, gram, order) > np.mean(chance) + 20 * spread
    assert pair_sum(S, gram, order) > 0.8 * pair_sum(
        S, gram, faq(without_diagonal(S), without_diagonal(gram))
    )


@pytest.mark.parametrize("scheme", ["bch", "orthogonal_simplices", "cross_polytope"])
def test_provenance_carries_the_order_and_rebuilds(scheme, tmp_path):
    code = ps.assign(code_of(scheme), similarity(len(code_of(scheme)), 6), "oppose")
    assert code.provenance.steps[-1].what == "assigned to oppose"
    assert np.array_equal(rebuild(code.provenance).points, code.points)
    code.save(tmp_path / "code.safetensors")
    back = ps.load(tmp_path / "code.safetensors")
    assert back.provenance == code.provenance
    assert np.array_equal(back.points, code.points)


def test_what_is_no_code_or_no_tree_is_one_sentence(tmp_path):
    with pytest.raises(InvalidArgumentError, match="'code' must be a SphericalCode"):
        ps.assign(np.eye(3), np.eye(3))
    for wrong in (None, ["a", "b"], 3):
        with pytest.raises(
            InvalidArgumentError,
            match="'tree' must be a mapping class -> parent, a file or a name",
        ):
            ps.taxonomy(wrong)
    with pytest.raises(StorageError, match="it is not a file"):
        ps.taxonomy(tmp_path)


@pytest.mark.parametrize("shift", [-3.0, -0.5, 0.0])
def test_bound_on_the_worst_pair_holds_for_every_order(shift):
    rng = np.random.default_rng(0)
    for _ in range(20):
        values = rng.standard_normal((5, 5)) + shift
        similarity = (values + values.T) / 2
        points = ps.construct(
            "uniform", num_classes=5, dim=3, seed=int(rng.integers(99))
        ).points
        cosines = points @ points.T
        lowest = min(
            worst_pair(similarity, cosines, np.array(order))
            for order in permutations(range(5))
        )
        assert worst_pair_bound(similarity, cosines) <= lowest + 1e-12
