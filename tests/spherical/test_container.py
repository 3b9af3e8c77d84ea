"""A file is what it says it is, or it is refused in one sentence."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import protosphere as ps


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "code.safetensors"
    ps.construct("bch", num_classes=100, dim=31).save(path)
    return path


def refusal(path):
    with pytest.raises(ps.StorageError) as raised:
        ps.load(path)
    sentence = str(raised.value)
    assert "\n" not in sentence
    assert str(path) in sentence
    return sentence


@pytest.mark.parametrize("kept", [0, 4, 8, 100, -200, -1])
def test_a_truncated_file_is_refused(saved, kept):
    saved.write_bytes(saved.read_bytes()[:kept])
    assert "truncated or not a safetensors file" in refusal(saved)


def test_every_flipped_byte_is_noticed(saved):
    good = saved.read_bytes()
    positions = np.random.default_rng(0).choice(len(good), 60, replace=False)
    for position in positions:
        damaged = bytearray(good)
        damaged[position] ^= 1
        saved.write_bytes(bytes(damaged))
        assert refusal(saved)


@pytest.mark.parametrize(
    ("was", "now"), [(b'{\\"certificate', b'[\\"certificate'), (b"linear", b"linoar")]
)
def test_damage_is_called_damage_whatever_else_it_breaks(saved, was, now):
    assert was in saved.read_bytes()
    saved.write_bytes(saved.read_bytes().replace(was, now))
    assert "does not match its digest; edited or damaged" in refusal(saved)


def test_a_file_is_read_where_no_thread_can_be_started(saved, monkeypatch):
    def no_more(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", no_more)
    assert ps.load(saved).num_classes == 100
    saved.write_bytes(saved.read_bytes().replace(b"linear", b"linoar"))
    assert "edited or damaged" in refusal(saved)


def test_a_foreign_file_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"weight": np.eye(3)}, path)
    assert "not one that protosphere wrote" in refusal(path)
    path.write_bytes(b"PK\x03\x04 something else altogether")
    assert "not a safetensors file" in refusal(path)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    assert "no such file" in refusal(tmp_path / "nowhere.safetensors")
    assert "a folder" in refusal(tmp_path)
    with pytest.raises(ps.StorageError, match="File name too long"):
        ps.load(tmp_path / ("x" * 5000))


def test_points_that_are_not_unit_are_refused_even_with_a_matching_digest(
    tmp_path, forged
):
    path = tmp_path / "code.safetensors"
    ps.construct("simplex", num_classes=5, dim=4).save(path)
    forged(path, lambda arrays, description: arrays["points"].__imul__(2))
    assert "must have unit rows, got norm 2" in refusal(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, description: description.pop("certificate"),
        lambda arrays, description: arrays.pop("signs"),
        lambda arrays, description: arrays.update(signs=arrays["signs"][:-1]),
        lambda arrays, description: description["provenance"].update(extra=1),
        lambda arrays, description: description["certificate"].update(
            max_cosine="one third"
        ),
    ],
)
def test_an_incomplete_description_is_refused(saved, change, forged):
    forged(saved, change)
    assert refusal(saved)


def test_words_that_their_generator_does_not_give_are_not_certified(saved, forged):
    def flip(arrays, description):
        arrays["signs"][3, 0] ^= 128

    forged(saved, flip)
    with pytest.raises(ps.CertificateError, match="not the ones their generator"):
        ps.certify(saved)


def test_the_header_tells_any_safetensors_reader_what_is_inside(saved):
    with safe_open(saved, framework="numpy") as file:
        header = json.loads(file.metadata()["description"])
        assert set(file.keys()) == {"signs", "generator", "messages"}
    assert header["provenance"]["construction"] == "bch"
    assert header["certificate"]["max_cosine"] == "9/31"


def test_the_same_code_is_the_same_bytes(saved):
    code = ps.load(saved)
    first = saved.read_bytes()
    for _ in range(8):
        code.save(saved)
        assert saved.read_bytes() == first


def test_a_failed_write_leaves_the_old_file_and_nothing_else(saved, monkeypatch):
    before = saved.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ps.StorageError, match="No space left on device"):
        ps.construct("bch", num_classes=10, dim=31).save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_writing_where_there_is_no_folder_is_one_sentence(tmp_path):
    with pytest.raises(ps.StorageError, match="cannot write"):
        ps.construct("bch", num_classes=10, dim=31).save(
            tmp_path / "no" / "folder" / "x.safetensors"
        )


def test_a_pickled_array_is_never_loaded(tmp_path):
    path = tmp_path / "evil.npy"
    np.save(path, np.array([[object()]]), allow_pickle=True)
    with pytest.raises(ps.StorageError, match=r"evil\.npy"):
        ps.certify(path)
