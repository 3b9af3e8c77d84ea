"""What holds for every registered bound: a row each of values to meet and requests to refuse, and the laws for all."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction
from functools import cache
from math import cos, pi, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import protosphere as ps
from protosphere.bounds import BOUNDS, Bound
from protosphere.bounds.registry import bound, title_of
from protosphere.errors import InfeasibleError, InvalidArgumentError

GOLDEN = (1 + sqrt(5)) / 2

ROWS = {
    "rankin": ({(5, 4): Fraction(-1, 4), (6, 4): 0, (8, 4): 0, (2, 1): -1}, None),
    "levenshtein": (
        {
            (240, 8): 0.5,
            (196560, 24): 0.5,
            (12, 3): 1 / sqrt(5),
            (7, 2): cos(2 * pi / 7),
            (27, 6): 1 / 4,
            (9, 8): -1 / 8,
        },
        None,
    ),
    "coxeter_boroczky": (
        {(12, 3): 1 / sqrt(5), (120, 4): GOLDEN / 2},
        (20, 9, "from 3 to 8, got 9"),
    ),
    "proved_optimum": (
        {
            (10, 4): Fraction(1, 6),
            (24, 4): Fraction(1, 2),
            (9, 3): Fraction(1, 3),
            (50, 21): Fraction(1, 21),
            (56, 20): Fraction(1, 15),
            (77, 21): Fraction(1, 12),
            (288, 16): Fraction(1, 4),
            (1_050_624, 1024): Fraction(1, 32),
            (8, 3): (2 * sqrt(2) - 1) / 7,
            (60, 19): Fraction(1, 15),
        },
        (20, 4097, "up to 1024, got 4097"),
    ),
    "linear_programming": ({(240, 8): 0.5, (12, 3): 1 / sqrt(5), (5, 4): -1 / 4}, None),
    "paper_converse": ({(5, 4): Fraction(-1, 4), (5, 2): Fraction(-1, 4)}, None),
    "one_hot": ({(5, 5): 0, (2, 9): 0}, (10, 9, "num_classes = 10, got 9")),
    "gilbert_varshamov": (
        {(100, 64): Fraction(1, 4), (2, 7): -1, (16, 7): Fraction(1, 7)},
        (1000, 9, "at least 10, got 9"),
    ),
}
"""Textbook values by (K, n), and a request that is refused with what the sentence must say."""

SHARP = {
    "simplex": (9, 8, -1 / 8),
    "cross-polytope": (14, 7, 0.0),
    "pentagon": (5, 2, cos(2 * pi / 5)),
    "square antiprism": (8, 3, (2 * sqrt(2) - 1) / 7),
    "icosahedron": (12, 3, 1 / sqrt(5)),
    "24-cell": (24, 4, 0.5),
    "600-cell": (120, 4, GOLDEN / 2),
    "E8": (240, 8, 0.5),
    "Higman-Sims": (100, 22, 1 / 11),
    "Kerdock": (288, 16, 0.25),
    "Petersen": (10, 4, 1 / 6),
    "Gewirtz": (56, 20, 1 / 15),
    "Leech": (196560, 24, 0.5),
}
NOISE = {False: 1e-12, True: 2e-5}
"""What rounding may add: to a proof, and to a numerical bound."""

QUICK = [name for name, record in BOUNDS.items() if not record.numerical]
CONVERSES = [name for name, record in BOUNDS.items() if record.kind == "converse"]
ACHIEVABLE = [name for name, record in BOUNDS.items() if record.kind == "achievable"]

classes = st.integers(2, 60) | st.integers(2, 10**5) | st.integers(2, 10**40)
dims = (
    st.integers(3, 8)
    | st.integers(1, 40)
    | st.integers(1, 3000)
    | st.integers(1, 10**9)
)
steps = st.integers(1, 5) | st.integers(1, 1000)


def speaks_of(name, K, n):
    return BOUNDS[name].infeasible_reason(K, n) is None


def value(name, K, n):
    return float(BOUNDS[name].function(K, n))


def test_every_bound_has_a_row():
    assert set(ROWS) == set(BOUNDS)


@pytest.mark.parametrize("name", BOUNDS)
def test_the_record_is_complete_and_frozen(name):
    record = BOUNDS[name]
    assert record.name == name == record.function.__name__
    assert getattr(ps.bounds, name) is record.function
    assert all(
        (record.title, record.summary, record.reference, record.function.__doc__)
    )
    assert "\n" not in record.summary
    with pytest.raises(FrozenInstanceError):
        record.kind = "achievable"


@pytest.mark.parametrize("name", BOUNDS)
def test_textbook_values(name):
    values, _ = ROWS[name]
    for (K, n), expected in values.items():
        found = BOUNDS[name].function(K, n)
        assert isinstance(found, Bound)
        assert float(found) == pytest.approx(
            float(expected), abs=NOISE[BOUNDS[name].numerical]
        )
        assert not isinstance(expected, Fraction) or found.value == expected
        assert title_of(found.theorem)


@pytest.mark.parametrize(
    "name", [name for name, row in ROWS.items() if row[1] is not None]
)
def test_what_it_does_not_speak_of_is_refused_in_one_sentence(name):
    K, n, said = ROWS[name][1]
    with pytest.raises(InfeasibleError) as refusal:
        BOUNDS[name].function(K, n)
    assert said in str(refusal.value)
    assert str(refusal.value) == BOUNDS[name].infeasible_reason(K, n)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize("bad", [0, -3, 2.5, "ten", None, True, 10.0, -(10**400)])
def test_nonsense_gets_one_sentence(name, bad):
    for arguments, culprit in (((bad, 4), "num_classes"), ((10, bad), "dim")):
        with pytest.raises(
            InvalidArgumentError,
            match=f"^'{culprit}' must be an integer of at least [12], got .{{1,60}}$",
        ):
            BOUNDS[name].function(*arguments)


@pytest.mark.parametrize("name", CONVERSES)
@pytest.mark.parametrize("code", SHARP)
def test_no_converse_is_above_a_code_that_exists(name, code):
    K, n, cosine = SHARP[code]
    if speaks_of(name, K, n):
        assert value(name, K, n) <= cosine + NOISE[BOUNDS[name].numerical]


@cache
def small_codes():
    sizes = [
        (K, n)
        for n in (2, 3, 4, 7, 8, 12, 16)
        for K in (n, n + 1, n + 2, 2 * n, 2 * n + 1, 4 * n, n * n)
    ]
    return [
        (K, n, float(ps.best(num_classes=K, dim=n, iterations=0).max_cosine))
        for K, n in sizes
        if K >= 2
    ]


@pytest.mark.parametrize("name", [name for name in CONVERSES if name in QUICK])
def test_no_converse_is_above_what_we_build(name):
    for K, n, cosine in small_codes():
        if speaks_of(name, K, n):
            assert value(name, K, n) <= cosine + NOISE[False], (K, n)


@pytest.mark.parametrize("name", QUICK)
@settings(max_examples=60)
@given(K=classes, n=dims, step=steps)
def test_more_points_are_no_easier(name, K, n, step):
    if speaks_of(name, K, n) and speaks_of(name, K + step, n):
        assert (
            -1
            <= value(name, K, n)
            <= value(name, K + step, n) + NOISE[False]
            <= 1 + NOISE[False]
        )


@pytest.mark.parametrize("name", [name for name in CONVERSES if name in QUICK])
@settings(max_examples=60)
@given(K=classes, n=dims, step=steps)
def test_more_dimensions_are_no_harder(name, K, n, step):
    """Not of the achievable ones: a code of length n + 1 may be worse than one of length n with a zero appended."""
    if speaks_of(name, K, n) and speaks_of(name, K, n + step):
        assert value(name, K, n) >= value(name, K, n + step) - NOISE[False]


@pytest.mark.parametrize("achievable", ACHIEVABLE)
@pytest.mark.parametrize("converse", [name for name in CONVERSES if name in QUICK])
@settings(max_examples=40)
@given(K=classes, n=dims)
def test_nothing_achievable_is_below_a_converse(achievable, converse, K, n):
    if speaks_of(achievable, K, n) and speaks_of(converse, K, n):
        assert value(achievable, K, n) >= value(converse, K, n) - NOISE[False]


@pytest.mark.parametrize("numerical", [name for name in CONVERSES if name not in QUICK])
def test_numerical_bounds_are_between_the_proofs_and_the_codes(numerical):
    for K, n, cosine in small_codes()[::5]:
        found = value(numerical, K, n)
        assert value("levenshtein", K, n) - NOISE[True] <= found <= cosine + NOISE[True]


def test_a_second_registration_of_a_name_raises():
    def rankin(num_classes: int, dim: int) -> Bound:
        raise AssertionError("never asked")

    with pytest.raises(
        InvalidArgumentError, match="a bound named 'rankin' is registered already"
    ):
        bound("again", kind="converse", summary="x", reference="x")(rankin)
    with pytest.raises(
        InvalidArgumentError, match="'kind' must be one of converse, achievable"
    ):
        bound("again", kind="nice", summary="x", reference="x")


def test_a_new_bound_is_used_at_once(monkeypatch):
    """One file and one line: `converse` takes what is registered."""
    entries = dict(BOUNDS._entries)
    monkeypatch.setattr(BOUNDS, "_entries", entries)

    @bound(
        "test",
        kind="converse",
        summary="x",
        reference="x",
        infeasible_reason=lambda K, n: None if K == 17 else "not 17",
    )
    def certain(num_classes: int, dim: int) -> Bound:
        return Bound(Fraction(1), "certain")

    from protosphere.bounds import tightest

    tightest._tightest.cache_clear()
    try:
        assert ps.bounds.converse(17, 5) == Bound(Fraction(1), "certain")
        assert ps.bounds.converse(18, 5).theorem == "levenshtein"
    finally:
        tightest._tightest.cache_clear()


@pytest.mark.parametrize(
    "name", [name for name, bound in BOUNDS.items() if bound.superseded]
)
@given(K=st.integers(2, 3000), n=st.integers(1, 300))
def test_a_superseded_bound_is_never_the_tightest(name, K, n):
    assert ps.bounds.converse(K, n).value >= BOUNDS[name].function(K, n).value
