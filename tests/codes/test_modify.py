"""New codes from old: each modification against its definition on all words of random small codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protosphere.codes import linear
from protosphere.codes.bch import bch
from protosphere.codes.distance import minimum_distance
from protosphere.codes.linear import LinearCode, MinimumDistance
from protosphere.codes.modify import augment, expurgate, extend, puncture, repeat, shorten
from protosphere.codes.reed_muller import reed_muller
from protosphere.errors import InfeasibleError, InvalidArgumentError

Words = set[tuple[int, ...]]


@st.composite
def codes(draw: st.DrawFn) -> LinearCode:
    """[I | P] with random P; the distance exact, or only a lower bound."""
    k, checks = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    tail = np.random.default_rng(draw(st.integers(0, 2**32))).integers(0, 2, (k, checks))
    generator, n = linear.pack(np.hstack([np.eye(k, dtype=np.int64), tail])), k + checks
    distance = minimum_distance(generator, n)
    if draw(st.booleans()):
        distance = MinimumDistance(draw(st.integers(1, distance.value)), False, "a guess below it")
    return LinearCode(n, k, generator, distance, "random")


def words_of(code: LinearCode) -> Words:
    words = linear.unpack(linear.codewords(code.generator, 2**code.k), code.n)
    return {tuple(word) for word in words.tolist()}


def check(code: LinearCode, expected: Words) -> None:
    """The words are the expected ones, k is their dimension, and the distance is honest."""
    assert words_of(code) == expected
    assert len(expected) == 2**code.k
    lightest = min(sum(word) for word in expected if any(word))
    assert code.distance.value <= lightest
    assert not code.distance.exact or code.distance.value == lightest


def positions_of(data: st.DataObject, code: LinearCode) -> list[int]:
    return data.draw(st.lists(st.integers(0, code.n - 1), unique=True, max_size=code.n - 1))


def without(word: tuple[int, ...], positions: list[int]) -> tuple[int, ...]:
    return tuple(bit for i, bit in enumerate(word) if i not in positions)


@given(codes())
def test_extending_makes_every_weight_even(code: LinearCode) -> None:
    extended = extend(code)
    check(extended, {(*word, sum(word) % 2) for word in words_of(code)})
    assert np.all(linear.weights(extended.generator) % 2 == 0)


@given(codes(), st.data())
def test_puncturing_drops_positions(code: LinearCode, data: st.DataObject) -> None:
    positions = positions_of(data, code)
    expected = {without(word, positions) for word in words_of(code)}
    if len(expected) == 1:
        with pytest.raises(InfeasibleError, match="'positions' must leave a word"):
            puncture(code, positions)
    else:
        check(puncture(code, positions), expected)


@given(codes(), st.data())
def test_shortening_keeps_what_vanishes(code: LinearCode, data: st.DataObject) -> None:
    positions = positions_of(data, code)
    expected = {without(word, positions) for word in words_of(code) if not any(word[i] for i in positions)}
    if len(expected) == 1:
        with pytest.raises(InfeasibleError, match="'positions' must leave a word"):
            shorten(code, positions)
    else:
        shorter = shorten(code, positions)
        check(shorter, expected)
        assert shorter.k >= code.k - len(positions)
        assert shorter.distance.value >= code.distance.value


@given(codes())
def test_expurgating_keeps_the_even_words(code: LinearCode) -> None:
    expected = {word for word in words_of(code) if sum(word) % 2 == 0}
    if len(expected) == 1:
        with pytest.raises(InfeasibleError, match="even weight"):
            expurgate(code)
    else:
        check(expurgate(code), expected)


@given(codes())
def test_augmenting_adds_the_complements(code: LinearCode) -> None:
    words = words_of(code)
    check(augment(code), words | {tuple(1 - bit for bit in word) for word in words})


@given(codes(), st.data())
def test_repeating_appends_columns(code: LinearCode, data: st.DataObject) -> None:
    columns = data.draw(st.lists(st.integers(0, code.n - 1), max_size=2 * code.n))
    check(repeat(code, columns), {(*word, *(word[i] for i in columns)) for word in words_of(code)})


@given(codes())
def test_puncturing_undoes_extending(code: LinearCode) -> None:
    assert words_of(puncture(extend(code), [code.n])) == words_of(code)


def test_textbook_relations() -> None:
    hamming = bch(4, 11)
    extended = extend(hamming)
    assert (extended.n, extended.k, extended.distance.value, extended.distance.exact) == (16, 11, 4, True)
    assert (expurgate(hamming).k, expurgate(hamming).distance.value) == (10, 4)
    assert words_of(expurgate(hamming)) == words_of(bch(4, 10, even=True))
    simplex = bch(4, 4, even=True)
    assert (augment(simplex).k, augment(simplex).distance.value) == (5, 7)
    assert words_of(shorten(reed_muller(1, 4), [0])) == words_of(puncture(shorten(reed_muller(1, 4), [0]), []))
    assert (shorten(reed_muller(1, 4), [0]).k, shorten(reed_muller(1, 4), [0]).distance.value) == (4, 8)
    assert (puncture(reed_muller(2, 5), [0]).k, puncture(reed_muller(2, 5), [0]).distance.value) == (16, 7)


def test_what_is_not_cheap_stays_a_bound() -> None:
    code = bch(7, 64)
    assert (code.distance.value, code.distance.exact) == (21, False)
    for changed, value in [
        (extend(code), 22),
        (puncture(code, [0, 1]), 19),
        (shorten(code, [3]), 21),
        (expurgate(code), 22),
        (repeat(code, list(range(127))), 42),
        (repeat(code, [5]), 21),
        (augment(expurgate(code)), 1),
    ]:
        assert (changed.distance.value, changed.distance.exact) == (value, False)
        assert linear.rank(changed.generator, changed.n) == changed.k
    assert augment(code) is code
    assert expurgate(expurgate(code)).k == 63


def test_bad_input() -> None:
    code = bch(3, 4)
    with pytest.raises(InvalidArgumentError, match="'position' must be below n = 7, got 7"):
        puncture(code, [7])
    with pytest.raises(InvalidArgumentError, match="'position'"):
        repeat(code, [-1])
    with pytest.raises(InvalidArgumentError, match="distinct"):
        shorten(code, [1, 1])
    with pytest.raises(InfeasibleError, match="at least one of n = 7"):
        puncture(code, list(range(7)))
    with pytest.raises(InfeasibleError, match="with k = 4"):
        shorten(code, [0, 1, 2, 3])
