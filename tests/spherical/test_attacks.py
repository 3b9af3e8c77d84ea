"""What a hostile file, an odd argument or an unlucky disk may not do."""

from __future__ import annotations

import os
import stat
from itertools import pairwise

import numpy as np
import pytest
import torch

import protosphere as ps
from protosphere.cli import main


def test_a_forged_file_of_many_words_is_measured_for_what_it_holds(tmp_path, forged):
    path = tmp_path / "x.safetensors"
    ps.construct("shortened_cosets", num_classes=21_000, dim=62).save(path)

    def repeat(arrays, description):
        arrays["numbers"][1] = arrays["numbers"][0]
        arrays["signs"][1] = arrays["signs"][0]

    forged(path, repeat)
    with pytest.raises(ps.CertificateError):
        ps.certify(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, words: words["shortened"].update(punctured=-1),
        lambda arrays, words: words["shortened"].update(m="six"),
        lambda arrays, words: words["certificate"].update(max_cosine="1/0"),
        lambda arrays, words: words["certificate"].update(max_cosine=float("nan")),
        lambda arrays, words: words.update(certificate=None),
    ],
)
def test_nonsense_in_a_header_is_one_sentence(tmp_path, change, forged):
    path = tmp_path / "x.safetensors"
    ps.construct("shortened_cosets", num_classes=100, dim=15).save(path)
    forged(path, change)
    with pytest.raises(ps.StorageError, match="cannot read"):
        ps.load(path)


@pytest.mark.parametrize(
    "content",
    [
        b"PK\3\4 no zip",
        b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', (((",
        b"\x93NUMPY",
        b"a,b\n1,2\n",
    ],
)
@pytest.mark.parametrize("name", ["x.npy", "x.csv"])
def test_foreign_bytes_are_one_sentence(tmp_path, content, name):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ps.StorageError, match="cannot read"):
        ps.certify(tmp_path / name)


@pytest.mark.parametrize("name", ["", ".", "/", "a\0b", "x" * 300])
def test_a_name_that_is_no_name_is_one_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ps.StorageError, match="cannot write"):
        ps.construct("simplex", num_classes=3, dim=2).save(name)


def test_a_device_is_not_replaced_a_link_is_followed_and_permissions_stay(tmp_path):
    code = ps.construct("simplex", num_classes=3, dim=2)
    fifo = tmp_path / "fifo.safetensors"
    real = tmp_path / "real.safetensors"
    link = tmp_path / "link.safetensors"
    os.mkfifo(fifo)
    with pytest.raises(ps.StorageError, match="not a regular file"):
        code.save(fifo)
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    real.touch(mode=0o640)
    link.symlink_to(real)
    code.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert np.array_equal(ps.load(real).points, code.points)


def test_numpy_and_torch_scalars_are_kept_as_plain_ones(tmp_path):
    options = {"steps": np.int64(3), "device": torch.device("cpu")}
    code = ps.construct(
        "log_sum_exp",
        num_classes=np.int32(5),
        dim=np.int64(4),
        seed=np.int64(3),
        **options,
    )
    code.save(tmp_path / "x.safetensors")
    assert ps.load(tmp_path / "x.safetensors").provenance == code.provenance


@pytest.mark.parametrize(
    "points",
    [
        torch.tensor([[1 + 5j, 0], [0, 1]]),
        torch.eye(3).to_sparse(),
        torch.eye(3, device="meta"),
        np.array([[1, 2], [3, 4]], dtype=object),
    ],
)
def test_what_holds_no_real_numbers_is_refused(points):
    with pytest.raises(ps.InvalidArgumentError, match="matrix of real numbers"):
        ps.certify(points)


def test_float64_points_are_not_taken_for_rounded_ones():
    points = np.vstack([np.eye(3), -np.eye(3)])
    points[1, 0] = 2.0**-21
    code = ps.from_points(points)
    assert not code.certificate.optimal
    assert float(code.max_cosine) == pytest.approx(2.0**-21, rel=1e-6)


def test_a_step_beyond_all_measure_is_refused():
    with pytest.raises(ps.InvalidArgumentError, match="'lr' must be at most 1e"):
        ps.construct("log_sum_exp", num_classes=10, dim=8, lr=1e300)


@pytest.mark.parametrize("scheme", [["bch"], None, 7, np.array([1])])
def test_a_scheme_that_is_no_name_is_one_sentence(scheme):
    with pytest.raises(ps.InvalidArgumentError, match="'scheme'"):
        ps.construct(scheme, num_classes=10, dim=15)


def test_an_array_is_not_a_count():
    with pytest.raises(
        ps.InvalidArgumentError, match="'num_classes' must be an integer"
    ):
        ps.construct("simplex", num_classes=np.array([10, 11]), dim=15)


def test_npy_output_is_what_numpy_reads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["construct", "bch", "-K", "20", "-n", "15", "-o", "x.npy"]) == 0
    assert np.array_equal(
        np.load("x.npy"), ps.construct("bch", num_classes=20, dim=15).points
    )


@pytest.mark.parametrize(
    ("num_classes", "dim"), [(9, 3), (27, 3), (58, 3), (121, 4), (128, 6), (33, 5)]
)
def test_best_never_lets_two_classes_coincide(num_classes, dim):
    code = ps.best(num_classes=num_classes, dim=dim, iterations=0, catalogue=False)
    assert len(np.unique(code.points, axis=0)) == num_classes
    assert float(code.certificate.guarantee) < 1


@pytest.mark.slow
@pytest.mark.parametrize("num_classes", [30, 256, 100_000])
def test_more_dimensions_are_never_worse_without_a_search(num_classes):
    dims = [17, 18, 20, 24, 33, 45, 48, 57, 64, 65]
    values = [
        float(ps.best(num_classes=num_classes, dim=dim, iterations=0).max_cosine)
        for dim in dims
    ]
    assert all(later <= earlier + 5e-4 for earlier, later in pairwise(values)), values


def test_many_words_with_zeros_after_them_stay_packed_and_exact(tmp_path):
    code = ps.best(num_classes=100_000, dim=48, iterations=0)
    assert code.certificate.exact
    assert code.placement.points is None
    code.save(tmp_path / "x.safetensors")
    assert ps.certify(tmp_path / "x.safetensors") == code.certificate


def test_the_atlas_does_not_mix_settings(tmp_path):
    from protosphere.constructions.survey import check_atlas, write_atlas
    from protosphere.tables.atlas import read_atlas

    path = tmp_path / "atlas.csv"
    write_atlas(path, [(10, 4), (10, 6)], iterations=50)
    rows = write_atlas(path, [(10, 4), (10, 9)], iterations=0)
    assert [(row.dim, row.iterations) for row in rows] == [(4, 0), (9, 0)]
    assert read_atlas(path) == rows
    assert check_atlas(rows) == 2
