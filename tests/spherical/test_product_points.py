"""Classes made of parts: what the theorem says is what all pairs give."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protosphere.errors import InvalidArgumentError
from protosphere.geometry.simplex import simplex_points
from protosphere.spherical.certificate import certified
from protosphere.spherical.placement import Placement
from protosphere.spherical.structures import Plain, SignWords
from protosphere.spherical.structures.product import ProductPoints, normalized_shares
from protosphere.spherical.structures.structure import Content
from protosphere.types import ignore

SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=4).filter(
    lambda sizes: max(sizes) > 1
)


def product_of_simplices(sizes, weights):
    parts = []
    for size in sizes:
        points = simplex_points(max(size, 2))
        parts.append(Plain(points, Fraction(max(size, 2), max(size, 2) - 1)))
    total = sum(weights)
    shares = tuple(Fraction(weight, total) for weight in weights)
    dim = sum(part.dim for part in parts)
    return ProductPoints(tuple(parts), tuple(sizes), shares, None, dim)


@settings(deadline=None, max_examples=60)
@given(sizes=SIZES, data=st.data())
def test_the_theorem_agrees_with_all_pairs(sizes, data):
    weights = data.draw(
        st.lists(st.integers(1, 9), min_size=len(sizes), max_size=len(sizes))
    )
    product = product_of_simplices(sizes, weights)
    rows = product.unit_rows(0, product.count)
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, -2)
    largest, _ = product.largest_cosine(ignore)
    assert isinstance(largest, Fraction)
    assert float(largest) == pytest.approx(cosines.max(), abs=1e-12)


def test_zeros_that_are_appended_take_no_memory_to_certify():
    product = product_of_simplices([3, 4], [1, 1])
    some = product.permuted(np.array([0, 5, 7, 11]))
    assert some.padded(1 << 24).largest_cosine(ignore) == some.largest_cosine(ignore)


def test_a_file_with_more_dimensions_than_memory_is_refused():
    product = product_of_simplices([3, 4], [1, 1])
    content = Content(
        product.arrays(), product.header(), product.count, dim=1 << 31, complete=True
    )
    with pytest.raises(InvalidArgumentError, match="'dim' should be at most 2\\^24"):
        ProductPoints.read(content)


@pytest.mark.parametrize("excess", [1.3e-14, -1.3e-14, 5e-13])
def test_interval_holds_the_cosine_of_shares_whose_sum_is_rounded(excess):
    ends = SignWords(1, np.array([[0], [128]], dtype=np.uint8))
    shares = normalized_shares([0.5 + excess, 0.5])
    structure = ProductPoints((ends, ends), (2, 2), shares, None, 2)
    low, high = certified(Placement("points", structure), None).interval
    first, second = map(Fraction, shares)
    assert low <= abs(first - second) / (first + second) <= high
