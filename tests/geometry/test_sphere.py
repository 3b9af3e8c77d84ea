"""Unit vectors are unit vectors, and what is not one is named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from protosphere.errors import InvalidArgumentError
from protosphere.geometry.sphere import normalized, require_unit_rows

ENTRIES = st.floats(-1e300, 1e300).filter(lambda x: x == 0 or abs(x) > 1e-300)


@given(arrays(np.float64, (3, 4), elements=ENTRIES))
def test_normalized_rows_have_norm_one_whatever_their_size(points):
    points[~points.any(axis=1)] = 1
    assert np.abs(np.linalg.norm(normalized(points), axis=1) - 1).max() < 4e-16


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([[1.0, 0.0], [2.0, 0.0]], "got norm 2 in row 1"),
        ([[1.0, 0.0], [np.nan, 0.0]], "got NaN or infinity in row 1"),
        ([[1.0, 0.0]], "got 1 x 2"),
        ([1.0, 0.0], "got 2"),
        (np.ones((2, 0)), "got 2 x 0"),
    ],
)
def test_what_is_not_a_matrix_of_unit_rows_is_refused(points, words):
    with pytest.raises(InvalidArgumentError, match=words):
        require_unit_rows(np.array(points))
