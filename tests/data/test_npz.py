"""Files of the user's own: images and features, what is wrong with them in one sentence, and bombs unread."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from protosphere.data.npz_dataset import read_npz
from protosphere.errors import StorageError


def arrays(**changed):
    right = {
        "x_train": np.zeros((4, 9, 9), np.uint8),
        "y_train": np.array([0, 1, 2, 1]),
        "x_test": np.zeros((2, 9, 9), np.uint8),
        "y_test": np.array([[2], [0]]),
    }
    return {key: value for key, value in (right | changed).items() if value is not None}


@pytest.mark.parametrize("shape", [(4, 9, 9), (4, 1, 9, 9), (4, 9, 9, 1)])
def test_npz_in_any_layout(tmp_path, shape):
    np.savez(tmp_path / "a.npz", **arrays(x_train=np.full(shape, 0.5)))
    data = read_npz(tmp_path / "a.npz")
    assert data.x_train.shape == (4, 1, 9, 9)
    assert data.x_train.max() == 128
    assert data.num_classes == 3


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"x_test": None}, "it has no x_test"),
        ({"y_train": np.array([0.5] * 4)}, "y_train must be N integers"),
        (
            {"x_train": np.full((4, 9, 9), 7.0)},
            "floats 0 to 1, got float64 from 0 to 7",
        ),
        ({"x_train": np.full((4, 9, 9), np.nan)}, "floats 0 to 1"),
        ({"x_train": np.zeros((3, 9, 9), np.uint8)}, "3 train images and 4 labels"),
        ({"x_test": np.zeros((2, 8, 9), np.uint8)}, "test images of"),
        ({"y_train": np.array([0, 1, -2, 1])}, "labels from -2 to 1"),
        (
            {"x_train": np.zeros((4, 81), np.uint8)},
            r"x_test must be N x D numbers, got uint8 of \(2, 9, 9\)",
        ),
        ({"x_train": np.zeros((4, 2, 9, 9), np.uint8)}, "N x H x W"),
        (
            {
                "x_train": np.zeros((4, 0, 9), np.uint8),
                "x_test": np.zeros((2, 0, 9), np.uint8),
            },
            "at least one number",
        ),
        (
            {"class_names": np.array("one")},
            r"class_names must be K texts, got <U3 of shape \(\)",
        ),
        ({"class_names": np.array([["a", "b", "c"]])}, "class_names must be K texts"),
        ({"class_names": np.array([1, 2, 3])}, "class_names must be K texts"),
        (
            {"y_train": np.array([0, 1, 30_000_000, 1])},
            "a label of 30000000, want below",
        ),
        ({"x_train": np.array([["a", "b"]] * 4)}, "N x D numbers, got <U1"),
        (
            {"x_train": np.zeros((4, 9, 9), complex)},
            "x_train must be numbers, got complex128",
        ),
        ({"x_train": np.array([object()])}, "plain numbers"),
    ],
)
def test_npz_that_is_wrong(tmp_path, changed, complaint):
    np.savez(tmp_path / "mine.npz", **arrays(**changed))
    with pytest.raises(StorageError, match=complaint) as refusal:
        read_npz(tmp_path / "mine.npz")
    assert "mine.npz" in str(refusal.value)


def features(**changed):
    x = np.linspace(-3, 3, 24).reshape(8, 3)
    right = {
        "x_train": x[:6],
        "y_train": np.arange(6) % 2,
        "x_test": x[6:],
        "y_test": np.arange(2),
    }
    return {key: value for key, value in (right | changed).items() if value is not None}


def test_npz_of_features(tmp_path):
    np.savez(tmp_path / "f.npz", **features())
    data = read_npz(tmp_path / "f.npz")
    assert (data.is_features, data.input_shape, data.x_train.dtype, data.step) == (
        True,
        (3,),
        np.float32,
        None,
    )
    packed = np.arange(18, dtype=np.int8).reshape(6, 3)
    step = np.array([0.5, 1.0, 2.0])
    names = np.array([b"cat", b"dog"])
    np.savez(
        tmp_path / "p.npz",
        **features(x_train=packed, x_test=packed[:2], step=step, class_names=names),
    )
    data = read_npz(tmp_path / "p.npz")
    assert data.x_train.dtype == np.int8
    assert np.array_equal(data.step, step)
    assert data.class_names == ("cat", "dog")
    np.savez(
        tmp_path / "q.npz", **features(x_train=packed, x_test=packed[:2], step=2 * step)
    )
    assert read_npz(tmp_path / "q.npz").digest != data.digest, (
        "the same bytes in other steps are other data"
    )


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"x_train": np.full((6, 3), np.inf)}, "x_train must be finite"),
        (
            {"x_train": np.zeros((6, 2))},
            r"train feature vectors of float32, \(2,\), test feature vectors of .*\(3,\)",
        ),
        ({"x_train": np.zeros((6, 3), np.int8)}, "of int8"),
        ({"step": np.ones(3)}, "step goes with features of int8"),
        (
            {"x_train": np.zeros((6, 0)), "x_test": np.zeros((2, 0))},
            "at least one number",
        ),
        (
            {
                "x_train": np.zeros((6, 3), np.int8),
                "x_test": np.zeros((2, 3), np.int8),
                "step": np.zeros(3),
            },
            "above 0",
        ),
        (
            {
                "x_train": np.zeros((6, 3), np.int8),
                "x_test": np.zeros((2, 3), np.int8),
                "step": np.ones(2),
            },
            "per column",
        ),
    ],
)
def test_features_that_are_wrong(tmp_path, changed, complaint):
    np.savez(tmp_path / "mine.npz", **features(**changed))
    with pytest.raises(StorageError, match=complaint):
        read_npz(tmp_path / "mine.npz")


def test_a_bomb_is_refused_by_its_header(tmp_path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "|u1", "fortran_order": False, "shape": (3 << 20, 1024)}
    )
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w") as file:
        for key, array in arrays(x_train=None).items():
            with file.open(f"{key}.npy", "w") as member:
                np.lib.format.write_array(member, np.asarray(array))
        file.writestr("x_train.npy", header.getvalue() + bytes(1 << 20))
    with pytest.raises(
        StorageError, match=r"x_train would unpack to 3.0 GiB out of 1.0 MiB"
    ):
        read_npz(tmp_path / "bomb.npz")


def test_many_small_bombs_are_one(tmp_path):
    zeros = {
        key: np.zeros(20 << 20, np.int8)
        for key in ("x_train", "y_train", "x_test", "y_test", "class_names")
    }
    np.savez_compressed(tmp_path / "bombs.npz", **zeros)
    with pytest.raises(StorageError, match=r"would unpack to 0.1 GiB out of 0.1 MiB"):
        read_npz(tmp_path / "bombs.npz")


@pytest.mark.parametrize("seed", range(40))
def test_damaged_files_are_one_sentence(tmp_path, seed):
    np.savez(tmp_path / "mine.npz", **features())
    content = bytearray((tmp_path / "mine.npz").read_bytes())
    rng = np.random.default_rng(seed)
    for place in rng.integers(0, len(content), 3):
        content[place] = rng.integers(256)
    (tmp_path / "mine.npz").write_bytes(content)
    with suppress(StorageError):
        read_npz(tmp_path / "mine.npz")
