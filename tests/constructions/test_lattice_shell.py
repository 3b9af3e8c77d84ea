"""Laminated and Coxeter-Todd lattices around points and holes: published counts, and all pairs of small shells."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import protosphere as ps
from protosphere.constructions.best.candidates import best_member
from protosphere.constructions.lattices.gram_matrices import CHAINS, gram_matrix
from protosphere.constructions.lattices.lattice_shell import (
    Shells,
    lattice_shell,
    shells_named,
)
from protosphere.errors import InvalidArgumentError
from protosphere.geometry.close_vectors import cholesky_factor, close_vectors
from protosphere.geometry.gram import max_cosine
from protosphere.geometry.lattice_coset import LatticeCoset
from protosphere.spherical.structures import lattice
from protosphere.types import ignore

MEMBERS = list(lattice_shell(24))
DIMS = sorted({member.dim for member in MEMBERS})
EVERY_DIM = pytest.mark.parametrize("dim", DIMS)

DETERMINANTS = {
    "laminated": (4, 12, 32, 64, 128, 192, 256, 256, 512, 768, 1024, 1024, 1024, 768, 512, 256, 256, 192, 128, 64, 32,
                  12, 4, 1),
    "coxeter_todd": (972, 729, 972),
}  # fmt: skip
"""SPLAG, table 6.3: of least norm 4."""

KISSING = {
    "laminated": (2, 6, 12, 24, 40, 72, 126, 240, 272, 336, 438, 648, 906, 1422, 2340, 4320, 5346, 7398, 10668, 17400,
                  27720, 49896, 93150, 196560),
    "coxeter_todd": (432, 756, 918),
}  # fmt: skip

THETA = {
    ("laminated", 8): {4: 240, 8: 2160, 12: 6720, 16: 17520},
    ("laminated", 16): {4: 4320, 6: 61440},
    ("coxeter_todd", 12): {4: 756, 6: 4032, 8: 20412, 10: 60480},
}


def around_origin(chain, dim, norm):
    return Shells(chain, dim, Fraction(1), Fraction(norm), (0,) * dim, 1).sizes()


@pytest.mark.parametrize("chain", CHAINS)
def test_determinants_and_kissing_numbers_are_the_published_ones(chain):
    for dim, determinant, kissing in zip(
        CHAINS[chain][1], DETERMINANTS[chain], KISSING[chain], strict=True
    ):
        gram = gram_matrix(chain, dim)
        assert round(np.linalg.det(gram)) == determinant
        assert np.all(np.diag(gram) % 2 == 0), "an even lattice"
        assert around_origin(chain, dim, 4) == {4: kissing}


@pytest.mark.parametrize(("chain", "dim"), THETA)
def test_shells_around_the_origin_have_the_sizes_of_the_theta_series(chain, dim):
    assert around_origin(chain, dim, max(THETA[chain, dim])) == THETA[chain, dim]


@pytest.mark.slow
@EVERY_DIM
def test_all_pairs_and_the_number_of_small_ones(dim):
    small = [member for member in MEMBERS if member.dim == dim and member.size <= 2500]
    for member in small:
        assert sum(shells_named(dim, member.id).sizes().values()) == member.size
        points = member.structure(member.size)
        assert max_cosine(points.points) == pytest.approx(
            float(member.max_cosine), abs=1e-13
        )
        assert points.largest_cosine(ignore)[0] == member.max_cosine
        assert points.in_coset


@pytest.mark.slow
@EVERY_DIM
def test_a_larger_one_has_as_many_points_and_is_certified_by_its_lattice(dim):
    member = min(
        (m for m in MEMBERS if m.dim == dim and m.size > 25_000), key=lambda m: m.size
    )
    points = member.structure(member.size)
    cosine, method = points.largest_cosine(ignore)
    assert cosine == member.max_cosine
    assert method.startswith("a pair at the minimum distance")
    np.testing.assert_allclose(np.linalg.norm(points.points, axis=1), 1, atol=2e-15)
    some = np.random.default_rng(dim).choice(member.size, 20, replace=False)
    gram = points.points[some] @ points.points.T
    gram[np.arange(20), some] = -1
    assert gram.max() == pytest.approx(float(member.max_cosine), abs=1e-13)
    with pytest.raises(InvalidArgumentError, match=f"at most {member.size} "):
        member.structure(member.size + 1)


def test_no_listed_one_is_beaten_by_another_and_names_differ():
    for one in MEMBERS:
        better = [
            m
            for m in MEMBERS
            if m.dim <= one.dim
            and m.size >= one.size
            and m.max_cosine <= one.max_cosine
        ]
        assert better == [one]
    assert len({member.id for member in MEMBERS}) == len(MEMBERS)


BARS = {
    (10, 10_000): "15/19",
    (20, 30_000): "5/9",
    (20, 100_000): "3/5",
    (12, 10_000): "5/7",
    (9, 10**6): "17/18",
}


@pytest.mark.parametrize(("dim", "size"), BARS)
def test_many_points_in_few_dimensions(dim, size):
    found = best_member(size, dim)
    assert found is not None
    assert found.max_cosine <= Fraction(BARS[dim, size])


def test_part_of_shells_is_their_beginning():
    member = next(m for m in MEMBERS if m.dim == 14 and m.size > 2000)
    whole = member.structure(member.size)
    assert np.array_equal(member.structure(700).points, whole.points[:700])


@given(least=st.floats(0.01, 3.9), shares=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_in_the_annulus_no_cosine_exceeds_the_ceiling(least, shares):
    floor = max(1 - least, 1e-3)
    a, b = (floor + share * (1 - floor) for share in shares)
    coset = LatticeCoset(np.eye(1), Fraction(least), "given")
    assert coset.in_annulus(np.array([[a], [b]]))
    assert (a * a + b * b - least) / (2 * a * b) <= float(coset.ceiling) + 1e-12
    below = 1 - least - 1e-6
    assert below <= 0 or not coset.in_annulus(np.array([[below], [1.0]]))


def test_points_of_lengths_that_do_not_fit_are_measured_pair_by_pair(monkeypatch):
    monkeypatch.setattr(lattice, "ALL_PAIRS_POINTS", 100)
    member = next(m for m in MEMBERS if m.dim == 10 and ".." in m.id and m.size > 300)
    shells = member.structure(member.size)
    assert shells.by_lattice
    lengths = shells.lengths.copy()
    lengths[5] *= 1.01
    other = type(shells)(shells.points, lattice=shells.lattice, lengths=lengths)
    assert not other.by_lattice
    assert other.largest_cosine(ignore)[1] == "all pairs, in float64"
    assert shells.padded(12).by_lattice
    assert shells.permuted(np.arange(200)[::-1]).by_lattice


@pytest.mark.slow
@given(
    st.lists(st.integers(-2, 2), min_size=6, max_size=6),
    st.lists(st.integers(0, 3), min_size=3, max_size=3),
)
def test_close_vectors_agree_with_brute_force(entries, quarters):
    basis = np.zeros((3, 3))
    basis[np.tril_indices(3)] = entries
    basis += 3 * np.eye(3)
    center = np.array(quarters) / 4
    gram = np.rint(basis @ basis.T).astype(np.int64)
    blocks = [block for block, _ in close_vectors(cholesky_factor(gram), center, 9.0)]
    found = np.concatenate([np.zeros((0, 3)), *blocks])  # there may be none
    grid = np.array(list(product(range(-30, 31), repeat=3))) - center
    by_force = grid[np.einsum("ij,jk,ik->i", grid, gram, grid) <= 9 + 1e-9]
    assert np.array_equal(np.unique(found, axis=0), np.unique(by_force, axis=0))
    assert np.array_equal(np.lexsort(found.T), np.arange(len(found))), (
        "in the order of the coefficients"
    )


@pytest.mark.parametrize(
    "name",
    ["laminated-20", "laminated-4:4:0,0,0/1", "laminated-4:2..99:0,0,0,0/1",
     "laminated-4:1..16:0,0,0,0/1", "laminated-4:4/0:0,0,0,0/1",
     "laminated-4:4:0,0,0,0/0", "e9-4:4:0,0,0,0/1",
     "laminated-4:4:0,7,0,0/2"],
)  # fmt: skip
def test_names_that_describe_no_shells_are_refused(name):
    with pytest.raises(InvalidArgumentError, match="must "):
        shells_named(4, name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("laminated-4:4:9,0,0,0/1", "'member' must have a center"),
        ("laminated-4:4:2,0,0,0/2", "'member' must have a center"),
        ("laminated-4:4:0,0,0,0/0", "'member' must have a center"),
        ("laminated-4:99:0,0,0,0/1", "'member' must have distances"),
        ("laminated-4:1..16:0,0,0,0/1", "'member' must have distances"),
    ],
)
def test_refused_shells_name_the_wrong_part_of_the_id(name, reason):
    with pytest.raises(InvalidArgumentError, match=reason):
        shells_named(4, name)


def test_a_code_of_several_shells_comes_back_from_its_file(tmp_path):
    code = ps.construct("lattice_shell", num_classes=300, dim=10)
    assert code.placement.structure.lengths is not None
    code.save(tmp_path / "code.safetensors")
    again = ps.load(tmp_path / "code.safetensors")
    assert again.max_cosine == code.max_cosine
    assert np.array_equal(
        again.placement.structure.lengths, code.placement.structure.lengths
    )
