"""Codes written as steps: each step is what its definition says, and nothing else is believed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protosphere.coding.derivations import MOST_TEXT, generator_matrix
from protosphere.coding.linear import pack, row_reduce
from protosphere.errors import InvalidArgumentError


def span(bits):
    """All words, by the definition, as rows of tuples."""
    messages = np.arange(1 << len(bits))[:, None] >> np.arange(len(bits)) & 1
    return {tuple(word) for word in (messages @ bits % 2).tolist()}


def columns_of(bits):
    return ".".join(
        f"{sum(int(bit) << i for i, bit in enumerate(column)):x}" for column in bits.T
    )


def written(bits):
    """Any matrix, as steps: under the identity every column is an orbit."""
    return f"orbits {'.'.join(['3'] * len(bits))} {columns_of(bits)}"


@st.composite
def matrices(draw):
    """Generators of independent rows."""
    k = draw(st.integers(1, 5))
    n = draw(st.integers(k, 12))
    bits = np.array(
        draw(
            st.lists(
                st.lists(st.integers(0, 1), min_size=n, max_size=n),
                min_size=k,
                max_size=k,
            )
        )
    )
    bits[:, :k] = np.eye(k, dtype=np.int64)
    return bits


@given(matrices(), st.integers(1, 4))
@settings(deadline=None, max_examples=60)
def test_each_step_on_one_code_is_its_definition(bits, count):
    words = span(bits)
    text = written(bits)
    k, n = bits.shape
    assert np.array_equal(generator_matrix(text), bits)
    assert span(generator_matrix(f"{text}, extend")) == {
        (*word, sum(word) % 2) for word in words
    }
    assert span(generator_matrix(f"{text}, repeat 1")) == {
        (*word, word[0]) for word in words
    }
    assert np.array_equal(generator_matrix(f"{text}, first_rows 1"), bits[:1])
    assert span(generator_matrix(f"{text}, columns 1")) == {
        (*word, word[0]) for word in words
    }, "row 0 alone has a one"
    assert np.array_equal(
        generator_matrix(f"{text}, columns 0, rows {1 << n:x}")[-1], [0] * n + [1]
    )
    if count < n:
        shorter = {word[: n - count] for word in words if not any(word[n - count :])}
    else:
        shorter = {()}
    if count < k:
        made = generator_matrix(f"{text}, shorten {count}")
        assert len(made) == k - count
        assert span(made) <= shorter, "all of them where the columns are independent"
    if k > 1 and bits[:, -1].any():
        assert span(generator_matrix(f"{text}, shorten_at {n - 1:x}")) == {
            w[:-1] for w in words if not w[-1]
        }
    if n - count >= k:
        assert span(generator_matrix(f"{text}, puncture {count}")) == {
            word[: n - count] for word in words
        }


@given(matrices(), matrices())
@settings(deadline=None, max_examples=60)
def test_each_step_on_two_codes_is_its_definition(u, v):
    n = max(u.shape[1], v.shape[1])
    both = f"{written(u)}, {written(v)}"
    longer = [
        {(*word, *[0] * (n - len(word))) for word in span(code)} for code in (u, v)
    ]
    sums = {
        (*first[: u.shape[1]], *(a ^ b for a, b in zip(first, second, strict=True)))
        for first in longer[0]
        for second in longer[1]
    }
    if len(sums) == 1 << (len(u) + len(v)):
        assert span(generator_matrix(f"{both}, double")) == sums
    if len(u) == len(v):
        assert np.array_equal(generator_matrix(f"{both}, join"), np.hstack([u, v]))
    if len(v) < len(u):
        tailed = generator_matrix(f"{both}, tail 1")
        assert np.array_equal(tailed[1 : 1 + len(v), u.shape[1] :], v)
        assert np.array_equal(tailed[:, : u.shape[1]], u)
        assert not tailed[0, u.shape[1] :].any()


@pytest.mark.parametrize(
    ("text", "shift"),
    [("orbits 3.ae3 3", 23), ("orbits 13.1f 11.32", 15), ("orbits b.d 9.a.11", 7)],
)
def test_the_orbits_of_multiplying_by_x_are_quasi_cyclic(text, shift):
    bits = generator_matrix(text)
    moved = np.roll(
        bits.reshape(len(bits), -1, bits.shape[1] // -(-bits.shape[1] // shift)),
        1,
        axis=2,
    )
    both = pack(np.vstack([bits, moved.reshape(bits.shape)]))
    assert len(row_reduce(both, np.arange(bits.shape[1]))[1]) == len(bits)


def test_orbits_are_closed_under_squaring_where_that_is_asked_for():
    bits = generator_matrix("orbits b.b 11 1")
    columns = {sum(int(bit) << i for i, bit in enumerate(column)) for column in bits.T}
    square = {0: 0, 1: 1, 2: 4, 3: 5, 4: 6, 5: 7, 6: 2, 7: 3}  # modulo x^3 + x + 1
    assert {
        square[column & 7] | square[column >> 3] << 3 for column in columns
    } == columns
    assert len(columns) == bits.shape[1] == 21


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "steps that we know"),
        ("golay", "steps that we know"),
        ("extend", "steps that we know"),
        ("orbits 3", "steps that we know"),
        ("orbits 2 1", "steps that we know"),
        ("orbits 3 2", "steps that we know"),
        ("orbits b 1, shorten 9", "steps that we know"),
        ("orbits b 1, puncture 7", "steps that we know"),
        ("orbits b 1, puncture -1", "steps that we know"),
        ("orbits b 1, columns 8", "steps that we know"),
        ("orbits b 1, first_rows 0", "steps that we know"),
        ("orbits b 1, shorten_at 7", "steps that we know"),
        ("orbits b 1, orbits 3 1, join", "steps that we know"),
        ("orbits b 1, orbits b 1", "end with one code"),
        ("orbits 3.3 1.1", "independent rows"),
        ("orbits b 1, " * 400 + "extend", f"at most {MOST_TEXT} characters"),
        ("orbits 100000000000000000000000000000001 1", "steps that we know"),
        ("orbits 3 " + ".".join(["1"] * 600), "steps that we know"),
        ("orbits 1000000001 1 99999", "steps that we know"),
    ],
)
def test_what_is_no_derivation_is_refused_in_one_sentence(text, words):
    with pytest.raises(InvalidArgumentError) as refusal:
        generator_matrix(text)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)
