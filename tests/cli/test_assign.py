"""`protosphere assign`: the same points in another order, from any kind of similarity."""

from __future__ import annotations

import numpy as np
import pytest

import protosphere as ps

RNG = np.random.default_rng(0)
VECTORS = RNG.standard_normal((12, 4))
TREE = "".join(f"c{i} s{i % 3}\n" for i in range(12))


@pytest.fixture
def sources(tmp_path):
    np.save(tmp_path / "matrix.npy", ps.similarity_from_embeddings(VECTORS))
    np.savetxt(tmp_path / "embeddings.csv", VECTORS, delimiter=",")
    np.savetxt(tmp_path / "confusion.txt", RNG.integers(1, 9, (12, 12)))
    np.savez(
        tmp_path / "features.npz",
        x_train=np.repeat(VECTORS, 2, axis=0),
        y_train=np.repeat(np.arange(12), 2),
    )
    (tmp_path / "tree.txt").write_text(TREE)
    (tmp_path / "cycle.txt").write_text(TREE + "s0 s1\ns1 s0\n")
    (tmp_path / "short.txt").write_text(TREE.removeprefix("c0 s0\n"))
    np.save(tmp_path / "nan.npy", np.where(np.eye(12) > 0, np.nan, 0))
    np.save(tmp_path / "small.npy", np.eye(11))
    np.save(tmp_path / "lopsided.npy", np.triu(np.ones((12, 12))))
    ps.construct("bch", num_classes=12, dim=15).save(tmp_path / "code.safetensors")
    return tmp_path


@pytest.mark.parametrize(
    "source",
    ["matrix.npy", "embeddings.csv", "confusion.txt", "features.npz", "tree.txt"],
    ids=lambda name: name[:4],
)
def test_every_source_assigns_and_writes(run, sources, source):
    out = sources / "out.safetensors"
    answer = run(
        "assign",
        sources / "code.safetensors",
        f"--{source.split('.')[0]}",
        sources / source,
        "-o",
        out,
        "--json",
    )
    assert answer.exit_code == 0
    assert "align" in answer.json["reason"]
    before = ps.load(sources / "code.safetensors")
    after = ps.load(out)
    assert np.array_equal(
        np.unique(before.points, axis=0), np.unique(after.points, axis=0)
    )
    assert after.provenance.steps[-1].what == "assigned to align"


def test_embeddings_and_their_similarity_say_the_same(run, sources):
    code = sources / "code.safetensors"
    answers = [
        run("assign", code, "--matrix", sources / "matrix.npy", "--json"),
        run("assign", code, "--embeddings", sources / "embeddings.csv", "--json"),
        run("assign", code, "--features", sources / "features.npz", "--json"),
    ]
    assert len({answer.json["reason"] for answer in answers}) == 1


def test_the_picture_is_drawn(run, sources):
    answer = run(
        "assign",
        sources / "code.safetensors",
        "--tree",
        sources / "tree.txt",
        "--figure",
        sources / "p.png",
    )
    assert answer.exit_code == 0
    assert "Assigned to align" in answer.out
    assert str(sources / "p.png") in answer.out.replace("\n", "")
    assert (sources / "p.png").stat().st_size > 5000


def test_the_picture_is_ordered_and_named_by_superclasses(run, sources):
    words = (
        "assign",
        sources / "code.safetensors",
        "--matrix",
        sources / "matrix.npy",
        "--figure",
        sources / "p.svg",
    )
    assert run(*words, "--superclasses", sources / "tree.txt").exit_code == 0
    assert all(
        f"<!-- s{group} -->" in (sources / "p.svg").read_text() for group in range(3)
    )
    refused = run(
        *words, "--superclasses", "cifar100_levels", "-o", sources / "never.npy"
    )
    assert "'tree' must have 12 classes, got 100" in refused.err
    assert not (sources / "never.npy").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "just one of --matrix"),
        (["--matrix", "matrix.npy", "--tree", "tree.txt"], "got 2 of them"),
        (["--matrix", "embeddings.csv"], "must be square"),
        (["--tree", "no_such_tree"], "trees we ship"),
        (["--tree", "cifar100_superclasses"], "must be 12 x 12"),
        (["--features", "code.safetensors"], "cannot read"),
        (["--matrix", "nan.npy"], "must be finite"),
        (["--matrix", "small.npy"], "must be 12 x 12"),
        (["--matrix", "lopsided.npy"], "must be symmetric"),
        (["--tree", "cycle.txt"], "cycle"),
        (["--tree", "short.txt"], "must be 12 x 12"),
    ],
)
def test_bad_sources_get_one_sentence_and_exit_code_2(
    run, sources, monkeypatch, arguments, says
):
    monkeypatch.chdir(sources)
    answer = run("assign", "code.safetensors", *arguments)
    assert answer.exit_code == 2
    assert says in answer.err
    assert answer.err.count("\n") == 1


def test_construct_takes_a_similarity_and_a_tree(run, sources):
    semantic = run(
        "construct",
        "semantic",
        "-K",
        12,
        "-n",
        4,
        "--similarity",
        sources / "matrix.npy",
        "--steps",
        20,
        "--json",
    )
    assert semantic.exit_code == 0
    tree = run(
        "construct",
        "hierarchical",
        "-K",
        12,
        "-n",
        8,
        "--tree",
        sources / "tree.txt",
        "--json",
    )
    assert tree.exit_code == 0


@pytest.mark.parametrize(
    ("scheme", "option", "says"),
    [
        ("semantic", "--similarity embeddings.csv", "must be square"),
        ("semantic", "--similarity nan.npy", "must be finite"),
        ("semantic", "--similarity small.npy", "must be 12 x 12"),
        ("semantic", "--similarity lopsided.npy", "must be symmetric"),
        ("hierarchical", "--tree cycle.txt", "cycle"),
        ("hierarchical", "--tree short.txt", "must have 12 classes, got 11"),
        (
            "hierarchical",
            "--tree tree.txt --similarity lopsided.npy",
            "must be symmetric",
        ),
        ("hierarchical", "--tree tree.txt --similarity small.npy", "must be 12 x 12"),
        ("hierarchy_frame", "--tree cycle.txt", "cycle"),
        ("hierarchy_frame", "--tree short.txt", "must have 12 classes, got 11"),
    ],
)
def test_construct_refuses_a_bad_similarity_in_one_sentence(
    run, sources, monkeypatch, scheme, option, says
):
    monkeypatch.chdir(sources)
    answer = run("construct", scheme, "-K", 12, "-n", 11, *option.split())
    assert answer.exit_code == 2
    assert says in answer.err
    assert answer.err.count("\n") == 1
