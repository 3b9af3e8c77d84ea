"""Readers: they read what is right, and name what is wrong in one sentence."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile

import numpy as np
import pytest

from protosphere.data.cifar import read_cifar
from protosphere.data.digits import read_digits
from protosphere.data.mnist import read_idx
from protosphere.errors import StorageError

RNG = np.random.default_rng(0)
IMAGES = RNG.integers(0, 256, (7, 4, 5), dtype=np.uint8)
IDX = bytes((0, 0, 8, 3)) + struct.pack(">3I", 7, 4, 5) + IMAGES.tobytes()
NAMES = "\n".join(f"class{i}" for i in range(100)).encode()


def record(fine):
    return bytes((0, fine)) + RNG.integers(0, 256, 3072, dtype=np.uint8).tobytes()


def archive(path, members, mode="w:gz", link=None):
    with tarfile.open(path, mode) as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        if link:
            info = tarfile.TarInfo(link)
            info.type = tarfile.SYMTYPE
            info.linkname = "/etc/passwd"
            tar.addfile(info)
    return path


def cifar_members(train=None):
    return {
        "cifar-100-binary/train.bin": record(3) + record(99)
        if train is None
        else train,
        "cifar-100-binary/test.bin": record(7),
        "cifar-100-binary/fine_label_names.txt": NAMES,
    }


@pytest.mark.parametrize("packed", [True, False])
def test_idx(tmp_path, packed):
    path = tmp_path / "images"
    path.write_bytes(gzip.compress(IDX) if packed else IDX)
    assert np.array_equal(read_idx(path, 3), IMAGES)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (IDX[:-1], "wrong size"),
        (IDX + b"x", "wrong size"),
        (b"\0\0\x0d\x03" + IDX[4:], "begins 00000803, got 00000d03"),
        (IDX[:10], "truncated in its header"),
        (gzip.compress(IDX)[:-9], "truncated or damaged"),
        (
            gzip.compress(IDX)[:30] + b"xxxx" + gzip.compress(IDX)[34:],
            "truncated or damaged",
        ),
        (IDX[:4] + struct.pack(">3I", 2**31, 2**31, 2**31), "promises"),
        (
            gzip.compress(IDX[:4] + struct.pack(">3I", 1 << 18, 32, 32)),
            "promises 262144x32x32",
        ),
        (b"", "begins"),
    ],
)
def test_idx_that_is_wrong_is_refused_by_name(tmp_path, content, complaint):
    path = tmp_path / "train-images"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=complaint) as refusal:
        read_idx(path, 3)
    assert "train-images" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_cifar100_straight_from_the_tar(tmp_path):
    members = cifar_members()
    data = read_cifar(archive(tmp_path / "c.tar.gz", members), "cifar100")
    assert data.x_train.shape == (2, 3, 32, 32)
    assert data.y_train.tolist() == [3, 99]
    assert data.y_test.tolist() == [7]
    assert data.class_names[99] == "class99"
    assert (
        data.x_train[1].tobytes() == members["cifar-100-binary/train.bin"][3074 + 2 :]
    )


def test_cifar10_has_one_label_byte(tmp_path):
    row = bytes((4,)) + bytes(3072)
    members = {f"x/data_batch_{i}.bin": row for i in range(1, 6)} | {
        "x/test_batch.bin": row
    }
    names = {"x/batches.meta.txt": b"a b c d e f g h i j"}
    data = read_cifar(archive(tmp_path / "c.tar", members | names, "w"), "cifar10")
    assert data.y_train.tolist() == [4] * 5
    assert data.num_classes == 10


@pytest.mark.parametrize(
    ("members", "link", "complaint"),
    [
        (cifar_members() | {"../evil": b"x"}, None, "'../evil' points outside"),
        (cifar_members() | {"/etc/evil": b"x"}, None, "'/etc/evil' points outside"),
        (cifar_members(), "cifar-100-binary/link", "link' points outside"),
        (cifar_members(train=record(1)[:-1]), None, "wrong size of train.bin"),
        (cifar_members(train=b""), None, "wrong size of train.bin"),
        (cifar_members(train=record(100)), None, "a label of 100, want at most 99"),
        (
            {"cifar-100-binary/train.bin": record(0)},
            None,
            "it has no fine_label_names.txt, test.bin",
        ),
        (
            cifar_members() | {"cifar-100-binary/fine_label_names.txt": b"a b"},
            None,
            "2 names, want 100",
        ),
    ],
)
def test_archives_that_are_wrong_are_refused_by_name(
    tmp_path, members, link, complaint
):
    path = archive(tmp_path / "cifar-100-binary.tar.gz", members, link=link)
    with pytest.raises(StorageError, match=complaint) as refusal:
        read_cifar(path, "cifar100")
    assert "cifar-100-binary.tar.gz" in str(refusal.value)


@pytest.mark.parametrize("cut", [10, 200, -200, -3])
def test_truncated_archives(tmp_path, cut):
    path = archive(tmp_path / "c.tar.gz", cifar_members())
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(StorageError, match=r"c\.tar\.gz.*truncated"):
        read_cifar(path, "cifar100")


def test_members_of_an_archive_together_are_not_larger_than_any(tmp_path, monkeypatch):
    path = archive(tmp_path / "c.tar.gz", cifar_members())
    monkeypatch.setattr("protosphere.data.cifar.MAX_BYTES", 2 * 3074 + 100)
    with pytest.raises(StorageError, match="claims 3074 bytes"):
        read_cifar(path, "cifar100")


def test_an_archive_that_is_none(tmp_path):
    path = tmp_path / "c.tar.gz"
    path.write_bytes(b"hello" * 1000)
    with pytest.raises(StorageError, match="not a tar archive"):
        read_cifar(path, "cifar100")


def test_digits_are_scikit_learns():
    load_digits = pytest.importorskip("sklearn.datasets").load_digits
    ours = read_digits()
    theirs = load_digits()
    order = np.random.default_rng(0).permutation(1797)
    images = np.concatenate([ours.x_test, ours.x_train])[:, 0]
    assert np.array_equal(images, (theirs.images[order] * 255 // 16).astype(np.uint8))
    assert np.array_equal(
        np.concatenate([ours.y_test, ours.y_train]), theirs.target[order]
    )
    assert not ours.x_train.flags.writeable
