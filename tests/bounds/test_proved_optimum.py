"""Theorems on single configurations: exact values, who proved them, and what they say of other sizes."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import acos, cos, pi, tan

import pytest
from hypothesis import given
from hypothesis import strategies as st

import protosphere as ps
from protosphere.bounds import PROVED_OPTIMA, converse, levenshtein, proved_optimum
from protosphere.bounds.proved_optimum import AlgebraicCosine, polynomial_value

ALGEBRAIC = [row for row in PROVED_OPTIMA if isinstance(row.cosine, AlgebraicCosine)]


def identity(row):
    return f"{row.num_classes} in {row.dim}"


@pytest.mark.parametrize("row", ALGEBRAIC, ids=identity)
def test_an_irrational_cosine_is_the_float_next_below_the_only_zero(row):
    cosine = row.cosine
    low, high = cosine.bracket
    signs = [polynomial_value(cosine.coefficients, x) > 0 for x in (low, high)]
    assert signs[0] != signs[1]
    assert Fraction(row.value) <= low
    assert low - Fraction(row.value) < Fraction(1, 2**52)
    grid = [
        cosine.low + (cosine.high - cosine.low) * Fraction(i, 64) for i in range(65)
    ]
    values = [polynomial_value(cosine.coefficients, x) > 0 for x in grid]
    assert sum(a != b for a, b in pairwise(values)) == 1


def test_seven_and_thirteen_points_have_the_angles_of_their_papers():
    seven = 1 / (tan(2 * pi / 9) * tan(4 * pi / 9))
    assert float(proved_optimum(7, 3)) == pytest.approx(seven, abs=1e-15)
    found = float(proved_optimum(13, 3))
    angle_cosine = found / (
        1 + found
    )  # of the angle a with d = arccos(cos a / (1 - cos a))
    a = acos(angle_cosine)
    left = 2 * tan(3 * pi / 8 - a / 4)
    right = (1 - 2 * cos(a)) / cos(a) ** 2
    assert left == pytest.approx(right, abs=1e-13)


@pytest.mark.parametrize("row", PROVED_OPTIMA, ids=identity)
def test_a_theorem_is_stronger_than_every_formula_at_its_configuration(row):
    bound = converse(row.num_classes, row.dim)
    assert bound.theorem == row.theorem
    assert bound.value == row.value
    assert float(levenshtein(row.num_classes, row.dim)) <= float(row.value)


@given(
    row=st.sampled_from(PROVED_OPTIMA),
    more=st.integers(0, 1000),
    fewer=st.integers(0, 1000),
)
def test_more_points_in_fewer_dimensions_are_bounded_too(row, more, fewer):
    dim = max(1, row.dim - fewer)
    assert proved_optimum(row.num_classes + more, dim).value >= row.value
    brute_force = max(
        other.value
        for other in PROVED_OPTIMA
        if other.num_classes <= row.num_classes + more and dim <= other.dim
    )
    assert proved_optimum(row.num_classes + more, dim).value == brute_force


SHARP = [
    (12, 3),
    (16, 5),
    (27, 6),
    (56, 7),
    (240, 8),
    (112, 21),
    (162, 21),
    (100, 22),
    (275, 22),
    (891, 22),
    (552, 23),
    (120, 4),
    (4600, 23),
    (196_560, 24),
    (325, 52),
    (756, 105),
]
"""Configurations that meet Levenshtein's bound, and the 600-cell, which meets that of Coxeter and Böröczky."""

SINGLE = [(row.num_classes, row.dim) for row in PROVED_OPTIMA]


@pytest.mark.parametrize(("num_classes", "dim"), [*SHARP, *SINGLE])
def test_best_reaches_every_proved_optimum_and_says_so(num_classes, dim):
    certificate = ps.best(num_classes=num_classes, dim=dim, iterations=0).certificate
    assert certificate.optimal
    assert certificate.converse == converse(num_classes, dim)
    assert certificate.gap < 1e-12
