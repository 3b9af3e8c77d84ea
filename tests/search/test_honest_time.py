"""A budget is a limit, the default is bounded work, and Ctrl-C hands back what was found; the clock is made up."""

from __future__ import annotations

import logging
from itertools import pairwise

import numpy as np
import pytest

import protosphere as ps
from protosphere.geometry.gram import max_cosine
from protosphere.geometry.sphere import uniform_points
from protosphere.search import descent_backend
from protosphere.search.budget import Budget, evaluation_products
from protosphere.search.code_search import (
    MAX_DEFAULT_PRODUCTS,
    default_iterations,
    search_code,
)
from protosphere.search.compiled_lbfgs import (
    ALLOWED,
    SPENT,
    STOP,
    compiled_anneal,
    new_meters,
)

SIZES = sorted({round(2 * 1.6**k) for k in range(28)} | {1000, 10**6})


class MadeUpClock:
    """Each look takes a while."""

    def __init__(self, step: float) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def search(num_points, dim, **options):
    return search_code(num_points, dim, rng=np.random.default_rng(0), **options)


@pytest.mark.parametrize(("num_points", "dim"), [(20, 4), (160, 6), (400, 8)])
def test_seconds_end_the_search_whatever_is_under_way(num_points, dim):
    clock = MadeUpClock(0.05)
    found = search(num_points, dim, budget=3.0, clock=clock)
    assert found.max_cosine == pytest.approx(max_cosine(found.points), abs=1e-14)
    assert clock.now < 3.0 + 3.0  # looks after the end, while descents stop


def test_compiling_counts(monkeypatch):
    clock = MadeUpClock(0.0)

    def slow(progress):
        clock.now += 100.0
        progress("compiling", 0, 1)

    monkeypatch.setattr(descent_backend, "compile_descent", slow)
    start = uniform_points(30, 5, np.random.default_rng(1))
    told = []
    found = search(
        30,
        5,
        budget=2.0,
        clock=clock,
        start_points=[start],
        progress=lambda *words: told.append(words[0]),
    )
    assert told[0] == "compiling"
    assert found.iterations == 0
    assert np.array_equal(found.points, start)


def test_the_default_is_bounded_work_and_falls_to_none():
    for num_points in SIZES:
        for dim in (2, 3, 5, 8, 16, 48, 128, 512, 4096):
            assert (
                default_iterations(num_points, dim)
                * evaluation_products(num_points, dim)
                <= MAX_DEFAULT_PRODUCTS
            )
    assert default_iterations(1000, 64) >= 100
    assert default_iterations(10**6, 2) == default_iterations(20_000, 64) == 0


def test_more_points_or_dimensions_get_no_more_evaluations():
    for dim in (3, 16, 100):
        counts = [default_iterations(num_points, dim) for num_points in SIZES]
        assert all(later <= earlier for earlier, later in pairwise(counts))


@pytest.mark.parametrize(
    ("num_points", "dim", "iterations"),
    [(20, 4, 2000), (90, 6, 3000), (350, 8, 600), (350, 8, 100)],
)
def test_evaluations_are_what_was_asked_for(num_points, dim, iterations):
    assert (
        0.6 * iterations
        <= search(num_points, dim, iterations=iterations).iterations
        <= 1.1 * iterations + 20
    )


def test_a_thrifty_search_ends_where_nothing_is_to_be_found():
    code = ps.construct("e8_shell", num_classes=240, dim=8)
    options = {
        "iterations": 400,
        "start_points": [code.points],
        "floor": float(code.certificate.converse),
    }
    thrifty, patient = (
        search(240, 8, thrifty=thrifty, **options) for thrifty in (True, False)
    )
    assert thrifty.iterations < 250 < patient.iterations
    assert thrifty.max_cosine == pytest.approx(float(code.max_cosine), abs=1e-12)


@pytest.mark.parametrize("after", [1, 4])
def test_an_interrupted_search_hands_back_its_best(after):
    told = []

    def press(*words):
        told.append(words)
        if len(told) >= after:
            raise KeyboardInterrupt

    good = search(60, 5, iterations=2000).points
    found = search(60, 5, iterations=10**7, start_points=[good], progress=press)
    assert found.interrupted
    assert found.max_cosine <= max_cosine(good) + 1e-12
    assert found.iterations < 10**6


def pressed_while_optimizing(stage, done, total):
    if stage.startswith("optimizing"):
        raise KeyboardInterrupt


def test_best_says_that_it_was_interrupted(caplog):
    with caplog.at_level(logging.WARNING):
        code = ps.best(
            num_classes=330, dim=8, iterations=10**6, progress=pressed_while_optimizing
        )
    assert "interrupted" in code.explain()
    assert code.choice.interrupted
    assert len(caplog.records) == 1
    assert float(code.max_cosine) <= float(
        ps.best(num_classes=330, dim=8, iterations=0).max_cosine
    )


@pytest.mark.parametrize(("num_classes", "dim"), [(700, 64), (40, 5)])
def test_the_default_is_no_worse_than_what_is_known_and_repeatable(num_classes, dim):
    code, again = (ps.best(num_classes=num_classes, dim=dim) for _ in range(2))
    known = ps.best(num_classes=num_classes, dim=dim, iterations=0)
    assert float(code.max_cosine) <= float(known.max_cosine) + 1e-12
    assert np.array_equal(code.points, again.points)


def test_a_meter_limits_a_descent_and_another_thread_may_end_it():
    start = uniform_points(200, 6, np.random.default_rng(0))
    free, limited, stopped = new_meters(3)
    limited[ALLOWED], stopped[STOP] = 30.0, 1.0
    for meter in (free, limited, stopped):
        points = compiled_anneal(start, 20.0, 1e4, 5.0, 100, meter)
        np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, atol=1e-12)
    assert stopped[SPENT] < 2 < limited[SPENT] <= 32 < free[SPENT]


def test_a_budget_of_seconds_is_as_many_evaluations_as_were_made_in_them():
    budget = Budget(6e6, float("inf"), 10.0, clock=lambda: 0.0)
    assert budget.left(1.0, 2) == pytest.approx(20_000)
    budget.spent = 500.0
    budget.seconds_spent = 1.0
    assert budget.left(1.0, 2) == pytest.approx(5000)
