"""States of heads that somebody changed: refused in one sentence, or certified for the points they hold."""

from __future__ import annotations

import json
import zlib
from fractions import Fraction

import numpy as np
import pytest
import torch
from safetensors.numpy import load, save

import protosphere as ps
from protosphere.geometry.gram import max_cosine
from protosphere.nn import PrototypeHead
from protosphere.nn.checkpoint import MAGIC


def forged(head, change):
    """The head's state after change(arrays of the code, description of the code, header of the head)."""
    state = head.state_dict()
    raw = state["_extra_state"].numpy().tobytes()
    start = len(MAGIC) + 8
    stop = start + int.from_bytes(raw[len(MAGIC) : start], "little")
    header = json.loads(raw[start:stop])
    packed = zlib.decompress(raw[stop:])
    length = int.from_bytes(packed[:8], "little")
    description = json.loads(
        json.loads(packed[8 : 8 + length])["__metadata__"]["description"]
    )
    arrays = {name: array.copy() for name, array in load(packed).items()}
    change(arrays, description, header)
    text = json.dumps(header).encode()
    code = zlib.compress(save(arrays, {"description": json.dumps(description)}))
    whole = MAGIC + len(text).to_bytes(8, "little") + text + code
    return state | {
        "_extra_state": torch.frombuffer(bytearray(whole), dtype=torch.uint8)
    }


def uniform_head(num_classes=10, dim=4):
    return PrototypeHead(ps.construct("uniform", num_classes=num_classes, dim=dim))


@pytest.mark.parametrize("claim", ["-1/9", "1/7", -0.1])
def test_a_certificate_that_the_points_do_not_keep_is_refused(claim):
    state = forged(
        uniform_head(),
        lambda arrays, code, header: code["certificate"].update(max_cosine=claim),
    )
    with pytest.raises(ps.CertificateError, match="measured is"):
        PrototypeHead.from_state_dict(state)


def test_a_fraction_next_to_what_is_measured_is_not_exact():
    head = uniform_head()
    claim = Fraction(head.certificate.max_cosine).limit_denominator(10**8)

    def promise(arrays, code, header):
        code["certificate"] |= {"max_cosine": str(claim), "guarantee": str(claim)}
        code["cosine_step"] = None

    again = PrototypeHead.from_state_dict(forged(head, promise))
    for certificate in (again.certificate, again.reserve_certificate):
        assert not certificate.exact
        assert not certificate.optimal
        assert certificate.max_cosine == pytest.approx(
            max_cosine(again.code.points), abs=1e-14
        )


def test_the_first_classes_of_a_forged_code_are_not_exact():
    claim = max_cosine(uniform_head().code.points[:2])

    def promise(arrays, code, header):
        guarantee = Fraction(claim).limit_denominator(10**12)
        code["certificate"] |= {"guarantee": str(max(guarantee, Fraction(99, 100)))}
        header["num_classes"] = 2

    again = PrototypeHead.from_state_dict(forged(uniform_head(), promise))
    assert again.num_classes == 2
    assert not again.certificate.exact


@pytest.mark.parametrize(
    "code",
    [
        ps.construct("uniform", num_classes=10, dim=4),
        ps.construct("bch", num_classes=20, dim=15),
        ps.construct("kerdock", num_classes=80, dim=16),
    ],
    ids=lambda code: code.provenance.construction,
)
def test_equal_points_are_refused(code):
    def repeat(arrays, description, header):
        for name in ("points", "signs"):
            if name in arrays:
                arrays[name][3] = arrays[name][1]
        for name in ("messages", "numbers"):  # kept as differences
            if name in arrays:
                numbers = np.cumsum(arrays[name])
                numbers[3] = numbers[1]
                arrays[name] = np.diff(numbers, prepend=0)
        description["certificate"] |= {"max_cosine": "1", "guarantee": None}
        description["cosine_step"] = None

    with pytest.raises(
        ps.CertificateError, match="classes 1 and 3 have the same point"
    ):
        PrototypeHead.from_state_dict(forged(PrototypeHead(code), repeat))


def test_points_that_were_left_out_must_be_of_a_closed_form():
    def leave_out(arrays, code, header):
        del arrays["points"]
        code["left_out"] = ["points"]

    with pytest.raises(ps.InvalidArgumentError, match="closed form"):
        PrototypeHead.from_state_dict(forged(uniform_head(), leave_out))


def test_a_tree_in_a_state_is_not_read_as_a_file(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("first line of a secret")

    def name_a_file(arrays, code, header):
        arrays.clear()
        arrays["unused"] = np.zeros(1)
        code["left_out"] = ["points"]
        code["provenance"] |= {
            "construction": "hierarchical",
            "options": {"tree": str(secret)},
        }

    with pytest.raises(ps.ProtosphereError) as refused:
        PrototypeHead.from_state_dict(forged(uniform_head(), name_a_file))
    assert "first line" not in str(refused.value)


def test_a_state_without_points_of_the_older_form_is_refused():
    header = {
        "num_classes": 10,
        "settings": {"preset": "soft_cap"},
        "provenance": {"construction": "uniform"},
    }
    state = torch.frombuffer(bytearray(json.dumps(header).encode()), dtype=torch.uint8)
    with pytest.raises(ps.InvalidArgumentError, match="not one that protosphere wrote"):
        PrototypeHead.from_state_dict({"_extra_state": state})


@pytest.mark.parametrize("start", [2**64, 2**1000, 10**300])
def test_a_scale_that_is_a_large_integer_does_not_overflow(start):
    head = uniform_head()
    state = forged(
        head, lambda arrays, code, header: header.update(scale_started=start)
    )
    assert PrototypeHead.from_state_dict(state)(torch.ones(2, 4)).shape == (2, 10)


def test_an_honest_state_keeps_its_certificate():
    for code in (
        ps.best(num_classes=30, dim=8),
        ps.construct("simplex", num_classes=9, dim=8),
    ):
        head = PrototypeHead(code)
        assert (
            PrototypeHead.from_state_dict(head.state_dict()).certificate
            == code.certificate
        )
