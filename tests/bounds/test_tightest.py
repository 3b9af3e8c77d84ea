"""What holds for every bound: monotone, never above a code that exists, one sentence for nonsense, cheap to import."""

import csv
import os
import subprocess
import sys
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.needs_data import needs_data

from protosphere import bounds
from protosphere.bounds import achievable, converse, one_hot, paper_converse, rankin
from protosphere.errors import InfeasibleError, InvalidArgumentError

GOLDEN = (1 + 5**0.5) / 2
NOISE = 1e-14

classes = st.integers(2, 60) | st.integers(2, 10**5) | st.integers(2, 10**40)
dims = st.integers(1, 40) | st.integers(1, 3000) | st.integers(1, 10**9)


def roots_d(n):
    """The minimal vectors of D_n: +-e_i +- e_j."""
    for i, j in combinations(range(n), 2):
        for a, b in product((1, -1), repeat=2):
            yield [a * (t == i) + b * (t == j) for t in range(n)]


def roots_e8():
    yield from roots_d(8)
    yield from (
        [s / 2 for s in signs]
        for signs in product((1, -1), repeat=8)
        if np.prod(signs) == 1
    )


def icosahedron():
    for a, b in product((1, -1), (GOLDEN, -GOLDEN)):
        yield from ([0, a, b], [a, b, 0], [b, 0, a])


def cell_600():
    yield from np.vstack((2 * np.eye(4), -2 * np.eye(4)))
    yield from product((1, -1), repeat=4)
    for order in permutations(range(4)):
        if np.linalg.det(np.eye(4)[list(order)]) > 0:
            for signs in product((1, -1), repeat=3):
                vector = [signs[0] * GOLDEN, signs[1], signs[2] / GOLDEN, 0]
                yield [vector[i] for i in order]


CODES = {
    "simplex": np.eye(9) - 1 / 9,
    "cross-polytope": np.vstack((np.eye(7), -np.eye(7))),
    "icosahedron": list(icosahedron()),
    "24-cell": list(roots_d(4)),
    "600-cell": list(cell_600()),
    "E8": list(roots_e8()),
}


@pytest.mark.parametrize(
    ("name", "K", "n"),
    [
        ("simplex", 9, 8),
        ("cross-polytope", 14, 7),
        ("icosahedron", 12, 3),
        ("24-cell", 24, 4),
        ("600-cell", 120, 4),
        ("E8", 240, 8),
    ],
)
def test_never_above_a_known_code(name, K, n):
    points = np.array(CODES[name], dtype=float)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    assert len(points) == K
    assert np.linalg.matrix_rank(points) == n
    cosine = float(np.max(points @ points.T - 2 * np.eye(K)))
    for with_lp in (False, True):
        bound = float(converse(K, n, linear_programming=with_lp))
        assert bound <= cosine + NOISE
        assert name == "24-cell" or bound == pytest.approx(cosine, abs=1e-12)


@needs_data
def test_never_above_the_best_known_codes():
    path = (
        Path(os.environ["PROTOSPHERE_DATA"])
        / "tables"
        / "spherical_codes_best_known.csv"
    )
    with path.open() as file:
        rows = [
            (int(row["dim"]), int(row["num_points"]), float(row["max_cosine"]))
            for row in csv.DictReader(file)
        ]
    assert len(rows) > 50
    for n, K, cosine in rows:
        assert float(converse(K, n)) <= cosine + 2e-9, (n, K)
    for n, K, cosine in rows[::12]:
        assert float(converse(K, n, linear_programming=True)) <= cosine + 2e-9, (n, K)


@settings(deadline=None)
@given(classes, dims, st.integers(1, 1000))
def test_more_points_or_fewer_dimensions_are_no_easier(K, n, step):
    here = float(converse(K, n))
    assert here <= float(converse(K + step, n)) + NOISE
    assert here >= float(converse(K, n + step)) - NOISE
    assert float(paper_converse(K, n)) <= here <= 1


@settings(deadline=None)
@given(classes, dims)
def test_achievable_is_not_below_converse(K, n):
    if 2 ** min(n, 200) < K:
        with pytest.raises(
            InfeasibleError, match=f"at least {(K - 1).bit_length()}, got {n}"
        ):
            achievable(K, n)
    else:
        assert float(achievable(K, n)) >= float(converse(K, n)) - NOISE


@pytest.mark.parametrize("K", range(2, 12))
def test_achievable_is_the_better_of_code_and_one_hot(K):
    for n in range((K - 1).bit_length(), 40):
        candidates = [bounds.gilbert_varshamov(K, n).value] + [Fraction(0)] * (n >= K)
        assert achievable(num_classes=K, dim=n).value == min(candidates)


def test_rankin_cases_are_exact_and_named():
    assert (
        converse(100, 128)
        == rankin(100, 128)
        == bounds.Bound(Fraction(-1, 99), "rankin_simplex")
    )
    assert converse(100, 99).value == Fraction(-1, 99)
    assert (
        converse(100, 98)
        == converse(num_classes=100, dim=50)
        == bounds.Bound(Fraction(0), "rankin_orthoplex")
    )
    assert float(converse(100, 49)) > 0
    assert rankin(10**6, 3).value == 0
    assert paper_converse(100, 4) == bounds.Bound(
        Fraction(-1, 99), "rankin (as in the paper)"
    )


def test_huge_arguments():
    assert converse(2, 10**400).value == -1
    assert converse(10**400, 10**350).value == 0
    assert converse(3, 1).value == 1
    assert float(converse(10**5000, 10**4)) == pytest.approx(0.6963, abs=1e-3)
    assert achievable(5, 10**400) == one_hot(5, 10**400)
    assert achievable(3, 10**400 + 1).value == Fraction(-1, 10**400 + 1)
    assert 0 < float(achievable(10**300, 10**7)) < 0.02


def test_one_class_is_too_few_and_flags_are_flags():
    with pytest.raises(
        InvalidArgumentError,
        match="'num_classes' must be an integer of at least 2, got 1",
    ):
        converse(1, 4)
    with pytest.raises(
        InvalidArgumentError, match="'linear_programming' must be True or False"
    ):
        converse(10, 4, linear_programming=1)  # pyright: ignore
    with pytest.raises(InfeasibleError, match="num_classes = 10, got 9"):
        one_hot(10, 9)


def test_numpy_integers_are_integers():
    assert converse(np.int64(1000), np.int32(128)) == converse(1000, 128)  # pyright: ignore


def test_import_loads_no_scipy():
    script = "import sys, protosphere.bounds as bounds; bounds.converse(10, 16); print('scipy' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "False"
