"""The simplex bound: exact on the regular polytopes with simplex faces, closed forms, and its range."""

from itertools import pairwise
from math import asin, cos, factorial, pi, sqrt

import numpy as np
import pytest

from protosphere.bounds import coxeter_boroczky, levenshtein
from protosphere.bounds.coxeter_boroczky import schlaefli, simplex_bound
from protosphere.errors import InfeasibleError


@pytest.mark.parametrize(
    ("n", "K", "cosine"), [(3, 12, 1 / sqrt(5)), (4, 120, cos(pi / 5))]
)
def test_exact_at_icosahedron_and_600_cell(n, K, cosine):
    assert float(coxeter_boroczky(K, n)) == pytest.approx(cosine, abs=1e-13)
    assert float(coxeter_boroczky(K, n)) <= cosine


@pytest.mark.parametrize("K", [7, 13, 24, 100, 10**4])
def test_space_is_fejes_toth(K):
    """In R^3 the bound is in closed form: cosine (cot(w)^2 - 1) / 2 with w = pi K / (6 (K - 2))."""
    w = pi * K / (6 * (K - 2))
    assert float(coxeter_boroczky(K, 3)) == pytest.approx(
        (1 / np.tan(w) ** 2 - 1) / 2, abs=1e-12
    )


@pytest.mark.parametrize("n", range(3, 9))
def test_right_angles_hold_twice_the_dimension(n):
    assert simplex_bound(n, 1.0) == pytest.approx(2 * n, rel=1e-13)


@pytest.mark.parametrize("order", range(1, 9))
def test_schlaefli_of_the_orthant(order):
    """A simplex with right dihedral angles is one of 2^order equal parts of the sphere."""
    width = 1 / (order - 1) if order > 1 else 1.0
    assert schlaefli(order, np.array([width]))[0] == pytest.approx(
        1 / factorial(order), rel=1e-13
    )


def test_schlaefli_of_order_three():
    cosines = np.linspace(-0.4, 0.49, 7)
    assert np.allclose(
        schlaefli(3, 0.5 - cosines), (pi / 6 - np.arcsin(cosines)) / pi, atol=1e-14
    )
    assert asin(0.5) == pytest.approx(pi / 6)


def test_best_for_many_points_in_few_dimensions():
    assert float(coxeter_boroczky(1000, 4)) == pytest.approx(0.9527, abs=5e-5)
    assert float(coxeter_boroczky(1000, 4)) > float(levenshtein(1000, 4))
    assert float(coxeter_boroczky(10**5, 8)) == pytest.approx(0.9065, abs=5e-5)


@pytest.mark.parametrize("n", range(3, 9))
def test_increasing_up_to_any_number_of_points(n):
    values = [
        float(coxeter_boroczky(K, n))
        for K in (2 * n + 1, 3 * n, 100, 10**4, 10**9, 10**40, 10**400)
    ]
    assert all(low <= high < 1 for low, high in pairwise(values))


def test_out_of_range_says_what_is_in_range():
    with pytest.raises(InfeasibleError, match="'dim' from 3 to 8, got 9"):
        coxeter_boroczky(1000, 9)
    with pytest.raises(InfeasibleError, match="smallest: 17"):
        coxeter_boroczky(16, 8)
