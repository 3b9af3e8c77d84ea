"""The answer type: exact where it can be, short to read, a float on demand."""

import dataclasses
from fractions import Fraction

import pytest

from protosphere.bounds import Bound


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(-1, 99), "-1/99"),
        (Fraction(0), "0"),
        (0.03658712345, "0.0365871"),
        (Fraction(1, 10**5000 + 1), "0"),
        (Fraction(10**30, 10**30 + 7), "1"),
    ],
)
def test_repr_is_short(value, text):
    assert (
        repr(Bound(value, "some_theorem"))
        == f"Bound(value={text}, theorem='some_theorem')"
    )


def test_float_keeps_every_digit():
    assert float(Bound(Fraction(1, 3), "x")) == 1 / 3
    assert float(Bound(0.1234567890123456, "x")) == 0.1234567890123456


def test_frozen_and_hashable():
    bound = Bound(Fraction(1, 3), "x")
    with pytest.raises(dataclasses.FrozenInstanceError):
        bound.value = 0.0  # pyright: ignore
    assert {bound: 1}[Bound(Fraction(1, 3), "x")] == 1
