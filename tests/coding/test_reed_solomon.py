"""Reed-Solomon codes are linear, numbered by their messages, and as far apart as Singleton allows."""

import numpy as np
import pytest

from protosphere.coding.fields import field
from protosphere.coding.reed_solomon import reed_solomon_words
from protosphere.errors import InfeasibleError, InvalidArgumentError

CASES = [
    (2, 2, 1),
    (3, 3, 2),
    (4, 4, 2),
    (4, 3, 3),
    (5, 5, 3),
    (7, 6, 2),
    (8, 8, 2),
    (9, 5, 3),
    (16, 16, 2),
]


@pytest.mark.parametrize(("q", "n_q", "k_q"), CASES)
def test_distance_is_maximal(q: int, n_q: int, k_q: int) -> None:
    words = reed_solomon_words(q, n_q, k_q, np.arange(q**k_q))
    weights = np.count_nonzero(words, axis=1)
    assert weights[1:].min() == n_q - k_q + 1
    assert len(np.unique(words, axis=0)) == q**k_q
    left, right = (
        np.random.default_rng(0)
        .permutation(len(words))[: len(words) // 2 * 2]
        .reshape(2, -1)
    )
    assert np.count_nonzero(words[left] != words[right], axis=1).min() >= n_q - k_q + 1


@pytest.mark.parametrize(("q", "n_q", "k_q"), CASES)
def test_words_are_combinations_of_the_generator_by_base_q_digits(
    q: int, n_q: int, k_q: int
) -> None:
    gf = field(q)
    numbers = np.arange(q**k_q)[::-1]
    expected = np.zeros((len(numbers), n_q), dtype=np.uint8)
    row = np.ones(n_q, dtype=np.uint8)
    for i in range(k_q):  # row i of the generator is x^i at the first n_q elements
        expected = gf.add[expected, gf.multiply[(numbers // q**i % q)[:, None], row]]
        row = gf.multiply[row, np.arange(n_q)]
    assert np.array_equal(reed_solomon_words(q, n_q, k_q, numbers), expected)


def test_largest_field() -> None:
    words = reed_solomon_words(256, 256, 3, [0, 255, 256**3 - 1])
    assert words.dtype == np.uint8
    assert np.all(words[1] == 255)
    assert np.count_nonzero(words[2]) >= 254


def test_bad_input() -> None:
    with pytest.raises(InfeasibleError, match="'n_q' must be at most q = 5, got 6"):
        reed_solomon_words(5, 6, 2, [0])
    with pytest.raises(InfeasibleError, match="'k_q' must be at most n_q = 3, got 4"):
        reed_solomon_words(5, 3, 4, [0])
    for index in (25, -1):
        with pytest.raises(
            InvalidArgumentError, match=r"'indices' must lie in 0, ..., 5\*\*2 - 1"
        ):
            reed_solomon_words(5, 4, 2, [index])
