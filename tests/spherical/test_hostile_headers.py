"""What stands in the header of a file made to deceive: read at once and in one sentence, or refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import protosphere as ps
from protosphere.spherical.io import container as storage


def refusal(path):
    with pytest.raises((ps.StorageError, ps.CertificateError)) as raised:
        ps.certify(path)
    sentence = str(raised.value)
    assert sentence.isprintable(), (
        "one sentence, and nothing in it that a terminal obeys"
    )
    return sentence


@pytest.mark.parametrize(
    "value",
    ["-1e-99999999", "1e99999999", "9" * 10**6, "1/" + "9" * 5000, "0x10", " 1", "nan", "inf", 1e400, -2, 3, 10**400,
     True, None, [0.5], {"a": 1}, "1/0", "\x1b[2J"],
    ids=lambda value: ascii(value)[:9],
)  # fmt: skip
@pytest.mark.parametrize("key", ["max_cosine", "converse", "guarantee"])
def test_a_number_that_is_none_is_one_sentence_at_once(tmp_path, key, value, forged):
    if (key, value) == ("guarantee", None):
        return
    path = tmp_path / "x.safetensors"
    ps.construct("simplex", num_classes=5, dim=4).save(path)
    forged(path, lambda arrays, header: header["certificate"].update({key: value}))
    assert "cannot read" in refusal(path)


@pytest.mark.parametrize("key", ["num_classes", "dim"])
@pytest.mark.parametrize(
    "value", [100.0, "100", True, None, 0, -5, 1 << 70, 10**400, [100], 101]
)
def test_a_size_that_is_none_is_one_sentence(tmp_path, key, value, forged):
    path = tmp_path / "x.safetensors"
    ps.construct("bch", num_classes=100, dim=63).save(path)
    forged(path, lambda arrays, header: header["certificate"].update({key: value}))
    assert "cannot read" in refusal(path)


@pytest.mark.parametrize("rows", [27, 62, 63, 5000])
def test_many_generator_rows_cost_no_more_than_few_words(tmp_path, rows, forged):
    path = tmp_path / "x.safetensors"
    ps.construct("bch", num_classes=10, dim=63).save(path)

    def lengthen(arrays, header):
        more = np.zeros((rows - len(arrays["generator"]), 8), dtype=np.uint8)
        arrays["generator"] = np.vstack([arrays["generator"], more])

    forged(path, lengthen)
    if rows > 62:
        assert "'generator' should have at most 62 rows" in refusal(path)
    else:
        assert ps.certify(path).method == "all pairs, in integers"


def test_a_long_chain_cut_to_a_short_one_is_refused(tmp_path, forged):
    path = tmp_path / "x.safetensors"
    ps.construct("shortened_cosets", num_classes=100, dim=15).save(path)
    forged(
        path,
        lambda arrays, header: header["shortened"].update(
            m=16, shortened=17, punctured=65536 - 17 - 15
        ),
    )
    assert "'punctured' should leave half" in refusal(path)


@pytest.mark.parametrize(
    "place", ["description", "construction", "method", "theorem", "reason", "option"]
)
def test_what_a_terminal_would_obey_is_refused(tmp_path, place, forged):
    path = tmp_path / "x.safetensors"
    bell = "\x1b]0;owned\x07\x1b[2J"
    ps.best(num_classes=10, dim=9).save(path)

    def ring(arrays, header):
        holder = {
            "description": header,
            "construction": header["provenance"],
            "reason": header["choice"],
            "option": header["provenance"]["options"],
        }.get(place, header["certificate"])
        holder[place] = bell

    forged(path, ring)
    assert "printable" in refusal(path)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10**5,
        '{"a":' * 10**5,
        "[]",
        "7",
        "null",
        '"a"',
        "",
        "{",
        "{}",
        '{"certificate": []}',
    ],
    ids=lambda text: text[:9],
)
def test_a_description_that_is_none_is_one_sentence(tmp_path, text):
    arrays = {"points": np.eye(3)}
    metadata = {
        "format": storage.FORMAT,
        "description": text,
        "digest": storage.digest(arrays, text),
    }
    save_file(arrays, tmp_path / "x.safetensors", metadata=metadata)
    assert "cannot read" in refusal(tmp_path / "x.safetensors")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("provenance", [1, 2]),
        ("provenance", "bch"),
        ("provenance", 7),
        ("choice", 7),
        ("choice", {"reason": "x", "considered": [[1]]}),
        ("structure", "unheard of"),
        ("structure", ["plain"]),
        ("structure", None),
        ("description", 7),
        ("certificate", {}),
    ],
)
def test_an_entry_of_another_type_is_one_sentence(tmp_path, key, value, forged):
    path = tmp_path / "x.safetensors"
    ps.best(num_classes=10, dim=9).save(path)
    forged(path, lambda arrays, header: header.update({key: value}))
    assert "cannot read" in refusal(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seed", 1.5),
        ("seed", -1),
        ("construction", ["bch"]),
        ("options", [1]),
        ("num_classes", "5"),
        ("version", 3),
    ],
)
def test_provenance_of_another_type_is_one_sentence(tmp_path, key, value, forged):
    path = tmp_path / "x.safetensors"
    ps.construct("bch", num_classes=100, dim=63).save(path)
    forged(path, lambda arrays, header: header["provenance"].update({key: value}))
    assert "cannot read" in refusal(path)


def test_options_as_long_as_a_similarity_are_read(tmp_path):
    near = ps.similarity_from_embeddings(
        np.random.default_rng(0).standard_normal((120, 6))
    )
    code = ps.construct("semantic", num_classes=120, dim=20, similarity=near, steps=5)
    tree = ps.taxonomy("cifar100_levels")
    for made in (
        code,
        ps.construct("hierarchical", num_classes=100, dim=120, tree=tree),
    ):
        made.save(tmp_path / "x.safetensors")
        assert ps.load(tmp_path / "x.safetensors").provenance == made.provenance


def test_the_explanation_survives_the_file(tmp_path):
    code = ps.best(num_classes=40, dim=12)
    code.save(tmp_path / "x.safetensors")
    back = ps.load(tmp_path / "x.safetensors")
    assert back.explain() == code.explain()
    assert back.choice == code.choice


def test_the_description_holds_no_number_that_json_does_not_have(tmp_path):
    path = tmp_path / "x.safetensors"
    ps.best(num_classes=40, dim=12).save(path)
    with safe_open(path, framework="numpy") as file:
        json.loads(file.metadata()["description"], parse_constant=pytest.fail)
