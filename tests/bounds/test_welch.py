"""Welch's bound on antipodal codes: met by Kerdock codes and equiangular lines, and no bound on other codes."""

from fractions import Fraction
from math import sqrt

import pytest

from protosphere.bounds import rankin, welch_antipodal


@pytest.mark.parametrize("t", [1, 2, 3, 4])
def test_kerdock_and_basis(t):
    n = 4**t
    assert welch_antipodal(num_lines=(n * n + 2 * n) // 2, dim=n).value == Fraction(
        1, 2**t
    )


@pytest.mark.parametrize(
    ("N", "n", "cosine"),
    [(6, 3, 1 / sqrt(5)), (28, 7, 1 / 3), (276, 23, 1 / 5), (120, 8, 1 / 2)],
)
def test_known_lines(N, n, cosine):
    assert float(welch_antipodal(N, n)) == pytest.approx(cosine, abs=1e-15)


def test_orthogonal_lines_and_one_dimension():
    assert welch_antipodal(8, 8).value == 0
    assert welch_antipodal(9, 1).value == 1


def test_the_simplex_is_below_it():
    assert rankin(8, 7).value < 0 < float(welch_antipodal(8, 7))
