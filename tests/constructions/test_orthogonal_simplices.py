"""Orthogonal simplices: exact, even, and all of R^n."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import torch

import protosphere as ps
from protosphere.nn import PrototypeHead
from protosphere.nn.growth import first_classes
from protosphere.spherical.cosines import cosine_spectrum
from protosphere.spherical.io import container as storage


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
    assert cosine_spectrum(code) == {
        Fraction(-1): 8,
        Fraction(-1, 2): 84,
        Fraction(0): 4858,
    }


def test_twice_the_dimension_is_the_cross_polytope():
    code = ps.construct("orthogonal_simplices", num_classes=24, dim=12)
    assert cosine_spectrum(code) == cosine_spectrum(
        ps.construct("cross_polytope", num_classes=24, dim=12)
    )


@pytest.mark.slow
def test_a_million_classes_need_no_pairs_and_no_matrix():
    code = ps.construct(
        "orthogonal_simplices", num_classes=10**6, dim=600_000, mapping="random"
    )
    assert code.max_cosine == 0
    assert code.certificate.optimal
    assert (
        sum(array.nbytes for array in code.placement.structure.arrays().values())
        < 20_000_000
    )
    assert cosine_spectrum(code)[Fraction(-1)] == 200_000, "the rest are triangles"
    np.testing.assert_allclose(np.linalg.norm(code.rows(7, 9), axis=1), 1)


def test_rows_are_those_of_each_simplex():
    code = ps.construct("orthogonal_simplices", num_classes=11, dim=8)
    gram = np.eye(11)
    for first, last in ((0, 4), (4, 8), (8, 11)):
        gram[first:last, first:last] = -1 / (last - first - 1)
    np.fill_diagonal(gram, 1)
    np.testing.assert_allclose(code.points @ code.points.T, gram, atol=1e-15)
    assert np.array_equal(code[3:9:2], code.points[3:9:2])


def test_the_first_classes_are_certified_for_themselves():
    code = ps.construct("orthogonal_simplices", num_classes=100, dim=80)
    assert first_classes(code, 5).max_cosine == Fraction(-1, 4), "one simplex of five"
    assert first_classes(code, 3).max_cosine == Fraction(-1, 4), "three of its points"
    assert first_classes(code, 77).max_cosine == 0
    assert np.array_equal(first_classes(code, 77).points, code.points[:77])


def test_a_reserve_keeps_whole_simplices_together_and_grows():
    head = PrototypeHead(10, dim=16, reserve=24, scheme="orthogonal_simplices")
    before = head.prototypes().clone()
    assert torch.equal(head.grow(20).prototypes()[:10], before)
    z = torch.randn(3, 16)
    torch.testing.assert_close(head(z), head.embed(z) @ head.prototypes().T)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"numbers": [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 10]}, "no number twice"),
        ({"numbers": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11]}, "from 0 to 10"),
        ({"sizes": [5, 4, 3]}, "fit into 8 dimensions"),
        ({"sizes": [9, 1, 1]}, "fit into 8 dimensions"),
        ({"sizes": [-5, 13, 3]}, "fit into 8 dimensions"),
        ({"sizes": []}, "fit into 8 dimensions"),
    ],
)
def test_a_file_that_is_no_such_code_is_refused(change, says, tmp_path):
    code = ps.construct("orthogonal_simplices", num_classes=11, dim=8)
    code.save(tmp_path / "code.safetensors")
    arrays, description = storage.read(tmp_path / "code.safetensors")
    arrays |= {name: np.array(value, dtype=np.int64) for name, value in change.items()}
    storage.write(tmp_path / "bad.safetensors", arrays, description)
    with pytest.raises(ps.StorageError, match=says):
        ps.load(tmp_path / "bad.safetensors")


@pytest.mark.parametrize(
    ("K", "n", "works"),
    [
        (3, 2, "simplex"),
        (2, 1, "simplex"),
        (10, 4, "nearest: 5"),
        (11, 5, "nearest: 6"),
        (10, 9, "nearest: 8"),
    ],
)
def test_the_infeasible_reason_says_what_would_work(K, n, works):
    with pytest.raises(ps.InfeasibleError, match=works):
        ps.construct("orthogonal_simplices", num_classes=K, dim=n)
