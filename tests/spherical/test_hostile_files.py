"""A file made to deceive, its digest recomputed: refused in one sentence, or certified for what it holds."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest

import protosphere as ps
from protosphere.geometry.gram import max_cosine
from protosphere.spherical.io import container as storage


def refusal(path):
    with pytest.raises((ps.StorageError, ps.CertificateError)) as raised:
        ps.certify(path)
    sentence = str(raised.value)
    assert sentence.isprintable(), (
        "one sentence, and nothing in it that a terminal obeys"
    )
    return sentence


def is_honest(path):
    """The certificate of the file, which is no lower than all pairs are."""
    found = ps.certify(path)
    points = ps.load(path).points
    points = points / np.linalg.norm(points, axis=1, keepdims=True)
    assert float(found.max_cosine) >= max_cosine(points) - 1e-12
    return found


@pytest.fixture
def glued(tmp_path, monkeypatch):
    """600 words with glue_vectors, certified by cosets as 30,000 are."""
    monkeypatch.setattr("protosphere.spherical.structures.glued.LARGEST_DENSE", 0)
    monkeypatch.setattr(
        "protosphere.spherical.structures.shortened.ALL_PAIRS_POINTS", 10
    )
    path = tmp_path / "glued.safetensors"
    ps.construct("construction_x", num_classes=600, dim=40).save(path)
    assert "of their glue vectors" in ps.certify(path).method
    return path


def test_long_glue_vectors_are_refused_in_a_large_file(tmp_path, forged):
    path = tmp_path / "x.safetensors"
    ps.construct("construction_x", num_classes=30_000, dim=64).save(path)
    forged(path, lambda arrays, header: arrays["glue_vectors"].__imul__(1000))
    assert "'glue_vectors' must have unit rows" in refusal(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, header: arrays["glue_vectors"].__setitem__((0, 0), np.nan),
        lambda arrays, header: arrays["glue_vectors"].__setitem__((1, 0), np.inf),
        lambda arrays, header: arrays.update(
            glue_vectors=arrays["glue_vectors"][:, :, None]
        ),
        lambda arrays, header: arrays.update(glue_vectors=arrays["glue_vectors"][:1]),
        lambda arrays, header: arrays.update(glue_vectors=np.zeros((3, 0))),
        lambda arrays, header: arrays.update(glue_vectors=np.eye(100)[:3]),
        lambda arrays, header: arrays.update(
            glue_vectors=arrays["glue_vectors"].astype(np.float32)
        ),
        lambda arrays, header: header["glue"].update(share=0.0),
        lambda arrays, header: header["glue"].update(share=1.0),
        lambda arrays, header: header["glue"].update(share=1.5),
        lambda arrays, header: header["glue"].update(share=float("nan")),
        lambda arrays, header: header["glue"].update(share="half"),
        lambda arrays, header: header["glue"].update(share=10**400),
        lambda arrays, header: header["glue"].update(group=0),
        lambda arrays, header: header["glue"].update(group=1),
        lambda arrays, header: header["glue"].update(group=2.5),
        lambda arrays, header: header["glue"].pop("group"),
        lambda arrays, header: header.update(glue=[1, 2]),
        lambda arrays, header: header.update(codewords="plain"),
        lambda arrays, header: header.update(codewords="glued"),
        lambda arrays, header: header.update(codewords=["shortened"]),
        lambda arrays, header: header["shortened"].update(m=60),
        lambda arrays, header: header["shortened"].update(extra=1),
        lambda arrays, header: arrays["numbers"].__setitem__(0, -1),
        lambda arrays, header: arrays["numbers"].__setitem__(0, 1 << 62),
    ],
)
def test_glue_vectors_that_are_none_are_refused(glued, change, forged):
    forged(glued, change)
    assert refusal(glued)


@pytest.mark.parametrize("factor", [2, 3, 5])
def test_glue_vectors_shared_by_other_words_are_measured_for_what_they_are(
    glued, factor, forged
):
    def regroup(arrays, header):
        header["glue"]["group"] *= factor
        header["certificate"].update(guarantee=None)

    forged(glued, regroup)
    with pytest.raises(ps.CertificateError, match="do not trust it"):
        ps.certify(glued)
    true = max_cosine(np.vstack([*_loaded_rows(glued)]))
    forged(glued, lambda arrays, header: header["certificate"].update(max_cosine=true))
    with suppress(
        ps.CertificateError
    ):  # by cosets a ceiling is measured, which may be above the claim, never below
        is_honest(glued)


def _loaded_rows(path):
    from protosphere.spherical.io import code_file as file

    placement = file.parts(*storage.read(path), complete=True)[0]
    yield placement.unit_rows(0, placement.count)


def test_spare_bits_are_no_distance(tmp_path, forged):
    path = tmp_path / "x.safetensors"
    ps.construct("bch", num_classes=128, dim=63).save(path)

    def fewer_columns(arrays, header):
        header["certificate"].update(dim=57, max_cosine="3/19", guarantee=None)
        header["provenance"].update(dim=57)

    forged(path, fewer_columns)
    assert "bits set beyond its 57 columns" in refusal(path)


def saved_points(path, points, step, **claims):
    ps.from_points(points).save(path)
    arrays, header = storage.read(path)
    arrays = {"points": np.array(points, dtype=np.float64)}
    header = header | {"structure": "plain", "cosine_step": step}
    header["certificate"] = header["certificate"] | claims
    storage.write(path, arrays, header)


def test_a_cosine_beside_the_grid_is_not_on_it(tmp_path):
    points = np.eye(3)
    points[0, 1] = 4e-10
    saved_points(tmp_path / "x.safetensors", points, "1", max_cosine="0")
    assert "not all cosines of the points are of the form 1 - j * 1" in refusal(
        tmp_path / "x.safetensors"
    )


@pytest.mark.parametrize(
    "step",
    [
        "1/1000000000",
        "0",
        "-1",
        "3",
        "1/0",
        "1e400",
        "1e-400",
        0,
        0.5,
        1e400,
        [1],
        True,
        "9" * 5000,
        "\u0661",
    ],
)
def test_a_step_that_is_none_is_refused(tmp_path, step):
    saved_points(tmp_path / "x.safetensors", np.eye(3), step)
    assert "'cosine_step' should be" in refusal(tmp_path / "x.safetensors")


def test_any_float_is_not_exact_by_a_grid_made_for_it(tmp_path):
    points = ps.construct("uniform", num_classes=9, dim=4).points
    step = 1 - Fraction(max_cosine(points)).limit_denominator(1 << 20)
    saved_points(tmp_path / "x.safetensors", points, str(step))
    assert "are of the form" in refusal(tmp_path / "x.safetensors")


def test_short_rows_are_divided_by_their_length(tmp_path):
    points = np.array([[1.0, 0.0], [np.cos(1e-3), np.sin(1e-3)], [0.0, 1.0]])
    saved_points(
        tmp_path / "x.safetensors", points * (1 - 9e-6), None, max_cosine=np.cos(1e-3)
    )
    code = ps.load(tmp_path / "x.safetensors")
    np.testing.assert_allclose(np.linalg.norm(code.points, axis=1), 1, atol=1e-15)
    assert ps.certify(tmp_path / "x.safetensors").max_cosine == pytest.approx(
        np.cos(1e-3), abs=1e-15
    )


def test_unit_rows_come_back_bit_for_bit(tmp_path):
    code = ps.construct("uniform", num_classes=2000, dim=33)
    code.save(tmp_path / "x.safetensors")
    assert np.array_equal(ps.load(tmp_path / "x.safetensors").points, code.points)


@pytest.mark.parametrize(
    "claim",
    [
        {"max_cosine": "0"},
        {"max_cosine": -0.1},
        {"guarantee": "0"},
        {"guarantee": 0.01},
    ],
)
def test_a_claim_that_the_points_do_not_keep_is_refused(tmp_path, claim, forged):
    path = tmp_path / "x.safetensors"
    ps.construct("bch", num_classes=100, dim=63).save(path)
    forged(path, lambda arrays, header: header["certificate"].update(claim))
    assert refusal(path)
    with pytest.raises(ps.CertificateError):
        ps.load(path)


def test_a_converse_and_a_theorem_of_the_file_are_not_repeated(tmp_path, forged):
    path = tmp_path / "x.safetensors"
    ps.construct("bch", num_classes=100, dim=63).save(path)
    forged(
        path,
        lambda arrays, header: header["certificate"].update(
            converse="1/63", theorem="all is well"
        ),
    )
    for found in (ps.load(path).certificate, ps.certify(path)):
        assert found.converse == ps.bounds.converse(num_classes=100, dim=63)
        assert not found.optimal


@pytest.mark.slow
def test_a_large_file_is_believed_in_nothing_but_its_points(tmp_path, forged):
    path = tmp_path / "x.safetensors"
    code = ps.construct("uniform", num_classes=12_000, dim=32)
    code.save(path)
    forged(
        path,
        lambda arrays, header: header["certificate"].update(
            max_cosine="1/12", converse="1/12"
        ),
    )
    loaded = ps.load(path)
    assert loaded.certificate.unverified
    assert not loaded.certificate.optimal
    assert not loaded.certificate.exact
    assert "max cosine 1/12 (unverified), converse 0.2" in repr(loaded)
    assert "do not trust it" in refusal(path)
    forged(
        path,
        lambda arrays, header: header["certificate"].update(
            max_cosine=float(code.max_cosine)
        ),
    )
    assert ps.certify(path) == code.certificate


def test_the_first_classes_of_a_large_file_are_looked_at_before_they_are_certified(
    tmp_path, forged, monkeypatch
):
    from protosphere.nn.growth import first_classes

    path = tmp_path / "x.safetensors"
    monkeypatch.setattr("protosphere.spherical.certificate.QUICK_WORK", 0)
    ps.construct("bch", num_classes=100, dim=63).save(path)
    honest = first_classes(ps.construct("bch", num_classes=100, dim=63), 20)
    assert first_classes(ps.load(path), 20).max_cosine == honest.max_cosine
    forged(
        path, lambda arrays, header: arrays["signs"].__setitem__(1, arrays["signs"][0])
    )
    with pytest.raises(ps.CertificateError, match="not the ones their generator"):
        first_classes(ps.load(path), 20)


@pytest.fixture
def shell(tmp_path):
    """30,000 points of a lattice shell, certified by their lattice."""
    path = tmp_path / "shell.safetensors"
    ps.construct("e8_shell", num_classes=30_000, dim=8).save(path)
    return path


def test_the_lattice_survives_the_file_and_proves_itself_again(shell):
    code = ps.load(shell)
    assert code.placement.structure.name == "lattice"
    found = ps.certify(shell)
    assert found.method.startswith("a pair at the minimum distance")
    assert (found.max_cosine, found.unverified) == (code.max_cosine, False)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, header: header["lattice"].update(least="2"),
        lambda arrays, header: header["lattice"].update(least="0"),
        lambda arrays, header: header["lattice"].update(least=None),
        lambda arrays, header: header["lattice"].update(theorem=7),
        lambda arrays, header: header.pop("lattice"),
        lambda arrays, header: arrays.update(basis=np.zeros((8, 8))),
        lambda arrays, header: arrays.update(basis=np.full((8, 8), np.nan)),
        lambda arrays, header: arrays.update(basis=arrays["basis"][:, :7]),
        lambda arrays, header: arrays.update(basis=np.eye(8) * 1e-300),
        lambda arrays, header: arrays.update(basis=arrays["basis"] / 2),
        lambda arrays, header: arrays.pop("basis"),
    ],
)
def test_a_lattice_that_is_another_proves_nothing(shell, change, forged):
    true = ps.load(shell).max_cosine
    forged(shell, change)
    with suppress(ps.StorageError, ps.CertificateError):
        assert ps.certify(shell).max_cosine == true
