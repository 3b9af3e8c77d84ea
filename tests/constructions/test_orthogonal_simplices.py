"""Orthogonal simplices: exact, even, and all of R^n."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import protosphere as ps
from protosphere.code.cosines import cosine_spectrum


def sizes_in(code):
    """The sizes of the sets of points that are not orthogonal to each other, from the points alone."""
    joined = np.abs(code.points @ code.points.T) > 1e-9
    return sorted(Counter(joined.argmax(axis=1).tolist()).values())


def requests(count, seed, largest=160):
    rng = np.random.default_rng(seed)
    dims = rng.integers(2, largest, count)
    return [(int(rng.integers(n + 2, 2 * n + 1)), int(n)) for n in dims]


def test_any_size_is_exactly_0_with_sizes_that_differ_by_at_most_one():
    for K, n in requests(60, seed=1):
        code = ps.construct("orthogonal_simplices", num_classes=K, dim=n)
        assert code.max_cosine == 0
        assert isinstance(code.max_cosine, Fraction)
        assert code.certificate.optimal
        sizes = sizes_in(code)
        assert len(sizes) == K - n
        assert sizes[-1] - sizes[0] <= 1
        assert np.linalg.matrix_rank(code.points) == n, "no dimension is wasted"


def test_the_spectrum_is_that_of_simplices():
    code = ps.construct("orthogonal_simplices", num_classes=100, dim=64)
    assert cosine_spectrum(code) == {Fraction(-1): 8, Fraction(-1, 2): 84, Fraction(0): 4858}


def test_twice_the_dimension_is_the_cross_polytope():
    code = ps.construct("orthogonal_simplices", num_classes=24, dim=12)
    assert cosine_spectrum(code) == cosine_spectrum(ps.construct("cross_polytope", num_classes=24, dim=12))


@pytest.mark.parametrize(
    ("K", "n", "works"),
    [(3, 2, "simplex"), (2, 1, "simplex"), (10, 4, "nearest: 5"), (11, 5, "nearest: 6"), (10, 9, "nearest: 8")],
)
def test_the_obstacle_says_what_would_work(K, n, works):
    with pytest.raises(ps.InfeasibleError, match=works):
        ps.construct("orthogonal_simplices", num_classes=K, dim=n)
