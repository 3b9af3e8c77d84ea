"""Prototypes from vectors keep their meaning, are certified, and no two of them coincide."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import protosphere as ps
from protosphere.constructions.embeddings import from_embeddings as module
from protosphere.constructions.embeddings import principal, spreading
from protosphere.constructions.embeddings.own_combinations import (
    with_own_combinations,
)
from protosphere.constructions.embeddings.quantization import (
    nearest_values,
    num_product_parts,
    rotate,
)
from protosphere.constructions.embeddings.spreading import close_pairs, spread
from protosphere.errors import InfeasibleError
from protosphere.geometry.closest_classes import has_equal_rows
from protosphere.geometry.gram import max_cosine
from protosphere.geometry.sphere import normalized, uniform_points
from protosphere.spherical.structures import quantized


def vectors_of(num_classes=300, width=20, seed=0):
    rng = np.random.default_rng(seed)
    mixing = rng.standard_normal((width, width)) * np.linspace(3, 0.3, width)
    return rng.standard_normal((num_classes, width)) @ mixing + 5


def expected_points(vectors, dim, whiten):
    """The same by a singular value decomposition of all vectors."""
    centered = vectors - vectors.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centered, full_matrices=False)
    return normalized((left * sizes ** (1 - whiten))[:, :dim])


@pytest.mark.parametrize("whiten", [0.0, 0.5, 1.0])
def test_cosines_are_those_of_whitened_principal_components(whiten):
    vectors = vectors_of()
    code = ps.from_embeddings(vectors, dim=12, whiten=whiten, min_angle=1e-6)
    expected = expected_points(vectors, 12, whiten)
    found = code.points @ code.points.T
    np.testing.assert_allclose(found, expected @ expected.T, atol=1e-9)
    assert float(code.max_cosine) == pytest.approx(max_cosine(code.points), abs=1e-12)


def test_wide_vectors_are_reduced_without_their_covariance(monkeypatch):
    vectors = vectors_of(200, 30) @ np.random.default_rng(1).standard_normal((30, 40))
    exact = ps.from_embeddings(vectors, dim=5, min_angle=1e-6).points
    monkeypatch.setattr(principal, "LARGEST_COVARIANCE", 10)
    monkeypatch.setattr(principal, "POWER_ITERATIONS", 30)
    found = ps.from_embeddings(vectors, dim=5, min_angle=1e-6).points
    np.testing.assert_allclose(found @ found.T, exact @ exact.T, atol=1e-6)


def test_dimension_beyond_that_of_the_vectors_is_padded():
    code = ps.from_embeddings(vectors_of(50, 6), dim=9)
    assert code.dim == 9
    assert not code.points[:, 6:].any()
    assert ps.from_embeddings(vectors_of(50, 6)).dim == 6


def test_tensors_and_small_floats_are_taken():
    vectors = vectors_of(40, 6)
    expected = ps.from_embeddings(vectors.astype(np.float32)).points
    found = ps.from_embeddings(torch.tensor(vectors, dtype=torch.float32)).points
    assert np.array_equal(found, expected)
    assert ps.from_embeddings(torch.tensor(vectors).bfloat16()).num_classes == 40


def test_other_forms_of_the_same_vectors_give_the_same_bits():
    vectors = vectors_of(40, 6)
    expected = ps.from_embeddings(vectors, whiten=0.5).points
    rows = [torch.tensor(row, requires_grad=True) for row in vectors]
    for form in (
        np.asfortranarray(vectors),
        vectors.tolist(),
        rows,
        torch.tensor(vectors).to_sparse(),
    ):
        found = ps.from_embeddings(form, whiten=np.float32(0.5)).points
        assert np.array_equal(found, expected)


def test_coinciding_vectors_get_the_least_angle():
    vectors = vectors_of(120, 8)
    vectors[10:40] = vectors[3]
    vectors[50] = vectors.mean(axis=0)
    code = ps.from_embeddings(vectors, min_angle=4.0)
    assert code.min_angle_degrees >= 4.0
    assert code.certificate.max_cosine <= code.certificate.guarantee
    alone = ps.from_embeddings(vectors, min_angle=1e-3).points
    assert np.array_equal(code.points[60:70], alone[60:70])


@given(st.integers(0, 100), st.integers(3, 40), st.integers(3, 6))
@settings(max_examples=15, deadline=None)
def test_spread_points_are_all_apart_and_others_stay(seed, count, dim):
    rng = np.random.default_rng(seed)
    points = uniform_points(count, dim, rng)
    points[: count // 3] = points[0]
    apart = spread(points, 2.0, rng)
    assert max_cosine(apart) <= np.cos(np.radians(2.0)) + 1e-12
    distance = 2 * np.sin(np.radians(1.0))
    left, right = close_pairs(points, np.arange(count), distance)
    gram = np.triu(points @ points.T, 1)
    assert len(left) == np.count_nonzero(gram > np.cos(np.radians(2.0)))
    assert (left < right).all()


@pytest.fixture
def rounds(monkeypatch):
    """The shortfalls of all rounds in which points are moved apart."""
    found = []
    push = spreading._push_apart

    def counted(*arguments):
        found.append(push(*arguments))
        return found[-1]

    monkeypatch.setattr(spreading, "_push_apart", counted)
    return found


@pytest.mark.parametrize("least_degrees", [60.0, 180.0])
def test_an_angle_beyond_the_converse_is_refused_at_once(least_degrees, rounds):
    points = uniform_points(300, 3, np.random.default_rng(0))
    with pytest.raises(InfeasibleError, match="is not reached by 300 classes"):
        spread(points, least_degrees, np.random.default_rng(0))
    assert not rounds


def test_points_that_do_not_get_apart_are_given_up_early(rounds):
    rng = np.random.default_rng(0)
    points = uniform_points(600, 4, rng)
    with pytest.raises(InfeasibleError):
        spread(points, 20.0, rng)
    assert rounds[-1] > 30
    assert len(rounds) < spreading.MOST_ROUNDS / 4


def test_points_that_get_apart_slowly_are_not_given_up(rounds):
    rng = np.random.default_rng(0)
    points = uniform_points(600, 4, rng)
    apart = spread(points, 19.0, rng)
    assert max_cosine(apart) <= np.cos(np.radians(19.0)) + 1e-12
    assert len(rounds) > spreading.MOST_ROUNDS / 4


def test_more_close_pairs_than_memory_holds_are_given_up(rounds, monkeypatch):
    monkeypatch.setattr(spreading, "FEW_PAIRS", 0)
    monkeypatch.setattr(spreading, "MOST_PAIRS_PER_POINT", 0.5)
    rng = np.random.default_rng(0)
    points = uniform_points(1000, 4, rng)
    with pytest.raises(InfeasibleError):
        spread(points, 16.0, rng)
    assert not rounds


def test_pairs_are_moved_apart_in_blocks(monkeypatch):
    points = uniform_points(200, 4, np.random.default_rng(0))
    whole = spread(points, 10.0, np.random.default_rng(1))
    monkeypatch.setattr(spreading, "BLOCK_ENTRIES", 300)
    blocks = spread(points, 10.0, np.random.default_rng(1))
    assert not np.array_equal(whole, points)
    np.testing.assert_allclose(blocks, whole, atol=1e-12)


@pytest.mark.parametrize("count", [20, 29, 32, 40])
def test_equal_points_on_a_circle_get_apart(count):
    points = np.tile([[-1.0, 0.0]], (count, 1))
    apart = spread(points, 2.0, np.random.default_rng(0))
    assert max_cosine(apart) <= np.cos(np.radians(2.0)) + 1e-12


def test_one_dimensional_vectors_get_a_default_angle():
    vectors = np.zeros((30, 1))
    vectors[3] = 1
    assert ps.from_embeddings(vectors, dim=2).min_angle_degrees > 0.3


@pytest.mark.parametrize(("dim", "largest"), [(6, 24), (8, 16), (16, 9)])
def test_very_many_equal_points_stay_together(dim, largest):
    points = np.zeros((3000, dim))
    points[:, 0] = 1
    apart = spread(points, 5.0, np.random.default_rng(0))
    assert np.degrees(np.arccos(apart[:, 0].min())) < largest


def test_every_class_has_a_combination_of_its_own():
    vectors = vectors_of(500, 16)
    vectors[100:300] = vectors[7]
    code = ps.from_embeddings(vectors, parts=4)
    structure = code.placement.structure
    assert structure.values.dtype == np.uint8
    assert not has_equal_rows(structure.values)
    assert float(code.max_cosine) == pytest.approx(max_cosine(code.points), abs=1e-12)
    assert float(code.max_cosine) < 1 - 1e-6


def test_compressed_prototypes_stay_near_the_dense_ones():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((40, 24))[rng.integers(0, 40, 800)]
    vectors = vectors + 0.3 * rng.standard_normal((800, 24))
    dense = ps.from_embeddings(vectors, whiten=0.5, min_angle=1e-6).points
    code = ps.from_embeddings(vectors, whiten=0.5, parts=6)
    cosines = code.points @ code.points.T
    expected = dense @ dense.T
    upper = np.triu_indices(800, 1)
    assert np.corrcoef(cosines[upper], expected[upper])[0, 1] > 0.8


def test_values_nearest_to_a_vector_are_taken():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((50, 3))
    centers = rng.standard_normal((7, 3))
    squares = np.square(rows[:, None] - centers).sum(axis=2)
    assert np.array_equal(nearest_values(rows, centers), squares.argmin(axis=1))


def test_a_class_moves_to_the_nearest_free_combination():
    rng = np.random.default_rng(0)
    parts = [rng.standard_normal((9, 2)), rng.standard_normal((8, 3))]
    values = np.array([[4, 5], [4, 5], [2, 5]], dtype=np.uint8)
    found = with_own_combinations(values, parts)
    assert found[[0, 2]].tolist() == [[4, 5], [2, 5]]

    def distance(row):
        first = parts[0][row[0]] - parts[0][4]
        second = parts[1][row[1]] - parts[1][5]
        return float(first @ first + second @ second)

    free = set(itertools.product(range(9), range(8))) - {(4, 5), (2, 5)}
    assert tuple(found[1].tolist()) == min(free, key=distance)


@given(st.integers(0, 1000), st.integers(1, 5), st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_combinations_become_different_as_long_as_there_are_enough(seed, used, size):
    rng = np.random.default_rng(seed)
    parts = [rng.standard_normal((size, 2)) for _ in range(3)]
    values = rng.integers(0, min(used, size), (size**3, 3)).astype(np.uint8)
    found = with_own_combinations(values, parts)
    assert not has_equal_rows(found)
    firsts = np.unique(values, axis=0, return_index=True)[1]
    assert np.array_equal(found[firsts], values[firsts])


def test_very_many_equal_vectors_get_the_nearest_combinations():
    rng = np.random.default_rng(0)
    parts = [rng.standard_normal((16, 2)) for _ in range(4)]
    same = np.tile(rng.integers(0, 16, 4).astype(np.uint8), (9000, 1))
    found = with_own_combinations(same, parts)
    assert not has_equal_rows(found)
    squares = [
        np.square(part - part[same[0, p]]).sum(axis=1) for p, part in enumerate(parts)
    ]
    every = (
        squares[0][:, None, None, None]
        + squares[1][:, None, None]
        + squares[2][:, None]
        + squares[3]
    )
    mine = sum(square[found[:, p]] for p, square in enumerate(squares))
    nearest = np.sort(every.ravel())[:9000]
    assert mine.mean() < 1.2 * nearest.mean()


def test_a_rotation_keeps_cosines_and_balances_the_variances():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((3000, 8)) * np.geomspace(1, 1e-2, 8)
    rotated = rows.copy()
    rotate(rotated, rng)
    np.testing.assert_allclose(rotated @ rotated.T, rows @ rows.T, atol=1e-12)
    assert rotated.std(axis=0).min() > 5 * rows.std(axis=0).min()


@pytest.mark.parametrize(
    ("num_classes", "num_parts", "expected"),
    [(256, 4, 2), (300, 8, 3), (50_000, 16, 3), (10**6, 16, 4), (10**6, 4, 3)],
)
def test_just_enough_parts_keep_the_classes_apart(num_classes, num_parts, expected):
    assert num_product_parts(num_classes, num_parts) == expected


def test_a_least_angle_between_compressed_prototypes_is_guaranteed():
    vectors = vectors_of(200, 12)
    vectors[20:90] = vectors[4]
    code = ps.from_embeddings(vectors, parts=3, min_angle=6.0)
    assert code.min_angle_degrees >= 6.0 - 1e-9
    assert code.certificate.max_cosine <= code.certificate.guarantee


def test_compressed_code_comes_back_from_its_file(tmp_path):
    code = ps.from_embeddings(vectors_of(), parts=5)
    code.save(tmp_path / "code.safetensors")
    back = ps.load(tmp_path / "code.safetensors")
    assert np.array_equal(back.points, code.points)
    assert back.max_cosine == pytest.approx(code.max_cosine, abs=1e-14)


def test_same_seed_gives_the_same_bits():
    vectors = vectors_of()
    first, again = (ps.from_embeddings(vectors, parts=5, seed=3) for _ in range(2))
    assert np.array_equal(first.points, again.points)


def test_a_part_takes_vectors_of_its_values():
    vectors = vectors_of(6, 3)
    code = ps.compose(sizes=(6, 4), codes=[vectors, "simplex"])
    own = ps.from_embeddings(vectors)
    inside = code.points[::4, : own.dim] * np.sqrt(2)
    np.testing.assert_allclose(inside, own.points, atol=1e-12)


def with_nan():
    vectors = vectors_of(9, 4)
    vectors[5, 2] = np.nan
    return vectors


BAD = {
    "NaN": (with_nan, {}, "NaN or infinity in row 5"),
    "same": (lambda: np.ones((5, 3)), {}, "got the same vector for all"),
    "text": (lambda: [["a", "b"]], {}, "must be a matrix of numbers"),
    "ragged": (lambda: [[1, 2], [3]], {}, "rows of different lengths"),
    "one row": (lambda: [[1.0, 2.0]], {}, "two rows or more, got 1"),
    "one axis": (lambda: [1.0, 2.0], {}, "got shape (2,)"),
    "whiten": (vectors_of, {"whiten": 1.5}, "'whiten' must be from 0 to 1, got 1.5"),
    "dim": (vectors_of, {"dim": 0}, "'dim' must be an integer of at least 2"),
    "angle": (vectors_of, {"min_angle": -1}, "'min_angle' must be"),
    "tiny angle": (
        vectors_of,
        {"min_angle": 1e-200},
        "at least 1e-06 degrees, got 1e-200",
    ),
    "tiny angle of parts": (
        vectors_of,
        {"min_angle": 5e-324, "parts": 4},
        "at least 1e-06 degrees",
    ),
    "large angle": (
        lambda: vectors_of(9, 3),
        {"min_angle": 120.0},
        "is not reached by 9",
    ),
    "angle of a turn": (vectors_of, {"min_angle": 361.0}, "at most 180 degrees"),
    "one dimension": (lambda: vectors_of(9, 1), {}, "'dim' must be at least 2 for 9"),
    "parts": (vectors_of, {"parts": 11}, "parts=10 works"),
    "parts of few dimensions": (
        lambda: vectors_of(9, 3),
        {"parts": 2},
        "leave 'parts' out",
    ),
    "huge dim": (vectors_of, {"dim": 2**70}, "to fit in memory"),
    "huge dim with parts": (
        vectors_of,
        {"dim": 2**70, "parts": 4},
        "at most 16,777,216",
    ),
    "no data": (lambda: torch.empty(30, 5, device="meta"), {}, "the device 'meta'"),
    "one part": (vectors_of, {"parts": 1}, "more parts work, such as 3"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_answered_by_one_sentence(case):
    make, options, expected = BAD[case]
    with pytest.raises((ps.InvalidArgumentError, ps.InfeasibleError)) as refusal:
        ps.from_embeddings(make(), **options)
    assert expected in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_too_many_dense_classes_are_pointed_to_parts(monkeypatch):
    monkeypatch.setattr(module, "MOST_DENSE_CLASSES", 100)
    with pytest.raises(ps.InfeasibleError, match="such as parts=5"):
        ps.from_embeddings(vectors_of())
    assert ps.from_embeddings(vectors_of(), parts=5).num_classes == 300


def test_default_angle_is_halved_where_it_is_not_reached(monkeypatch):
    tried = []

    def reached_below_two_degrees(points, angle, rng):
        tried.append(angle)
        if angle > 2:
            raise InfeasibleError("not reached")
        return spread(points, angle, rng)

    monkeypatch.setattr(module, "spread", reached_below_two_degrees)
    vectors = np.random.default_rng(0).standard_normal((50, 8))
    code = ps.from_embeddings(vectors, dim=8)
    assert tried == [5, 2.5, 1.25]
    assert code.certificate.guarantee == pytest.approx(np.cos(np.radians(1.25)))
    with pytest.raises(InfeasibleError):
        ps.from_embeddings(vectors, dim=8, min_angle=5)


def test_a_bound_on_the_maximum_cosine_is_shown_as_a_bound(monkeypatch):
    monkeypatch.setattr(quantized, "ALL_PAIRS_POINTS", 100)
    monkeypatch.setattr(quantized, "MOST_COMPARED_ENTRIES", 0)
    code = ps.from_embeddings(vectors_of(), parts=5)
    assert code.certificate.is_upper_bound
    assert f"max cosine at most {float(code.max_cosine):.6g}" in repr(code)
    assert float(code.max_cosine) >= max_cosine(code.points)


def test_loading_does_not_search_for_the_closest_of_many_quantized_points(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(quantized, "ALL_PAIRS_POINTS", 100)
    vectors = np.random.default_rng(0).standard_normal((5000, 16))
    ps.from_embeddings(vectors, parts=8).save(tmp_path / "code.safetensors")
    loaded = ps.load(tmp_path / "code.safetensors")
    assert loaded.certificate.unverified
    assert not ps.certify(loaded).unverified
