"""Words, encoders, weights and row reduction on random generators."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protosphere.coding import linear
from protosphere.errors import InfeasibleError, InvalidArgumentError


@st.composite
def matrices(draw: st.DrawFn, largest_k: int = 9, largest_n: int = 80) -> np.ndarray:
    k = draw(st.integers(1, largest_k))
    n = draw(st.integers(1, largest_n))
    return np.random.default_rng(draw(st.integers(0, 2**32))).integers(
        0, 2, (k, n), dtype=np.uint8
    )


@given(matrices(), st.data())
def test_words_are_the_numbered_sums_of_rows(
    bits: np.ndarray, data: st.DataObject
) -> None:
    k = len(bits)
    size = 1 << data.draw(st.integers(0, k))
    start = data.draw(st.integers(0, 2**k // size - 1)) * size
    count = data.draw(st.integers(0, size))
    numbers = np.arange(start, start + count)
    messages = numbers[:, None] >> np.arange(k) & 1
    expected = linear.pack(messages @ bits % 2)
    generator = linear.pack(bits)
    assert np.array_equal(linear.codewords(generator, count, start), expected)
    order = np.random.default_rng(count).permutation(count)
    assert np.array_equal(linear.encode(generator, numbers), expected)
    assert np.array_equal(linear.encode(generator, numbers[order]), expected[order])
    assert np.array_equal(linear.encode_bits(generator, messages), expected)
    assert np.array_equal(linear.weights(expected), (messages @ bits % 2).sum(axis=1))


@given(matrices(largest_k=70))
def test_pack_and_unpack(bits: np.ndarray) -> None:
    packed = linear.pack(bits)
    assert packed.shape == (len(bits), linear.packed_length(bits.shape[1]))
    assert np.array_equal(linear.unpack(packed, bits.shape[1]), bits)


@given(matrices())
def test_row_reduction_keeps_the_span_and_shows_the_identity_on_its_pivots(
    bits: np.ndarray,
) -> None:
    k, n = bits.shape
    reduced, pivots = linear.row_reduce(linear.pack(bits), np.arange(n))
    words = {word.tobytes() for word in linear.codewords(linear.pack(bits), 2**k)}
    assert {word.tobytes() for word in linear.codewords(reduced, 2**k)} == words
    assert len(words) == 2 ** len(pivots)
    identity = linear.unpack(reduced, n)[:, pivots]
    assert np.array_equal(identity[: len(pivots)], np.eye(len(pivots)))
    assert not np.any(reduced[len(pivots) :])


def test_long_messages_and_wide_numbers() -> None:
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2, (100, 130))
    messages = rng.integers(0, 2, (50, 100))
    assert np.array_equal(
        linear.encode_bits(linear.pack(bits), messages),
        linear.pack(messages @ bits % 2),
    )
    numbers = rng.integers(0, 2**62, 50)
    expected = linear.pack((numbers[:, None] >> np.arange(62) & 1) @ bits[:62] % 2)
    assert np.array_equal(linear.encode(linear.pack(bits[:62]), numbers), expected)
    far = linear.codewords(linear.pack(bits), 5, start=2**70 + 8)
    near = linear.codewords(linear.pack(bits), 5, start=8)
    assert np.array_equal(far, near ^ linear.pack(bits[70]))


def test_many_words_in_any_order() -> None:
    rng = np.random.default_rng(2)
    bits = rng.integers(0, 2, (23, 40))
    numbers = rng.integers(0, 2**23, 3 * linear.CHUNK_WORDS // 2)
    expected = linear.pack((numbers[:, None] >> np.arange(23) & 1) @ bits % 2)
    assert np.array_equal(linear.encode(linear.pack(bits), numbers), expected)


@given(matrices(largest_k=12), st.integers(0, 6))
def test_the_smallest_weight_is_that_of_the_words_one_by_one(
    bits: np.ndarray, chunk: int
) -> None:
    generator = linear.pack(bits)
    n = bits.shape[1]
    words = linear.codewords(generator, 1 << len(bits))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "CHUNK_BYTES", generator.shape[1] << chunk)
        assert linear.smallest_weight(generator, n) == linear.weights(words[1:]).min(
            initial=n
        )


def test_bad_input() -> None:
    generator = linear.pack(np.eye(3, dtype=np.uint8))
    with pytest.raises(InfeasibleError, match="'count' asks for words up to number 9"):
        linear.codewords(generator, 9)
    with pytest.raises(InvalidArgumentError, match="'messages' must lie in"):
        linear.encode(generator, [8])
    with pytest.raises(InvalidArgumentError, match="'messages' must lie in"):
        linear.encode(generator, [-1])
    with pytest.raises(InvalidArgumentError, match="use encode_bits"):
        linear.encode(np.zeros((63, 9), dtype=np.uint8), [0])
    with pytest.raises(
        InvalidArgumentError, match="'message_bits' must have 3 columns"
    ):
        linear.encode_bits(generator, [[1, 0]])


def test_blocks_of_words_begin_at_a_multiple_of_their_size():
    with pytest.raises(
        InvalidArgumentError, match="'start' must be a multiple of 4 for 3 words, got 2"
    ):
        linear.codewords(linear.pack([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), 3, start=2)
