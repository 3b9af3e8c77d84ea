"""`python -m reproduction antipodal`: antipodal pairs of classes, before and after alignment."""

from __future__ import annotations

import numpy as np
import pytest

from protosphere.assignment import similarity_from_embeddings

# each class is most like the one that the fixed mapping makes antipodal to it
VECTORS = np.repeat(np.random.default_rng(0).standard_normal((5, 6)), 2, axis=0)
S = similarity_from_embeddings(
    VECTORS + 0.1 * np.random.default_rng(1).standard_normal((10, 6))
)


@pytest.fixture
def matrix(tmp_path):
    np.save(tmp_path / "matrix.npy", S)
    return tmp_path / "matrix.npy"


def test_pairs_are_named(run):
    answer = run("antipodal", "digits", "--scheme", "reed_muller", "--dim", 8)
    assert answer.out.splitlines()[:2] == ["0 - 1", "2 - 3"]
    assert "5 antipodal pairs of 10 classes" in answer.out
    records = run(
        "antipodal", "digits", "--scheme", "reed_muller", "--dim", 8, "--json"
    ).json
    assert [record["names"] for record in records][-1] == ["8", "9"]


def test_what_alignment_mends_is_shown_pair_by_pair(run, matrix):
    words = (
        "antipodal",
        "digits",
        "--scheme",
        "cross_polytope",
        "--dim",
        5,
        "--matrix",
        matrix,
    )
    records = run(*words, "--json").json
    alike = {
        when: [pair["similarity"] for pair in pairs] for when, pairs in records.items()
    }
    assert alike["before"] == sorted(
        (S[i, i + 1] for i in range(0, 10, 2)), reverse=True
    )
    for pair in records["aligned"]:
        assert pair["similarity"] == S[pair["first"], pair["second"]]
    assert max(alike["aligned"]) < min(alike["before"])
    lines = run(*words).out.splitlines()
    assert lines[0].split() == ["before", "similarity", "aligned", "similarity"]
    assert lines[1].split()[3] == f"{alike['before'][0]:.3f}"
    assert (
        f"{np.mean(alike['before']):.3f} before, {np.mean(alike['aligned']):.3f} aligned"
        in lines[-2]
    )


def test_a_code_without_antipodal_pairs_has_none_after_either(run, matrix):
    answer = run(
        "antipodal", "digits", "--scheme", "simplex", "--dim", 9, "--matrix", matrix
    )
    assert "0.000 before, 0.000 aligned" in answer.out
    assert "0 antipodal pairs" in answer.out


def test_a_tree_is_read_by_the_names_of_its_classes(run, tmp_path):
    """Even digits are alike, and come first in the file."""
    lines = [
        f"{digit} {'odd' if digit % 2 else 'even'}\n"
        for digit in (8, 6, 4, 2, 0, 9, 7, 5, 3, 1)
    ]
    (tmp_path / "tree.txt").write_text("".join(lines))
    words = (
        "antipodal",
        "digits",
        "--scheme",
        "cross_polytope",
        "--dim",
        5,
        "--tree",
        tmp_path / "tree.txt",
    )
    assert all(
        (pair["first"] + pair["second"]) % 2
        for pair in run(*words, "--json").json["aligned"]
    )
    (tmp_path / "tree.txt").write_text("".join(lines[1:]))
    answer = run(*words)
    assert answer.exit_code == 2
    assert "the tree has no class '8'" in answer.err
