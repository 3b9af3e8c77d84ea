"""Shells and sections of E8, Barnes-Wall and Leech lattices.

Up to about 20,000 points all pairs are measured; of larger shells sampled rows against all points, and that all points
lie in one coset of a lattice whose least norm bounds every other cosine.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import protosphere as ps
from protosphere.coding.reed_muller import generator_rows
from protosphere.constructions.lattices.barnes_wall_shell import (
    barnes_wall_minimal_vectors,
    barnes_wall_shell,
)
from protosphere.constructions.lattices.construction_b import lattice_basis, vectors
from protosphere.constructions.lattices.coxeter_todd_shell import (
    coxeter_todd_shell,
    in_the_plane,
    shell_vectors_k12,
)
from protosphere.constructions.lattices.e8_shell import e8_shell
from protosphere.constructions.lattices.laminated import laminated
from protosphere.constructions.lattices.leech import leech_basis, leech_minimal_vectors
from protosphere.constructions.lattices.leech_shell import leech_shell
from protosphere.geometry.gram import max_cosine
from protosphere.geometry.lattice_coset import LatticeCoset, integer_basis
from protosphere.spherical.structures import Plain, lattice
from protosphere.types import ignore

FAMILIES = (e8_shell, coxeter_todd_shell, barnes_wall_shell, leech_shell, laminated)
MEMBERS = [member for family in FAMILIES for member in family(32)]
SMALL = [member for member in MEMBERS if member.size <= 20_000]
LARGE = [member for member in MEMBERS if 20_000 < member.size < 600_000]


def measured(placement):
    return placement.structure.largest_cosine(ignore)


def name(member):
    return f"{member.dim}-{member.size}"


@pytest.mark.slow
@pytest.mark.parametrize("member", SMALL, ids=name)
def test_all_pairs_of_a_small_shell(member):
    placement = member.place(member.size)
    assert placement.points.shape == (member.size, member.dim)
    assert max_cosine(placement.points) == pytest.approx(
        float(member.max_cosine), abs=1e-13
    )
    assert measured(placement)[0] == member.max_cosine
    assert placement.structure.lattice.holds(placement.points)
    assert placement.structure.lattice.ceiling == member.max_cosine


@pytest.mark.slow
@pytest.mark.parametrize("member", LARGE, ids=name)
def test_sampled_rows_of_a_large_shell_and_its_lattice(member):
    placement = member.place(member.size)
    points = placement.points
    assert points.shape == (member.size, member.dim)
    chosen = np.random.default_rng(0).choice(member.size, 40, replace=False)
    gram = points[chosen] @ points.T
    gram[np.arange(40), chosen] = -1
    assert np.max(gram) == pytest.approx(float(member.max_cosine), abs=1e-13)
    cosine, method = measured(placement)
    assert cosine == member.max_cosine
    assert method.startswith("a pair at the minimum distance")


@pytest.mark.slow
def test_the_sizes_of_the_largest_shells():
    single = [m for m in MEMBERS if "shells" not in m.description]
    largest = {m.dim: m for m in single if m.size > 2_000_000}
    for dim, size, cosine in (
        (8, 2_207_520, Fraction(39, 40)),
        (16, 2_211_840, Fraction(4, 5)),
    ):
        assert (largest[dim].size, largest[dim].max_cosine) == (size, cosine)
        assert len(largest[dim].place(size + 1).points) == size


def test_known_kissing_numbers_and_hole_shells():
    sizes = {(m.dim, m.max_cosine): m.size for m in MEMBERS}
    half = {
        8: 240,
        12: 756,
        16: 4320,
        17: 5346,
        18: 7398,
        19: 10668,
        20: 17400,
        21: 27720,
        22: 49896,
        23: 93150,
        24: 196560,
    }
    assert {
        dim: size for (dim, cosine), size in sizes.items() if cosine == Fraction(1, 2)
    } == half | {32: 146880}
    assert sizes[16, Fraction(1, 3)] == 512
    assert sizes[16, Fraction(5, 7)] == 193_536
    assert sizes[24, Fraction(3, 7)] == 22_356


@pytest.mark.parametrize(
    ("basis", "volume"),
    [
        (lattice_basis(generator_rows(0, 3)), 2**8),  # twice E8, which is unimodular
        (
            lattice_basis(generator_rows(1, 4)),
            2**12,
        ),  # sqrt(2) times Barnes-Wall, of determinant 2^8
        (leech_basis(), 8**12),  # sqrt(8) times Leech
        (
            integer_basis(barnes_wall_minimal_vectors(5)[::61]),
            2**32,
        ),  # twice Barnes-Wall 32, which is unimodular
    ],
    ids=["E8", "Barnes-Wall 16", "Leech", "Barnes-Wall 32"],
)
def test_volumes_of_the_lattices(basis, volume):
    assert np.array_equal(basis, np.triu(basis))
    assert np.prod(np.diag(basis).astype(object)) == volume


@pytest.mark.slow
def test_leech_vectors_are_symmetric_and_different():
    found = leech_minimal_vectors()
    assert len(np.unique(found, axis=0)) == 196_560
    assert np.array_equal(np.unique(found, axis=0), np.unique(-found, axis=0))
    assert set(np.unique(found[:30].astype(int) @ found.T.astype(int))) == {
        -32,
        -16,
        -8,
        0,
        8,
        16,
        32,
    }


def test_vectors_by_halves_agree_with_brute_force():
    grid = np.stack(
        np.meshgrid(*[np.arange(-5, 6)] * 3, indexing="ij"), axis=-1
    ).reshape(-1, 3)
    for parity, norm in ((0, 24), (1, 27), (1, 19), (0, 4), (0, 0)):
        by_force = grid[
            (np.sum(grid**2, axis=1) == norm) & np.all(grid % 2 == parity, axis=1)
        ]
        assert np.array_equal(
            np.unique(vectors(parity, 3, norm), axis=0), np.unique(by_force, axis=0)
        )


def test_a_part_of_a_shell_is_its_beginning():
    shell = next(m for m in barnes_wall_shell(16) if m.size == 18_432)
    assert np.array_equal(shell.place(700).points, shell.place(18_432).points[:700])


def test_the_whole_leech_shell_is_certified_optimal():
    code = ps.construct("leech_shell", num_classes=196_560, dim=24)
    assert code.max_cosine == Fraction(1, 2)
    assert code.certificate.optimal


@pytest.fixture
def shell(monkeypatch):
    """2,160 points of E8, certified by their lattice as larger shells are."""
    monkeypatch.setattr(lattice, "ALL_PAIRS_POINTS", 100)
    return next(m for m in e8_shell(8) if m.size == 2160).place(2160)


def test_a_lattice_and_all_pairs_agree(shell):
    assert measured(shell) == (Fraction(3, 4), "a pair at the minimum distance; the lattice allows no less ("
                               "Construction B has least norm 8)")  # fmt: skip
    plain = Plain(shell.points, shell.structure.cosine_step)
    assert plain.largest_cosine(ignore) == (
        Fraction(3, 4),
        "all pairs, in float64 on an exact grid",
    )
    assert measured(shell.padded(11, "padded"))[1].startswith("a pair")


def test_points_that_leave_their_lattice_are_measured_pair_by_pair(shell):
    moved = shell.points.copy()
    moved[7] = moved[8] + 1e-4 * (moved[9] - moved[8])
    moved[7] /= np.linalg.norm(moved[7])
    cosine, method = replace(
        shell.structure, points=moved, cosine_step=None
    ).largest_cosine(ignore)
    assert cosine > 0.9999
    assert method == "all pairs, in float64"


def test_a_point_that_comes_twice_is_not_a_coset(shell):
    doubled = shell.points.copy()
    doubled[3] = doubled[4]
    assert not shell.structure.lattice.holds(doubled)
    assert replace(shell.structure, points=doubled).largest_cosine(ignore)[0] == 1


def test_what_does_not_attain_the_ceiling_is_measured_pair_by_pair(shell):
    few = replace(shell.structure, points=shell.points[::16])
    generous = LatticeCoset(
        few.lattice.basis, few.lattice.least / 2, "a smaller number than the least norm"
    )
    plain = Plain(few.points, few.cosine_step)
    assert (
        replace(few, lattice=generous).largest_cosine(ignore)[0]
        == plain.largest_cosine(ignore)[0]
    )


def test_shells_of_the_coxeter_todd_lattice_have_the_sizes_of_its_theta_series():
    published = {
        2: 0,
        4: 756,
        6: 4_032,
        8: 20_412,
        10: 60_480,
        12: 139_860,
        14: 326_592,
    }
    assert {norm: len(shell_vectors_k12(norm)) for norm in published} == published
    points = in_the_plane(shell_vectors_k12(4))
    assert np.allclose((points**2).sum(axis=1), 6)
    assert set(np.rint(points @ points[0] / 1.5).astype(int)) == {
        -4,
        -2,
        -1,
        0,
        1,
        2,
        4,
    }


@pytest.mark.parametrize(
    ("K", "bar"), [(10_000, 0.75), (30_000, 0.8), (100_000, Fraction(5, 6))]
)
def test_many_points_in_twelve_dimensions(K, bar):
    assert ps.best(num_classes=K, dim=12, iterations=0).max_cosine <= bar


def test_two_shells_of_e8_together_are_as_far_apart_as_the_outer_one():
    paired = next(m for m in MEMBERS if m.id == "e8-32-34")
    placement = paired.place(60_000)
    cosine, _ = measured(placement)
    assert cosine == paired.max_cosine == Fraction(33, 34)
    chosen = np.random.default_rng(0).choice(60_000, 40, replace=False)
    gram = placement.points[chosen] @ placement.points.T
    gram[np.arange(40), chosen] = -1
    assert np.max(gram) <= float(cosine) + 1e-13
