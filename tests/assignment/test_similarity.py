"""Similarity from whatever there is, and one sentence for what is none."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import protosphere as ps
from protosphere.assignment.similarity import as_similarity
from protosphere.assignment.taxonomy import SHIPPED
from protosphere.errors import InvalidArgumentError

CODE = ps.construct("cross_polytope", num_classes=4, dim=2)


def lopsided():
    matrix = np.eye(4)
    matrix[1, 2] = 0.5
    return matrix


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (np.ones((4, 3)), "must be square"),
        (np.eye(5), "must be 4 x 4"),
        (np.full((4, 4), np.nan), "must be finite"),
        (np.where(np.eye(4) > 0, np.inf, 0), "must be finite"),
        (lopsided(), r"must be symmetric, got 0.5 at \(1, 2\)"),
        (np.ones(4), "matrix"),
        ("cats", "must be one of cifar100_superclasses"),
        ([[1, 2], [3]], "matrix of real numbers"),
        (np.eye(4) * 1j, "matrix of real numbers"),
        (np.zeros((0, 0)), "at least two rows"),
    ],
)
def test_a_bad_similarity_gets_one_sentence(bad, says):
    with pytest.raises(ps.InvalidArgumentError, match=says):
        ps.assign(CODE, bad)


@pytest.mark.parametrize("objective", ["best", 3, None])
def test_a_bad_objective_gets_one_sentence(objective):
    with pytest.raises(
        ps.InvalidArgumentError, match="'objective' must be one of align, oppose, worst"
    ):
        ps.assign(CODE, np.eye(4), objective)


def test_an_objective_that_returns_no_number_gets_one_sentence():
    for answer in (None, float("nan"), "good"):
        with pytest.raises(
            ps.InvalidArgumentError, match="'objective' must return a number"
        ):
            ps.assign(
                CODE, np.eye(4), lambda similarity, cosines, answer=answer: answer
            )


def test_lists_integers_and_tensors_are_taken():
    import torch

    alike = np.array([[0, 9, 1, 1], [9, 0, 1, 1], [1, 1, 0, 9], [1, 1, 9, 0]])
    orders = [
        ps.assign(CODE, given).points
        for given in (alike, alike.tolist(), torch.tensor(alike), alike * 1.0)
    ]
    assert all(np.array_equal(orders[0], points) for points in orders)


def test_embeddings_are_compared_after_their_mean_is_taken_out():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((20, 7))
    S = ps.similarity_from_embeddings(vectors)
    np.testing.assert_allclose(
        S, ps.similarity_from_embeddings(3 * vectors + 100), atol=1e-9
    )
    centered = vectors - vectors.mean(axis=0)
    assert S[2, 5] == pytest.approx(
        centered[2]
        @ centered[5]
        / np.linalg.norm(centered[2])
        / np.linalg.norm(centered[5])
    )


def test_a_class_at_the_mean_is_like_no_other():
    S = ps.similarity_from_embeddings([[1.0, 0], [-1, 0], [0, 0]])
    assert S[2].tolist() == [0, 0, 1]


def test_confusion_counts_and_rates_say_the_same():
    counts = np.array([[8, 2, 0], [1, 9, 0], [5, 0, 5]])
    S = ps.similarity_from_confusion(counts)
    np.testing.assert_allclose(S, ps.similarity_from_confusion(counts / 10))
    np.testing.assert_allclose(S, S.T)
    assert S[0, 1] == pytest.approx(np.sqrt(0.08) + np.sqrt(0.18))


@pytest.mark.parametrize(
    ("bad", "says"),
    [([[1, 2]], "at least two rows"), ([[1, 2, 3], [1, 2, 3]], "square"), ([[1, -1], [0, 1]], "negative"),
     ([[1, 1], [0, 0]], "none in row 1")],
)  # fmt: skip
def test_a_bad_confusion_gets_one_sentence(bad, says):
    with pytest.raises(ps.InvalidArgumentError, match=says):
        ps.similarity_from_confusion(bad)


def test_features_are_averaged_by_class_in_their_own_units(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.integers(-127, 128, (300, 6)).astype(np.int8)
    y = np.arange(300) % 10
    step = rng.random(6)
    np.savez(tmp_path / "f.npz", x_train=x, y_train=y, step=step)
    means = np.array([(x[y == c] * step).mean(axis=0) for c in range(10)])
    expected = ps.similarity_from_embeddings(means)
    np.testing.assert_allclose(
        ps.similarity_from_features(tmp_path / "f.npz"), expected, atol=1e-12
    )
    np.testing.assert_allclose(
        ps.similarity_from_features(x * step, y), expected, atol=1e-12
    )
    with np.load(tmp_path / "f.npz") as arrays:
        np.testing.assert_allclose(
            ps.similarity_from_features(arrays), expected, atol=1e-12
        )


def test_bad_features_get_one_sentence(tmp_path):
    x = np.zeros((4, 2))
    y = np.array([0, 1, 3, 3])
    with pytest.raises(ps.InvalidArgumentError, match="no image of class 2"):
        ps.similarity_from_features(x, y)
    with pytest.raises(ps.InvalidArgumentError, match="class 3"):
        ps.similarity_from_features(x, y, num_classes=3)
    with pytest.raises(ps.InvalidArgumentError, match="got float64"):
        ps.similarity_from_features(x, y * 1.0)
    np.savez(tmp_path / "x.npz", x_train=x)
    with pytest.raises(ps.InvalidArgumentError, match="no array 'y_train'"):
        ps.similarity_from_features(tmp_path / "x.npz")
    (tmp_path / "text.npz").write_text("no")
    (tmp_path / "cut.npz").write_bytes((tmp_path / "x.npz").read_bytes()[:-30])
    for name in ("text.npz", "absent.npz", "cut.npz"):
        with pytest.raises(ps.StorageError, match="cannot read"):
            ps.similarity_from_features(tmp_path / name)


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"y_train": np.array([0, 1, 1 << 60])}, "every class of 0, ..., "),
        (
            {"y_train": np.array([0, 1, (1 << 64) - 1], np.uint64)},
            "every class of 0, ..., ",
        ),
        ({"x_train": np.full((3, 2), np.nan)}, "must have finite means"),
        ({"x_train": np.full((3, 2), 1e308)}, "must have finite means"),
        ({"x_train": np.array(3)}, "one image per row, got int64 of shape"),
        (
            {"x_train": np.array([["a"], ["b"], ["c"]])},
            "must have numbers in 'x_train'",
        ),
        ({"x_train": np.zeros((3, 0))}, "must have numbers in 'x_train'"),
        ({"step": np.ones(3)}, "one number per column in 'step'"),
    ],
)
def test_arrays_that_are_no_features_get_one_sentence(tmp_path, arrays, says):
    np.savez(
        tmp_path / "x.npz",
        **{"x_train": np.ones((3, 2)), "y_train": np.array([0, 1, 1])} | arrays,
    )
    with pytest.raises(ps.InvalidArgumentError, match=says):
        ps.similarity_from_features(tmp_path / "x.npz")


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_no_size_is_too_large_or_too_small(size):
    given = np.random.default_rng(0).random((5, 5))
    np.testing.assert_allclose(
        ps.similarity_from_embeddings(given * size),
        ps.similarity_from_embeddings(given),
        atol=1e-14,
    )
    np.testing.assert_allclose(
        ps.similarity_from_confusion(given * size),
        ps.similarity_from_confusion(given),
        atol=1e-14,
    )
    lopsided_little = (given + given.T) * 0.4e100
    lopsided_little[0, 1] *= 1 + 1e-12
    assert np.isfinite(as_similarity(lopsided_little)).all()


def test_what_would_overflow_in_sums_is_refused_in_one_sentence():
    code = ps.construct("simplex", num_classes=3, dim=2)
    with pytest.raises(
        ps.InvalidArgumentError,
        match="'similarity' must have entries up to 1e\\+100, got 1e\\+308",
    ):
        ps.assign(code, np.full((3, 3), 1e308))


def test_names_by_a_function_of_the_users():
    vectors = {"cat": [1.0, 0, 1], "dog": [1, 0, 0.9], "car": [0, 1, 0]}
    S = ps.similarity_from_names(list(vectors), embed=vectors.__getitem__)
    assert S[0, 1] > S[0, 2]
    with pytest.raises(ps.InvalidArgumentError, match="no vector for the class 'cow'"):
        ps.similarity_from_names(["cat", "cow"], embed=vectors.__getitem__)
    with pytest.raises(ps.InvalidArgumentError, match="either 'embed' or 'compare'"):
        ps.similarity_from_names(["cat", "dog"])


def test_names_whose_vectors_have_several_lengths_are_refused():
    with pytest.raises(
        ps.InvalidArgumentError, match="one length, got 2 numbers for 'ox' and 3"
    ):
        ps.similarity_from_names(["ox", "cat"], embed=lambda name: [1.0] * len(name))


@pytest.mark.parametrize(
    ("name", "counts"), list(zip(SHIPPED, [(20, 1), (20, 8, 4, 2, 1)], strict=True))
)
def test_the_shipped_trees_are_of_the_classes_of_cifar_100(name, counts):
    tree = ps.taxonomy(name)
    assert len(tree.classes) == 100
    assert list(tree.classes) == sorted(tree.classes)
    assert (
        tuple(
            len(set(tree.groups(above).tolist())) for above in range(1, tree.height + 1)
        )
        == counts
    )
    assert np.bincount(tree.groups()).tolist() == [5] * 20


def test_heights_of_common_ancestors_in_a_crooked_tree():
    tree = ps.taxonomy({"a": "x", "b": "x", "c": "y", "x": "y", "d": "z"})
    assert tree.classes == ("a", "b", "c", "d")
    assert tree.heights.tolist() == [
        [0, 1, 2, 3],
        [1, 0, 2, 3],
        [2, 2, 0, 3],
        [3, 3, 3, 0],
    ]
    assert tree.similarity()[0].tolist() == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert ps.assign(CODE, tree).num_classes == 4


@pytest.mark.parametrize(
    ("parents", "classes", "says"),
    [
        ({"a": "x", "x": "y", "y": "x"}, ["a"], "cycle"),
        ({"x": "y", "y": "x"}, None, "cycle"),
        ({}, None, "must have classes, got none"),
        ({"a": "x"}, [], "must have classes, got none"),
        ({"a": "x", "b": "x"}, ["a", "b", "c"], "no parent for the class 'c'"),
        ({"a": "x", "x": "y"}, ["a", "x"], "'x' has children"),
        ({"a": "x", "b": "x"}, ["a", "a"], "twice"),
    ],
)
def test_a_bad_tree_gets_one_sentence(parents, classes, says):
    with pytest.raises(ps.InvalidArgumentError, match=says):
        ps.taxonomy(parents, classes)


def test_trees_are_read_from_text(tmp_path):
    (tmp_path / "t.txt").write_text(
        "# a tree\ngreat white shark, fish\ngoldfish\tfish\n\nfish, animal  # above\n"
    )
    tree = ps.taxonomy(tmp_path / "t.txt")
    assert tree.classes == ("great white shark", "goldfish")
    assert tree.of(["goldfish", "great white shark"]).classes == (
        "goldfish",
        "great white shark",
    )
    with pytest.raises(ps.InvalidArgumentError, match="no class 'cod'"):
        tree.of(["cod"])
    for text, says in (
        ("a b c\n", "line 1"),
        ("a x\na y\n", "line 2 gives 'a' a second parent"),
    ):
        (tmp_path / "bad.txt").write_text(text)
        with pytest.raises(ps.StorageError, match=says):
            ps.taxonomy(tmp_path / "bad.txt")
    with pytest.raises(ps.StorageError, match="trees we ship: cifar100_superclasses"):
        ps.taxonomy(tmp_path / "absent.txt")


@pytest.mark.parametrize(
    "dtype",
    [torch.bfloat16, torch.float16, torch.float8_e5m2, torch.float32, torch.float64],
)
def test_tensors_of_every_floating_type_are_similarities(dtype):
    halves = torch.tensor(
        [[1, 0.5, 0, 0.25], [0.5, 1, 0.75, 0], [0, 0.75, 1, 0.5], [0.25, 0, 0.5, 1]]
    )
    found = ps.assign(CODE, halves.to(dtype))
    assert np.array_equal(found.points, ps.assign(CODE, halves.numpy()).points)
    assert np.array_equal(
        as_similarity(halves.to(dtype).requires_grad_(), 4), as_similarity(halves, 4)
    )


def test_features_without_labels_or_with_text_labels_are_one_sentence():
    x = np.eye(4)
    for features in (x, x.tolist()):
        with pytest.raises(InvalidArgumentError, match="'labels' must be given"):
            ps.similarity_from_features(features)
    for labels in (list("abcd"), np.array(list("abcd"), dtype=object)):
        with pytest.raises(InvalidArgumentError, match=r"np\.unique"):
            ps.similarity_from_features(x, labels)
