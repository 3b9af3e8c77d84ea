"""Frames, isotropic points and chirps: every cosine of every point, against the theorem."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

import protosphere as ps
from protosphere.coding.primes import prime_power
from protosphere.constructions.frames.generalized_quadrangle import (
    generalized_quadrangle,
)
from protosphere.constructions.frames.paley_frame import (
    paley_frame,
    paley_points,
    trace_sequence,
)
from protosphere.constructions.frames.steiner_frame import steiner_frame
from protosphere.constructions.frames.two_graph_frame import (
    symplectic_signs,
    two_graph_frame,
    unitary_signs,
)
from protosphere.constructions.frames.weil_chirp import weil_chirp
from protosphere.geometry.gram import max_cosine


def measured(member):
    """The max cosine of all its points, which must be unit vectors of its dimension, no two alike."""
    points = member.place(member.size).points
    assert points.shape == (member.size, member.dim)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, rtol=0, atol=1e-14)
    return max_cosine(points)


def named(members):
    return {
        "argvalues": members,
        "ids": [f"{member.dim}-{member.size}" for member in members],
    }


@pytest.mark.parametrize("member", **named(list(paley_frame(130))))
def test_paley_frames_have_the_cosine_of_their_theorem(member):
    q = 2 * member.dim - 1
    assert member.size == 4 * member.dim
    assert float(member.max_cosine) == pytest.approx(1 / sqrt(q), abs=1e-15)
    assert measured(member) == pytest.approx(1 / sqrt(q), abs=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("q", [289, 625, 729, 1009, 2401])
def test_larger_paley_frames_are_equiangular_to_rounding(q):
    lines = paley_points(q)
    gram = lines @ lines.T
    np.fill_diagonal(gram, 1 / sqrt(q))
    np.testing.assert_allclose(np.abs(gram), 1 / sqrt(q), rtol=0, atol=1e-14)


@pytest.mark.slow
def test_the_largest_paley_frame_on_sampled_rows():
    lines = paley_points(8161)
    gram = lines[::97] @ lines.T
    gram[np.arange(len(gram)), np.arange(0, len(lines), 97)] = 1 / sqrt(8161)
    np.testing.assert_allclose(np.abs(gram), 1 / sqrt(8161), rtol=0, atol=1e-13)


def test_paley_frames_are_there_for_every_prime_power_that_is_one_modulo_four():
    orders = {2 * member.dim - 1 for member in paley_frame(4096)}
    assert orders == {q for q in range(5, 8192, 4) if prime_power(q)}
    assert next(m.max_cosine for m in paley_frame(41) if m.dim == 41) == Fraction(1, 9)


@pytest.mark.parametrize("q", [5, 13, 9, 25, 27, 81, 125])
def test_a_trace_sequence_has_full_period_and_balanced_values(q):
    p, _ = prime_power(q)
    counts = np.bincount(trace_sequence(q), minlength=p)
    assert counts.tolist() == [q // p - 1, *[q // p] * (p - 1)]


@pytest.mark.parametrize("member", **named(list(steiner_frame(800))))
def test_steiner_frames(member):
    v = round(sqrt(member.size / 2))
    assert (member.dim, member.max_cosine) == (v * (v - 1) // 2, Fraction(1, v - 1))
    assert measured(member) == pytest.approx(1 / (v - 1), abs=1e-13)


def test_steiner_frames_take_every_hadamard_order():
    assert [member.dim for member in steiner_frame(300)] == [6, 28, 66, 120, 190, 276]


@pytest.mark.parametrize("member", **named(list(two_graph_frame(200))))
def test_two_graph_frames(member):
    assert measured(member) == pytest.approx(float(member.max_cosine), abs=1e-13)


def test_two_graph_frames_are_the_known_equiangular_lines():
    known = {
        (7, 56): 3,
        (15, 72): 5,
        (21, 252): 5,
        (35, 240): 7,
        (43, 688): 7,
        (51, 272): 9,
        (73, 1460): 9,
    }
    assert {(m.dim, m.size): 1 / m.max_cosine for m in two_graph_frame(73)} == known


@pytest.mark.parametrize(
    "signs",
    [
        unitary_signs(5),
        unitary_signs(7),
        symplectic_signs(4, 1),
        symplectic_signs(4, -1),
    ],
)
def test_signs_are_a_regular_two_graph(signs):
    np.fill_diagonal(signs, 0)
    assert np.array_equal(signs, signs.T)
    assert len(np.unique(np.round(np.linalg.eigvalsh(signs), 8))) == 2


def whole_quadrangles():
    return [
        member
        for member in generalized_quadrangle(460)
        if "seen" not in member.description
    ]


@pytest.mark.parametrize(
    "member",
    **named([m for m in generalized_quadrangle(110) if "seen" in m.description]),
)
def test_sections_of_quadrangles_have_the_sizes_and_cosines_of_their_theorem(member):
    assert measured(member) == pytest.approx(float(member.max_cosine), abs=1e-12)
    assert len(member.place(member.size + 1).points) == member.size, "there are no more"
    code = ps.construct(
        "generalized_quadrangle", num_classes=member.size, dim=member.dim
    )
    assert code.max_cosine == member.max_cosine == code.certificate.guarantee


@pytest.mark.slow
@pytest.mark.parametrize("member", **named(whole_quadrangles()))
def test_isotropic_points_have_two_cosines_and_meet_levenshtein(member):
    q = next(q for q in range(2, 10) if q * (q * q - q + 1) == member.dim)
    points = member.place(member.size).points
    gram = points @ points.T
    np.fill_diagonal(gram, -1 / q)
    assert np.max(np.minimum(np.abs(gram + 1 / q), np.abs(gram - 1 / q**2))) < 1e-13
    assert float(ps.bounds.converse(member.size, member.dim)) == pytest.approx(
        1 / q**2, abs=1e-12
    )
    assert member.max_cosine == Fraction(1, q * q)


@pytest.mark.slow
@pytest.mark.parametrize("p", [3, 5, 7, 11, 31, 61])
def test_quadratic_chirps_with_the_basis_have_cosine_one_over_root_p(p):
    member = next(m for m in weil_chirp(2 * p) if m.dim == 2 * p)
    assert member.size == 4 * p * p + 4 * p
    assert measured(member) == pytest.approx(1 / sqrt(p), abs=1e-13)
    assert member.max_cosine == 1 / sqrt(p)


@pytest.mark.parametrize("p", [5, 7, 11, 13])
def test_cubic_chirps_keep_below_weils_bound(p):
    member = next(m for m in weil_chirp(2 * p) if m.dim == 2 * p and m.size == 4 * p**3)
    assert 1 / sqrt(p) < measured(member) < member.max_cosine == 2 / sqrt(p)


def test_the_first_chirps_are_a_cross_polytope():
    member = next(m for m in weil_chirp(14) if m.dim == 14)
    assert max_cosine(member.place(28).points) == pytest.approx(0, abs=1e-14)
    assert np.array_equal(member.place(5).points, member.place(28).points[:5])


def test_chirps_are_placed_without_placing_all():
    code = ps.construct("weil_chirp", num_classes=500, dim=2 * 2039)
    assert float(code.max_cosine) <= 1 / sqrt(2039)
