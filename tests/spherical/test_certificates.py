"""Certificates of our codes and of anybody's points; and that they cannot be had for what is not true."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import protosphere as ps
from protosphere.constructions.build import rebuild
from protosphere.errors import InvalidArgumentError
from protosphere.geometry import gram
from protosphere.spherical.certificate import Measurement, certificate_of
from protosphere.spherical.structures.plain import on_grid
from protosphere.types import ignore


@given(st.integers(2, 12), st.integers(2, 9), st.integers(0, 10**6))
@settings(deadline=None)
def test_anybodys_sign_matrix_is_certified_exactly(num_points, dim, seed):
    signs = np.random.default_rng(seed).choice([-1, 1], (num_points, dim))
    products = (signs @ signs.T)[np.triu_indices(num_points, 1)]
    found = ps.certify((signs / np.sqrt(dim)).astype(np.float32))
    assert found.max_cosine == Fraction(int(products.max()), dim)
    assert found.exact


def test_ternary_rows_are_certified_exactly_too():
    points = np.array([[1, 1, 0], [1, -1, 0], [0, 1, 1], [-1, 0, -1]]) / np.sqrt(2)
    assert ps.certify(points).max_cosine == Fraction(1, 2)


def test_other_points_are_measured_in_floats():
    points = ps.construct("uniform", num_classes=20, dim=5).points
    found = ps.certify(points)
    assert isinstance(found.max_cosine, float)
    assert found.max_cosine == pytest.approx(
        (points @ points.T)[np.triu_indices(20, 1)].max(), abs=1e-14
    )
    assert found.guarantee is None


def test_tensors_lists_and_files_are_accepted(tmp_path):
    code = ps.construct("bch", num_classes=20, dim=15)
    np.save(tmp_path / "p.npy", code.points.astype(np.float32))
    np.savetxt(tmp_path / "p.csv", code.points, delimiter=",")
    code.save(tmp_path / "p.safetensors")
    values = {
        ps.certify(source).max_cosine
        for source in (
            code,
            code.points.tolist(),
            torch.tensor(code.points, dtype=torch.float32, requires_grad=True),
            tmp_path / "p.npy",
            str(tmp_path / "p.csv"),
            tmp_path / "p.safetensors",
        )
    }
    assert values == {code.max_cosine}


def test_rows_of_any_length_are_accepted_when_asked_to_normalize():
    points = np.array([[3.0, 0.0], [-2.0, 0.0]])
    with pytest.raises(
        ps.InvalidArgumentError,
        match="got norm 3 in row 0; divide each row by its norm",
    ):
        ps.certify(points)
    assert ps.certify(points, normalize=True).max_cosine == -1
    with pytest.raises(ps.InvalidArgumentError, match="got zeros in row 1"):
        ps.certify([[1.0, 0.0], [0.0, 0.0]], normalize=True)


@pytest.mark.parametrize(
    "points", ["words", [["a", "b"]], [[1, 2], [3]], None, [[1j, 0], [0, 1]], 7]
)
def test_what_is_no_matrix_is_one_sentence(points, tmp_path):
    if points == "words":
        points = str(tmp_path / "words.docx")
    with pytest.raises(ps.ProtosphereError) as refusal:
        ps.certify(points)
    assert "\n" not in str(refusal.value)


def test_optimal_is_said_where_it_is_proved_and_nowhere_else():
    assert ps.construct("simplex", num_classes=10, dim=9).certificate.optimal
    assert ps.construct("cross_polytope", num_classes=18, dim=9).certificate.optimal
    assert not ps.construct("cross_polytope", num_classes=9, dim=9).certificate.optimal
    near = ps.construct("log_sum_exp", num_classes=10, dim=16).certificate
    assert near.gap < 1e-4
    assert not near.optimal


def polygon(angles):
    return np.column_stack([np.cos(angles), np.sin(angles)])


def test_optimal_is_weighed_against_the_distance_at_stake():
    for max_cosine in (1.0, float(ps.bounds.converse(num_classes=5_000_000, dim=2))):
        measured = Measurement(5_000_000, 2, max_cosine, "by hand")
        assert not certificate_of(measured, None, proved=False).optimal
    angles = 2 * np.pi * np.arange(10_000) / 10_000
    assert ps.certify(polygon(angles)).optimal
    angles[1] *= 1 - 1e-5
    nearly = ps.certify(polygon(angles))
    assert nearly.gap < 1e-11
    assert not nearly.optimal


def test_optimal_is_one_rule_for_points_for_their_type_and_for_their_file(tmp_path):
    exact = ps.construct("simplex", num_classes=9, dim=8).points
    for number, points in enumerate(
        (exact, exact.astype(np.float32), exact.astype(np.float32).astype(np.float64))
    ):
        code = ps.from_points(points)
        path = tmp_path / f"{number}.safetensors"
        code.save(path)
        assert (
            ps.load(path).certificate.optimal
            == code.certificate.optimal
            == (number == 0)
        )


@pytest.mark.parametrize(
    ("measured", "guarantee", "sentence"),
    [
        (Fraction(1, 3), Fraction(1, 4), "above the guarantee 1/4"),
        (0.3, 0.2, "above the guarantee 0.2"),
        (0.3, 0.3 - 1e-12, "above the guarantee"),
        (Fraction(1, 3), 1 / 3 - 1e-12, "above the guarantee"),
        (Fraction(-1, 2), None, "below the converse -1/9"),
        (-0.2, None, "below the converse -1/9"),
    ],
)
def test_theory_and_numbers_must_agree(measured, guarantee, sentence):
    found = Measurement(10, 20, measured, "by hand")
    with pytest.raises(ps.CertificateError, match=sentence):
        certificate_of(found, guarantee, proved=False)


def test_a_cosine_off_its_grid_is_refused():
    assert on_grid(0.2 + 1e-16, Fraction(2, 5), 1e-14) == Fraction(1, 5)
    with pytest.raises(ps.CertificateError, match="not of the form"):
        on_grid(0.21, Fraction(2, 5), 1e-14)


def test_repeated_points_are_measured_as_such():
    assert ps.certify([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).max_cosine == 1


def test_small_angles_survive():
    for angle in (1e-3, 1e-5, 1e-7):
        code = ps.from_points([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
        assert code.min_angle_degrees == pytest.approx(np.degrees(angle), rel=0.06)


@pytest.mark.parametrize(
    ("scheme", "num_classes", "dim"), [("simplex", 5, 4), ("reed_muller", 20, 16)]
)
def test_a_code_cannot_be_changed_once_certified(scheme, num_classes, dim):
    code = ps.construct(scheme, num_classes=num_classes, dim=dim)
    before = code.points
    code.points[0] = 7  # a copy
    held = code.placement.points if code.signs is None else code.signs
    with pytest.raises(ValueError, match="read-only"):
        held[0] = 0
    assert np.array_equal(code.points, before)


def test_rows_are_had_by_number_and_by_slice():
    code = ps.construct("bch", num_classes=20, dim=15)
    points = code.points
    assert np.array_equal(code[-1], points[-1])
    for index in (
        slice(None),
        slice(3, 9),
        slice(None, None, 4),
        slice(9, 2, -3),
        slice(5, 5),
    ):
        assert np.array_equal(code[index], points[index])
    assert np.array_equal(np.stack(list(code)), points)
    assert np.asarray(code, dtype=np.float32).dtype == np.float32
    with pytest.raises(IndexError):
        code[20]


@pytest.mark.parametrize(
    ("scheme", "num_classes", "dim"),
    [
        ("uniform", 30, 5),
        ("simplex", 12, 11),
        ("root_system", 50, 6),
        ("e8_shell", 100, 8),
        ("lattice_shell", 60, 10),
        ("signed_quadruples", 40, 11),
    ],
)
def test_certifying_a_file_measures_every_pair_once(
    scheme, num_classes, dim, tmp_path, monkeypatch
):
    code = ps.construct(scheme, num_classes=num_classes, dim=dim)
    code.save(tmp_path / "code.safetensors")
    measured = []

    def counted(rows, progress=ignore):
        for block in gram_blocks(rows, progress):
            measured.append(block)
            yield block

    gram_blocks = gram.gram_blocks
    monkeypatch.setattr(gram, "gram_blocks", counted)
    found = ps.certify(tmp_path / "code.safetensors")
    assert found.max_cosine == code.max_cosine
    assert len(measured) == 1


def test_each_structure_has_a_reason_of_its_own_for_an_exact_value():
    codes = [
        ps.construct("bch", num_classes=10, dim=15),
        ps.construct("orthogonal_simplices", num_classes=10, dim=8),
        ps.compose(sizes=(3, 4)),
    ]
    reasons = {code.certificate.reason for code in codes if code.certificate.exact}
    assert len(reasons - {""}) == 3


def test_an_index_without_a_prototype_is_named():
    code = ps.construct("simplex", num_classes=10, dim=9)
    with pytest.raises(IndexError, match="from -10 to 9, got 50"):
        code[50]
    with pytest.raises(TypeError, match="integer or a slice, got str"):
        code["first"]


def test_a_code_of_own_points_has_nothing_to_rebuild_from():
    code = ps.from_points(np.eye(4))
    with pytest.raises(InvalidArgumentError, match=r"'provenance' must be .* got None"):
        rebuild(code.provenance)
