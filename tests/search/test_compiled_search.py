"""The compiled descent against tensors with autograd, and against itself."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from protosphere.errors import InvalidArgumentError
from protosphere.geometry.gram import max_cosine
from protosphere.geometry.sphere import uniform_points
from protosphere.search.code_search import search_code
from protosphere.search.compiled_energy import near_pairs, smooth_max_cosine_gradient
from protosphere.search.compiled_lbfgs import compiled_anneal
from protosphere.search.initialization import refill, resize


def work_space(points):
    count, dim = points.shape
    return (
        np.empty((count, dim)),
        np.empty((dim, count)),
        np.empty((count, count)),
        np.empty(count),
    )


def by_autograd(variables, t):
    x = torch.tensor(variables, requires_grad=True)
    units = x / x.norm(dim=1, keepdim=True)
    rows, columns = torch.triu_indices(len(x), len(x), 1)
    value = torch.logsumexp(t * (units @ units.T)[rows, columns], 0) / t
    value.backward()
    return value.item(), x.grad.numpy()


@pytest.mark.parametrize(("count", "dim"), [(2, 2), (9, 3), (60, 5), (40, 17)])
@pytest.mark.parametrize("t", [1.0, 30.0, 500.0])
@pytest.mark.parametrize("listed", [False, True])
def test_value_and_gradient_are_those_of_autograd(count, dim, t, listed):
    variables = np.random.default_rng(count).standard_normal((count, dim))
    variables = np.pad(variables, ((0, 0), (0, -dim % 4)))
    pairs = np.empty((2, 0), np.int64)
    if listed:
        pairs = np.stack(np.triu_indices(count, 1)).astype(np.int64)
    gradient = np.empty_like(variables)
    value = smooth_max_cosine_gradient(
        variables, t, pairs, work_space(variables), gradient
    )
    expected, slope = by_autograd(variables, t)
    assert value == pytest.approx(expected, abs=1e-7 / min(t, 1))
    np.testing.assert_allclose(gradient, slope, atol=2e-6)


def test_near_pairs_are_those_that_weigh_something():
    points = uniform_points(80, 4, np.random.default_rng(0))
    _, columns, table, _ = work_space(points)
    gram = points @ points.T
    pairs = near_pairs(points, columns, table, 200.0)
    near = {
        (i, j)
        for i, j in zip(
            *np.nonzero(np.triu(gram, 1) > max_cosine(points) - 26 / 200), strict=True
        )
        if i < j
    }
    assert {tuple(map(int, pair)) for pair in pairs.T} == {
        (int(i), int(j)) for i, j in near
    }
    assert near_pairs(points, columns, table, 1.0).shape == (
        2,
        0,
    )  # all matter: no list


def test_a_descent_is_repeatable_and_ends_on_the_sphere_below_where_it_began():
    start = uniform_points(30, 4, np.random.default_rng(1))
    found = compiled_anneal(start, 20.0, 1e4, 5.0, 80)
    again = compiled_anneal(start, 20.0, 1e4, 5.0, 80)
    assert np.array_equal(found, again)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-12)
    assert max_cosine(found) < max_cosine(start) - 0.1


@pytest.mark.parametrize(
    ("have", "space"), [(20, 4), (9, 4), (14, 3), (14, 5), (60, 6), (5, 2)]
)
def test_codes_of_any_size_are_fitted(have, space):
    rng = np.random.default_rng(have)
    for _ in range(10):
        code = resize(uniform_points(have, space, rng), 14, 4, rng)
        assert code.shape == (14, 4)
        np.testing.assert_allclose(np.linalg.norm(code, axis=1), 1, atol=1e-9)


def test_refilling_keeps_the_number_of_points_and_most_of_them():
    rng = np.random.default_rng(3)
    code = uniform_points(50, 6, rng)
    new = refill(code, rng)
    assert new.shape == code.shape
    assert np.sum((new @ code.T).max(axis=1) > 0.99) >= 40


def test_a_target_ends_the_search():
    rng = np.random.default_rng(0)
    modest = search_code(40, 6, rng=rng, budget=60.0, target=0.5)
    assert modest.max_cosine <= 0.5
    assert modest.iterations < 2000


BITS = """
import numpy as np
from protosphere.search.compiled_lbfgs import compiled_anneal
print(compiled_anneal(np.random.default_rng(0).standard_normal((40, 6)), 20.0, 1e4, 5.0, 100).tobytes().hex())
"""


def test_the_process_that_compiles_gives_the_bits_of_those_that_load(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    first, later = (
        subprocess.run(
            [sys.executable, "-c", BITS],
            env=environment,
            capture_output=True,
            check=True,
        ).stdout
        for _ in range(2)
    )
    assert any(tmp_path.rglob("*.nbc"))
    assert first == later


NOT_FINITE = """
import numpy as np
from protosphere.search.compiled_energy import near_pairs
from protosphere.search import compiled_lbfgs

for value in (np.nan, np.inf, 1e200):
    for count in (2, 300):
        start = np.random.default_rng(0).standard_normal((count, 4))
        start[count // 2, 0] = value
        units = start / np.sqrt((start**2).sum(axis=1, keepdims=True))
        near_pairs(units, np.empty((4, count)), np.empty((count, count)), 1000.0)
        compiled_lbfgs._anneal(start, 1000.0, 1e6, 5.0, 50, compiled_lbfgs.new_meters(1)[0])
print("alive")
"""


def test_no_number_brings_the_process_down():
    command = [sys.executable, "-W", "ignore", "-c", NOT_FINITE]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "alive\n"), ended.stderr


@pytest.mark.parametrize(
    ("start", "others"),
    [
        (np.full((9, 3), np.nan), (20.0, 1e4, 5.0, 80)),
        (np.ones(9), (20.0, 1e4, 5.0, 80)),
        (np.empty((0, 3)), (20.0, 1e4, 5.0, 80)),
        (np.eye(3), (np.nan, 1e4, 5.0, 80)),
        (np.eye(3), (20.0, np.inf, 5.0, 80)),
        (np.eye(3), (20.0, 1e4, 1.0, 80)),
        (np.eye(3), (20.0, 1e4, 5.0, 0)),
    ],
)
def test_a_descent_from_nowhere_is_refused(start, others):
    with pytest.raises(InvalidArgumentError):
        compiled_anneal(start, *others)


def test_a_descent_takes_rows_as_they_lie():
    start = uniform_points(30, 4, np.random.default_rng(1))
    expected = compiled_anneal(start, 20.0, 1e3, 5.0, 20)
    strided = np.repeat(start, 2, axis=0)[::2]
    for rows in (np.asfortranarray(start), strided):
        assert np.array_equal(compiled_anneal(rows, 20.0, 1e3, 5.0, 20), expected)
