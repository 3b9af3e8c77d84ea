"""A file's ending names its format, both ways; what is no such file, or a small one made to grow, is one sentence."""

from __future__ import annotations

import io
import zipfile
from fractions import Fraction

import numpy as np
import pytest
import torch

import protosphere as ps

ENDINGS = [".npy", ".csv", ".pt", ".safetensors"]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("scheme", ["bch", "uniform", "simplex"])
def test_what_is_saved_comes_back_to_the_last_bit(tmp_path, scheme, ending):
    code = ps.construct(scheme, num_classes=12, dim=15)
    path = tmp_path / f"x{ending}"
    code.save(path)
    for back in (ps.load(path), ps.from_points(path), ps.load(str(path))):
        np.testing.assert_allclose(back.points, code.points, atol=3e-16)
        assert float(back.max_cosine) == pytest.approx(
            float(code.max_cosine), abs=1e-15
        )
        assert (back.provenance == code.provenance) == (ending == ".safetensors")
    assert ps.certify(path) == ps.load(path).certificate
    assert ps.load(path).certificate.exact == (
        scheme == "bch" or (scheme, ending) == ("simplex", ".safetensors")
    )


def test_other_programs_read_them(tmp_path):
    code = ps.construct("uniform", num_classes=9, dim=5)
    for ending in ENDINGS[:3]:
        code.save(tmp_path / f"x{ending}")
    assert np.array_equal(np.load(tmp_path / "x.npy"), code.points)
    assert np.array_equal(np.loadtxt(tmp_path / "x.csv", delimiter=","), code.points)
    assert np.array_equal(
        torch.load(tmp_path / "x.pt", weights_only=True).numpy(), code.points
    )


def test_files_of_many_blocks_and_capitals(tmp_path, monkeypatch):
    monkeypatch.setattr("protosphere.spherical.io.formats.BLOCK_ENTRIES", 100)
    code = ps.construct("kerdock", num_classes=200, dim=16)
    seen = []
    for ending in (".NPY", ".Csv", ".PT"):
        code.save(tmp_path / f"x{ending}", lambda *step: seen.append(step))
        assert seen[-1] == ("writing", 200, 200)
        assert np.array_equal(ps.load(tmp_path / f"x{ending}").points, code.points)


@pytest.mark.parametrize(
    "name", ["x", "x.npz", "x.txt", "x.docx", "x.pth", ".npy", "x.npy.gz"]
)
def test_any_other_ending_is_refused_before_anything_is_written(tmp_path, name):
    with pytest.raises(
        ps.StorageError,
        match=r"its name must end in one of \.safetensors, \.npy, \.csv, \.pt",
    ):
        ps.construct("simplex", num_classes=3, dim=2).save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64]
)
def test_tensors_of_any_number_type(tmp_path, dtype):
    torch.save(torch.eye(5).to(dtype), tmp_path / "x.pt")
    assert ps.load(tmp_path / "x.pt").max_cosine == Fraction(0)


def npy_header(shape, dtype="'<f8'"):
    content = io.BytesIO()
    text = f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}, }}"
    content.write(
        b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()
    )
    return content.getvalue()


def zipped(**files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.npy", npy_header("(1000000000, 1000000000)") + bytes(64)),
        ("x.npy", npy_header("(9999999999999999999999, 2)") + bytes(64)),
        ("x.npy", npy_header("(-2, 2)") + bytes(64)),
        ("x.npy", npy_header("(2, 2)", "'|O'") + bytes(64)),
        ("x.npy", npy_header("(2, 2)", "[('a', '<f8')]") + bytes(64)),
        ("x.npy", npy_header("(2, 2)", "'<U99999999'") + bytes(64)),
        ("x.npy", npy_header("()") + bytes(8)),
        ("x.npy", npy_header("(0, 5)")),
        ("x.npy", b"\x93NUMPY\x01\x00" + (9000).to_bytes(2, "little") + b"(" * 9000),
        ("x.npy", zipped(a=b"1")),
        ("x.npy", b"\x93NUMPY"),
        ("x.csv", b"\x1b[2J,1\n1,2\n"),
        ("x.csv", b"1e400,0\n0,1\n"),
        ("x.csv", b"nan,0\n0,1\n"),
        ("x.csv", b"\n\n\n"),
        ("x.csv", b"\xff\xfe1,2\n"),
        ("x.csv", b"1,2\n3\n"),
        ("x.csv", b"9" * 10**6 + b",1\n"),
        ("x.txt", b"one two\n"),
        ("x.pt", zipped(a=b"0" * 10**6)),
        ("x.pt", b"PK\x03\x04 no zip"),
        ("x.pt", b"\x80\x02not a zip at all"),
    ],
)
@pytest.mark.parametrize("normalize", [False, True])
def test_what_is_no_matrix_is_one_sentence(tmp_path, name, content, normalize):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ps.ProtosphereError) as refusal:
        ps.certify(path, normalize=normalize)
    assert str(refusal.value).isprintable()
    assert "usecols" not in str(refusal.value), "an option of numpy's is none of ours"


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_the_system_says_of_a_file_is_passed_on(tmp_path, ending):
    """A disk that is full, or here a file that may not grow."""
    resource = pytest.importorskip("resource")
    code = ps.construct("uniform", num_classes=100, dim=20)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(ps.StorageError, match="File too large"):
            code.save(tmp_path / f"x{ending}")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "held",
    [
        {"weight": torch.eye(3)},
        [torch.eye(3)],
        "text",
        torch.eye(3).to_sparse(),
        torch.zeros(1).expand(10**6, 10**6),
        torch.zeros(1, 1).as_strided((10**5, 10**5), (0, 0)),
        torch.eye(3, device="meta"),
        torch.eye(3, dtype=torch.complex64),
    ],
    ids=lambda held: type(held).__name__,
)
def test_what_is_no_plain_tensor_is_one_sentence(tmp_path, held):
    torch.save(held, tmp_path / "x.pt")
    with pytest.raises(ps.ProtosphereError) as refusal:
        ps.load(tmp_path / "x.pt")
    assert str(refusal.value).isprintable()


class Evil:
    """What a pickle could do."""

    def __reduce__(self):
        return (print, ("owned",))


def test_a_pickle_is_not_executed(tmp_path, capsys):
    torch.save(Evil(), tmp_path / "x.pt")
    with pytest.raises(ps.StorageError, match="cannot read"):
        ps.load(tmp_path / "x.pt")
    assert "owned" not in capsys.readouterr().out


def test_rows_that_have_no_direction_are_refused_when_asked_to_normalize():
    for bad in (np.nan, np.inf):
        with pytest.raises(ps.InvalidArgumentError, match="NaN or infinity in row 1"):
            ps.from_points([[1.0, 0.0], [bad, 0.0]], normalize=True)
