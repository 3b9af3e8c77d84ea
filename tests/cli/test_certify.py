from __future__ import annotations

import numpy as np
import pytest
import torch

import protosphere as ps


@pytest.fixture
def code():
    return ps.construct("bch", num_classes=100, dim=63)


@pytest.mark.parametrize("ending", ["npy", "csv", "txt", "pt", "safetensors"])
def test_a_sign_code_is_exact_from_every_format(run, tmp_path, code, ending):
    file = tmp_path / f"code.{ending}"
    if ending == "safetensors":
        code.save(file)
    elif ending == "npy":
        np.save(file, code.points)
    elif ending == "pt":
        torch.save(torch.from_numpy(code.points), file)
    else:
        np.savetxt(file, code.points, delimiter="," if ending == "csv" else " ")
    answer = run("certify", file, "--json")
    assert answer.exit_code == 0
    assert answer.json["max_cosine_exact"] == "1/63"
    assert answer.json["scheme"] == ("bch" if ending == "safetensors" else None)


def test_card_names_file_and_measurement(run, tmp_path):
    np.save(tmp_path / "mine.npy", np.eye(5)[:, [1, 0, 2, 3, 4]])
    out = run("certify", tmp_path / "mine.npy").out
    assert "5 points in 5 dimensions" in out
    assert "0 (exactly)" in out
    assert "rankin_simplex" in out


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (np.vstack([np.eye(3), -np.eye(3)]), "-1 (exactly), 3 antipodal pairs"),
        (np.vstack([np.eye(3), -np.eye(3)[:1]]), "-1 (exactly), 1 antipodal pair"),
        (np.eye(3), "0 (exactly), no antipodal pair"),
    ],
)
def test_card_says_how_even_the_points_are(run, tmp_path, points, said):
    np.save(tmp_path / "mine.npy", points)
    lines = [
        line.strip() for line in run("certify", tmp_path / "mine.npy").out.splitlines()
    ]
    assert f"minimum cosine  {said}" in lines
    even = ps.code_statistics(ps.from_points(points))
    assert f"energy          {even.energy:.6f}, at a scale of {even.scale:.2f}" in lines


def test_the_proof_that_was_written_is_named(run, tmp_path):
    ps.construct("uniform", num_classes=30, dim=6).save(tmp_path / "code.safetensors")
    words = ("certify", tmp_path / "code.safetensors", "--proof", tmp_path / "p.json")
    assert str(tmp_path / "p.json") in run(*words).out.replace("\n", "")
    assert run(*words, "--json").json["proof"] == str(tmp_path / "p.json")


def test_the_bound_of_the_proof_is_printed(run, tmp_path):
    code = ps.best(num_classes=14, dim=4, iterations=0)
    code.save(tmp_path / "code.safetensors")
    words = ("certify", tmp_path / "code.safetensors", "--proof", tmp_path / "p.json")
    proved = run(*words, "--json").json["proof_converse"]
    assert float(code.certificate.converse) < proved <= float(code.max_cosine)
    assert f"converse at least {proved:.6f}" in run(*words).out


def test_normalize_is_asked_for(run, tmp_path):
    np.save(tmp_path / "long.npy", 3 * np.eye(4))
    refused = run("certify", tmp_path / "long.npy")
    assert refused.exit_code == 2
    assert refused.out == ""
    assert "--normalize" in refused.err
    assert "normalize=True" in refused.err
    assert (
        run("certify", tmp_path / "long.npy", "--normalize", "--json").json[
            "max_cosine"
        ]
        == 0
    )


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("absent.npy", None, "no such file"),
        ("points.pt", "1", "cannot read"),
        ("points.docx", "1", "must end in"),
        ("words.csv", "a,b\nc,d\n", "cannot read"),
        ("ragged.csv", "1,0\n0\n", "cannot read"),
        ("broken.npy", "not an array", "cannot read"),
        ("broken.safetensors", "not a code", "cannot read"),
    ],
)
def test_unreadable_files_are_one_sentence(run, tmp_path, name, content, reason):
    if content is not None:
        (tmp_path / name).write_text(content)
    answer = run("certify", tmp_path / name)
    assert (answer.exit_code, answer.out) == (2, "")
    assert reason in answer.err
    assert len(answer.err.strip().splitlines()) == 1


def test_a_false_claim_is_told(run, tmp_path, code, forged):
    file = tmp_path / "code.safetensors"
    code.save(file)
    forged(
        file,
        lambda arrays, words: words["certificate"].update(
            max_cosine="1/100", guarantee=None
        ),
    )
    answer = run("certify", file)
    assert (answer.exit_code, answer.out) == (2, "")
    assert (
        "the claim is a max cosine of 1/100, measured is 1/63; do not trust it"
        in answer.err
    )


def test_what_the_file_says_is_shown_as_that(run, tmp_path, code):
    code.save(tmp_path / "code.safetensors")
    out = run("certify", tmp_path / "code.safetensors").out
    assert out.count("says the file") == 2
    told = run("certify", tmp_path / "code.safetensors", "--json").json["said_by_file"]
    assert {"guarantee", "scheme", "description"} <= set(told)
