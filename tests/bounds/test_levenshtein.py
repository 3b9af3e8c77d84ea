"""Levenshtein's bound: sharp where it is known to be, against sixty digits, and for arguments beyond all use."""

from fractions import Fraction
from math import comb, cos, pi, sqrt

import mpmath
import pytest

from protosphere.bounds import levenshtein
from protosphere.bounds.levenshtein import LARGEST_ORDER, design_size, levenshtein_order

SHARP = {
    (3, 12): 1 / sqrt(5),
    (5, 16): 1 / 5,
    (6, 27): 1 / 4,
    (7, 56): 1 / 3,
    (8, 240): 1 / 2,
    (21, 112): 1 / 9,
    (21, 162): 1 / 7,
    (22, 100): 1 / 11,
    (22, 275): 1 / 6,
    (22, 891): 1 / 4,
    (23, 552): 1 / 5,
    (23, 4600): 1 / 3,
    (24, 196560): 1 / 2,
    (52, 325): 1 / 16,  # isotropic subspaces over GF(4), GF(5), GF(8)
    (105, 756): 1 / 25,
    (456, 4617): 1 / 64,
}


@pytest.mark.parametrize(("n", "K"), SHARP)
def test_sharp_codes(n, K):
    assert float(levenshtein(K, n)) == pytest.approx(SHARP[n, K], abs=1e-12)
    assert float(levenshtein(K, n)) <= SHARP[n, K]


@pytest.mark.parametrize(
    ("n", "K", "code", "bound"),
    [(16, 288, 1 / 4, 0.2416), (4, 120, cos(pi / 5), 0.80726)],
)
def test_not_sharp_at_kerdock_and_the_600_cell(n, K, code, bound):
    assert float(levenshtein(K, n)) == pytest.approx(bound, abs=5e-5)
    assert float(levenshtein(K, n)) < code - 1e-3


@pytest.mark.parametrize("K", [3, 5, 7, 10, 1000, 10**12])
def test_plane(K):
    assert float(levenshtein(K, 2)) == pytest.approx(cos(2 * pi / K), abs=2e-15)


def test_exact_orders():
    assert levenshtein(10, 16).value == Fraction(-1, 9)
    assert levenshtein(20, 16).value == Fraction(20 - 32, 16 * 18)
    assert levenshtein(32, 16).value == 0
    assert levenshtein(3, 1).value == 1


def test_line_and_huge_arguments():
    for n in (1, 2, 3, 9, 64, 10**6, 10**15, 10**20):
        for K in (2 * n + 1, 3 * n, 10**30, 10**400):
            assert -1 <= float(levenshtein(K, n)) <= 1
    assert float(levenshtein(10**400, 3)) == pytest.approx(1, abs=1e-5)


def test_past_the_largest_order_the_bound_stays():
    most = design_size(3, LARGEST_ORDER + 1)
    assert levenshtein(10 * most, 3) == levenshtein(most, 3)
    assert levenshtein(most - 1, 3).value < levenshtein(most, 3).value


@pytest.mark.parametrize("n", [3, 4, 8, 24, 100])
def test_order_is_where_tight_designs_say(n):
    assert [design_size(n, m) for m in (1, 2, 3)] == [2, n + 1, 2 * n]
    for K in (2 * n + 1, 5 * n, n**3 + 17):
        order = levenshtein_order(K, n)
        assert design_size(n, order) < K <= design_size(n, order + 1)


@pytest.mark.parametrize(
    ("K", "n"),
    [
        (7, 3),
        (1000, 3),
        (10**5, 4),
        (100, 16),
        (1000, 64),
        (10**5, 128),
        (10**30, 64),
        (3 * 10**6, 10**6),
        (10**40, 10**6),
    ],
)
def test_against_sixty_digits(K, n):
    with mpmath.workdps(60):
        root = mpmath.findroot(
            lambda s: excess(s, K, n), mpmath.mpf(float(levenshtein(K, n)))
        )
    assert -2e-15 <= float(levenshtein(K, n)) - float(root) <= 0


def excess(s, K, n):
    """L_m(n, s) / K - 1, with Gegenbauer polynomials as hypergeometric series."""
    order = levenshtein_order(K, n)
    k = (order + 1) // 2

    def p(degree):
        return mpmath.hyp2f1(
            -degree, degree + n - 2, mpmath.mpf(n - 1) / 2, (1 - s) / 2
        )

    if order % 2:
        size = comb(k + n - 3, k - 1) * (
            mpmath.mpf(2 * k + n - 3) / (n - 1) - (p(k - 1) - p(k)) / ((1 - s) * p(k))
        )
    else:
        ratio = (1 + s) * (p(k) - p(k + 1)) / ((1 - s) * (p(k) + p(k + 1)))
        size = comb(k + n - 2, k) * (mpmath.mpf(2 * k + n - 1) / (n - 1) - ratio)
    return size / K - 1
