"""Vectors of classes from a table by their names, or by the words of these."""

from __future__ import annotations

import numpy as np
import pytest

import protosphere as ps


def test_word_vectors_as_their_makers_write_them(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text("the 0.5 0.5\ncat 1 0\ndog 0 1\nthe 0 0\ncar -1 -1\n")
    found = ps.similarity_from_table(path, ["dog", "car", "cat"])
    np.testing.assert_allclose(
        found, ps.similarity_from_embeddings([[0, 1], [-1, -1], [1, 0]])
    )
    with pytest.raises(ps.InvalidArgumentError, match="two lines for the class 'the'"):
        ps.similarity_from_table(path, ["cat", "the"])
    with pytest.raises(ps.InvalidArgumentError, match="no line for the class 'cow'"):
        ps.similarity_from_table(path, ["cat", "cow"])


def test_a_class_name_of_several_words_has_the_mean_of_their_vectors(tmp_path):
    words = {
        "aquarium": [4, 0, 1],
        "fish": [0, 2, 3],
        "sweet": [1, 1, 7],
        "pepper": [-1, 5, 1],
        "t": [9, 2, 0],
    }
    words |= {"shirt": [3, 3, 3], "lamp": [-5, 1, 2]}
    text = tmp_path / "glove.txt"
    text.write_text(
        "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in words.items())
    )
    table = tmp_path / "words.csv"
    table.write_text(
        "word,a,b,c\n"
        + "".join(f"{word},{','.join(map(str, row))}\n" for word, row in words.items())
    )
    parts = {
        "aquarium fish": ("aquarium", "fish"),
        "sweet_pepper": ("sweet", "pepper"),
        "T-shirt": ("t", "shirt"),
    }
    parts["Lamp"] = ("lamp",)
    means = np.array(
        [np.mean([words[word] for word in part], axis=0) for part in parts.values()]
    )
    for path in (text, table):
        found = ps.similarity_from_table(path, list(parts))
        np.testing.assert_allclose(
            found, ps.similarity_from_embeddings(means), atol=1e-12
        )
    with pytest.raises(
        ps.InvalidArgumentError,
        match=r"'aquarium plant', and none for its word 'plant'",
    ):
        ps.similarity_from_table(text, ["aquarium plant", "lamp"])
    for nothing in ("", " ", "_"):
        with pytest.raises(ps.InvalidArgumentError, match="no line for the class"):
            ps.similarity_from_table(text, [nothing, "lamp"])


def test_a_class_name_of_several_words_that_has_a_line_keeps_it(tmp_path):
    path = tmp_path / "classes.csv"
    path.write_text("class,a,b\naquarium fish,1,0\naquarium,5,5\nfish,7,7\ncar,0,1\n")
    found = ps.similarity_from_table(path, ["aquarium fish", "car"])
    np.testing.assert_allclose(
        found, ps.similarity_from_embeddings([[1, 0], [0, 1]]), atol=1e-12
    )
