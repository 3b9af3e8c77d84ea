"""The optimizer: its gradients, its groups, its polish, and the optima it must reach."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
import torch

from protosphere.errors import InvalidArgumentError
from protosphere.geometry.gram import max_cosine
from protosphere.geometry.sphere import uniform_points
from protosphere.search import batched_energy
from protosphere.search.arrangements import random_arrangement, random_parent
from protosphere.search.batched_energy import Orbits, smooth_max_cosine
from protosphere.search.code_search import search_code
from protosphere.search.compiled_orbits import anneal_orbits
from protosphere.search.descent_backend import unless_diverged
from protosphere.search.groups import (
    group,
    group_names,
    random_signed_permutations,
    signed_permutation_group,
)
from protosphere.search.initialization import known_optimum, resize
from protosphere.search.polish import contacts, polish_code

# (dim, points, largest cosine): optimal codes; in three dimensions by Schuette and van der Waerden, Danzer, Robinson,
# Musin and Tarasov, the angles as Sloane's table prints them.
KNOWN = [
    (3, 4, -1 / 3),
    (3, 5, 0.0),
    (3, 6, 0.0),
    (3, 7, np.cos(np.radians(77.8695421))),
    (3, 8, np.cos(np.radians(74.8584922))),
    (3, 9, 1 / 3),
    (3, 10, np.cos(np.radians(66.1468220))),
    (3, 11, 5**-0.5),
    (3, 12, 5**-0.5),
    (3, 13, np.cos(np.radians(57.1367031))),
    (3, 14, np.cos(np.radians(55.6705700))),
    (3, 24, 0.723078468334),
    (4, 8, 0.0),
    (4, 10, 1 / 6),
    (5, 16, 1 / 5),
    (8, 16, 0.0),
]


def search(num_points, dim, seed=0, **options):
    return search_code(
        num_points,
        dim,
        rng=np.random.default_rng(seed),
        **{"iterations": 60_000} | options,
    )


@pytest.mark.parametrize(("dim", "num_points", "value"), KNOWN)
def test_known_optima_are_reached(dim, num_points, value):
    found = search(num_points, dim)
    assert found.max_cosine == pytest.approx(value, abs=1.5e-9)
    assert found.max_cosine == pytest.approx(max_cosine(found.points), abs=1e-15)


def test_the_24_cell_is_found():
    assert search(24, 4, iterations=60_000).max_cosine == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("temperature", [3.0, 40.0, 1000.0])
def test_the_gradient_is_that_of_automatic_differentiation(temperature):
    rows = torch.randn(
        2,
        7 * 4,
        dtype=torch.float64,
        generator=torch.Generator().manual_seed(1),
        requires_grad=True,
    )

    def plain(row):
        units = torch.nn.functional.normalize(row.reshape(7, 4), dim=1)
        cosines = (units @ units.T)[~torch.eye(7, dtype=torch.bool)]
        return (torch.logsumexp(temperature * cosines, 0) - np.log(42)) / temperature

    value, gradient = smooth_max_cosine(
        Orbits((7,)), 4, torch.full((2,), temperature).double()
    )(rows.detach(), torch.arange(2))
    expected = torch.stack([plain(row) for row in rows])
    (wanted,) = torch.autograd.grad(expected.sum(), rows)
    torch.testing.assert_close(value, expected.detach())
    torch.testing.assert_close(gradient, wanted, rtol=1e-9, atol=1e-12)


def test_slices_of_the_gram_matrix_give_what_the_whole_gives(monkeypatch):
    rows = torch.randn(
        2, 30 * 5, dtype=torch.float64, generator=torch.Generator().manual_seed(2)
    )
    measured = smooth_max_cosine(Orbits((30,)), 5, torch.tensor([5.0, 80.0]).double())
    whole = measured(rows, torch.arange(2))
    monkeypatch.setattr(batched_energy, "MAX_GRAM_ENTRIES", 2 * 30 * 7)
    for part, wanted in zip(measured(rows, torch.arange(2)), whole, strict=True):
        torch.testing.assert_close(part, wanted, rtol=1e-12, atol=1e-14)


def arrangements(num_points, dim, count):
    rng = np.random.default_rng(3)
    drawn = (random_arrangement(num_points, dim, rng) for _ in range(50 * count))
    return [one for one in drawn if one is not None][:count]


@pytest.mark.parametrize(
    "arrangement", arrangements(26, 6, 12), ids=lambda one: one.name
)
def test_orbits_have_the_energy_and_the_gradient_of_the_whole_code(arrangement):
    orbits = Orbits(arrangement.counts, tuple(map(torch.as_tensor, arrangement.cosets)))
    rows = torch.as_tensor(
        arrangement.random_representatives(2, np.random.default_rng(0))
    )
    points = orbits.points(rows)
    assert points.shape == (2, 26, 6)
    t = torch.tensor([4.0, 9.0]).double()
    both = torch.arange(2)
    value, gradient = smooth_max_cosine(orbits, 6, t)(rows.reshape(2, -1), both)
    whole_value, whole = smooth_max_cosine(Orbits((26,)), 6, t)(
        points.reshape(2, -1), both
    )
    torch.testing.assert_close(value, whole_value)
    wanted = (
        whole.reshape(2, 26, 6)[:, [*accumulate(orbits.sizes[:-1], initial=0)]]
        * rows.new_tensor(orbits.sizes)[:, None]
    )
    torch.testing.assert_close(
        gradient.reshape(wanted.shape), wanted, rtol=1e-8, atol=1e-10
    )


@pytest.mark.parametrize(
    "name", ["C7", "C12:C2", "C7:C3(2)", "C2^3", "S4", "A5", "Q8", "PSL(2,7)"]
)
def test_representations_multiply_as_the_group_does_and_fill_it(name):
    one = group(name, 168)
    rng = np.random.default_rng(0)
    g, h = rng.integers(len(one.table), size=(2, 40))
    for part in one.irreducibles:
        np.testing.assert_allclose(part[g] @ part[h], part[one.table[g, h]], atol=1e-9)
        np.testing.assert_allclose(
            part @ part.transpose(0, 2, 1),
            np.broadcast_to(np.eye(part.shape[1]), part.shape),
            atol=1e-9,
        )


@pytest.mark.parametrize("seed", range(12))
def test_signed_permutations_multiply_as_their_group_does(seed):
    name, generators = random_signed_permutations(6, np.random.default_rng(seed))
    found, matrices = signed_permutation_group(generators, 168)
    assert np.array_equal(matrices[:, None] @ matrices[None], matrices[found.table])
    assert np.array_equal(matrices[0], np.eye(6))
    assert name.endswith(".-1") == (generators[-1] == tuple(i ^ 1 for i in range(12)))
    assert signed_permutation_group(generators, len(matrices) - 1) is None


def test_parents_are_symmetric_codes_of_up_to_a_quarter_more_points():
    rng = np.random.default_rng(0)
    drawn = [random_parent(40, 6, rng) for _ in range(200)]
    parents = [one for one in drawn if one is not None]
    sizes = set()
    for parent in parents:
        [representatives] = parent.random_representatives(1, rng)
        orbits = [
            cosets @ point
            for cosets, block in zip(
                parent.cosets,
                np.split(representatives, list(accumulate(parent.counts))[:-1]),
                strict=True,
            )
            for point in block
        ]
        points = np.vstack(orbits)
        sizes.add(len(points))
        np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, atol=1e-12)
    assert min(sizes) == 40
    assert max(sizes) == 50
    assert any(parent.name[0] in "cn" for parent in parents)
    assert any(parent.name[0] not in "cn" for parent in parents)


def test_a_search_from_parents_alone_frees_them_and_repeats_its_bits():
    found = [
        search(27, 6, iterations=1500, initializations=["parent"]) for _ in range(2)
    ]
    assert set(found[0].starts) == {"parent"}
    assert found[0].initialization.startswith("parent (")
    assert found[0].points.shape == (27, 6)
    assert np.array_equal(found[0].points, found[1].points)


def test_group_orders():
    orders = {
        "A4": 12,
        "S4": 24,
        "A5": 60,
        "S5": 120,
        "PSL(2,7)": 168,
        "Q8": 8,
        "AGL(1,8)": 56,
        "AGL(1,9)": 72,
    }
    assert {name: len(group(name, 168).table) for name in orders} == orders
    assert group("S5", 60) is None
    assert "C5:C4(2)" in group_names(20)


@pytest.mark.parametrize(("num_points", "dim"), [(24, 3), (13, 3), (10, 4), (30, 5)])
def test_polish_makes_the_touching_pairs_equal_to_the_last_digits(num_points, dim):
    rough = search(num_points, dim, polish=False)
    points, value = polish_code(rough.points)
    assert value <= rough.max_cosine
    touching = contacts(points, value - 1e-7).cosines
    assert len(touching) >= num_points
    assert np.ptp(touching) < 1e-13


def test_a_large_code_is_polished_without_a_dense_system():
    rough = search(220, 8, iterations=150, polish=False)
    points, value = polish_code(rough.points)
    assert value <= rough.max_cosine
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, atol=1e-14)


def test_same_seed_same_bits_and_another_seed_another_code():
    first, again, other = (
        search(20, 5, seed=seed, iterations=500) for seed in (1, 1, 2)
    )
    assert np.array_equal(first.points, again.points)
    assert (first.initialization, first.starts, first.iterations) == (
        again.initialization,
        again.starts,
        again.iterations,
    )
    assert not np.array_equal(first.points, other.points)


def test_never_worse_than_the_points_it_was_given():
    good = search(30, 5).points
    found = search(30, 5, seed=9, iterations=10, start_points=[good])
    assert found.max_cosine <= max_cosine(good)
    assert found.initialization == "given"


@pytest.mark.parametrize("num_points", [14, 27, 33])
def test_given_codes_of_any_size_are_made_fit(num_points):
    start = uniform_points(27, 6, np.random.default_rng(0))
    assert resize(start, num_points, 6, np.random.default_rng(0)).shape == (
        num_points,
        6,
    )
    assert resize(start, num_points, 8, np.random.default_rng(0)).shape == (
        num_points,
        8,
    )
    assert resize(start, num_points, 4, np.random.default_rng(0)).shape == (
        num_points,
        4,
    )
    assert search(num_points, 6, iterations=50, start_points=[start]).points.shape == (
        num_points,
        6,
    )


@pytest.mark.parametrize(
    ("num_points", "dim", "value"),
    [(5, 1, 1), (2, 1, -1), (2, 7, -1), (5, 9, -1 / 4), (7, 4, 0)],
)
def test_closed_forms(num_points, dim, value):
    points = known_optimum(num_points, dim)
    assert points.shape == (num_points, dim)
    assert max_cosine(points) == pytest.approx(value, abs=1e-14)


def test_initializations_are_checked_and_progress_is_reported():
    with pytest.raises(
        InvalidArgumentError,
        match="'starts' must be one of random, symmetric, refilled, parent, got 'lucky'",
    ):
        search(9, 3, initializations=["lucky"])
    told = []
    search(9, 3, progress=lambda *words: told.append(words))
    assert told[-1][0].startswith("optimizing: best 0.3333")
    assert all(0 <= done <= total for _, done, total in told)


def test_a_budget_in_seconds_ends():
    assert search(20, 4, iterations=None, budget=0.3).max_cosine < 0.6


@pytest.mark.parametrize(
    "arrangement", arrangements(26, 6, 12), ids=lambda one: one.name
)
def test_compiled_descents_of_orbits_keep_the_symmetry_and_lower_the_energy(
    arrangement,
):
    [rows] = arrangement.random_representatives(1, np.random.default_rng(0))
    start = arrangement.points(rows)
    firsts = [0, *accumulate(arrangement.sizes[:-1])]
    np.testing.assert_allclose(start[firsts], rows, atol=1e-12)
    found = anneal_orbits(
        rows, arrangement.cosets, arrangement.counts, 20.0, 20.0, 5.0, 60, 1.0
    )
    np.testing.assert_allclose(found, arrangement.points(found[firsts]), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-12)

    def energy(points):
        cosines = points @ points.T
        np.fill_diagonal(cosines, -np.inf)
        return np.exp(20 * (cosines - 1)).sum()

    assert energy(found) <= energy(start) * (1 + 1e-9)


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf, 1e200])
def test_a_descent_that_diverged_returns_its_start(value):
    start = uniform_points(9, 4, np.random.default_rng(0))
    found = start.copy()
    found[3] = value
    np.testing.assert_allclose(unless_diverged(found, start), start, atol=1e-15)
    nearly = 1.0000001 * start[::-1]
    np.testing.assert_allclose(unless_diverged(nearly, start), start[::-1], atol=1e-15)
