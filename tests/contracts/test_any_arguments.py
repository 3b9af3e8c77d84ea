"""Any integers at all: a certified code, or one sentence of ours. Never anything else."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import protosphere as ps
from protosphere.constructions.registry import constructions_with

SMALL = st.integers(-3, 70)
EDGES = st.sampled_from([127, 128, 129, 255, 256, 257, 511, 512, 1023, 1024])
HUGE = st.one_of(
    st.integers(10**9, 10**30),
    st.integers(-(10**30), -1),
    st.just(2**64),
    st.just(10**5000),
)
COUNTS = st.one_of(SMALL, SMALL, EDGES, HUGE)
SEEDS = st.one_of(st.integers(0, 2**64), st.integers(-5, 5))

OPTIONS = {
    "reed_muller": st.fixed_dictionaries(
        {
            "modify": st.booleans(),
            "subset": st.sampled_from(["first", "random", "greedy"]),
        }
    ),
    "bch": st.fixed_dictionaries(
        {
            "modify": st.booleans(),
            "subset": st.sampled_from(["first", "random", "greedy"]),
        }
    ),
    "reed_solomon": st.fixed_dictionaries(
        {"q": st.one_of(st.none(), st.integers(-2, 300))}
    ),
    "mean_row_max": st.fixed_dictionaries({"steps": st.integers(-1, 3)}),
    "optimized": st.fixed_dictionaries(
        {
            "iterations": st.integers(-1, 2),
            "polish": st.just(False),
            "algebraic": st.just(False),
        }
    ),
    "best": st.fixed_dictionaries(
        {"iterations": st.integers(-1, 0), "catalogue": st.just(False)}
    ),
    "clusters": st.fixed_dictionaries(
        {
            "clusters": st.one_of(st.none(), st.integers(-1, 40)),
            "spread": st.sampled_from([0.35, 1, 1e-3, 0, -1.0, 1.5]),
        }
    ),
    "rotated_bases": st.fixed_dictionaries(
        {"spread": st.sampled_from([0.2, 3, 1e-3, 0, -1.0, 4.0])}
    ),
    "log_sum_exp": st.fixed_dictionaries(
        {"steps": st.integers(-1, 3), "lr": st.sampled_from([0.2, 1e3, 0, -1.0])}
    ),
}


def examples(scheme):
    return st.tuples(
        COUNTS,
        COUNTS,
        SEEDS,
        st.sampled_from(["fixed", "random"]),
        OPTIONS.get(scheme, st.just({})),
    )


FAMILY_EXAMPLES = 250
PAPER_SCHEMES = constructions_with(lambda traits: traits.in_paper)
EXAMPLES = dict.fromkeys(PAPER_SCHEMES, 2000) | {"best": 60, "clusters": 60}
"""Families share one mechanism for what they refuse, so fewer do; 'best' asks them all, and 'clusters' asks 'best'."""


@pytest.mark.parametrize("scheme", ps.available())
def test_any_request_gives_a_certified_code_or_one_sentence(scheme):
    @settings(
        max_examples=EXAMPLES.get(scheme, FAMILY_EXAMPLES),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(examples(scheme))
    def check(request):
        num_classes, dim, seed, mapping, options = request
        try:
            code = ps.construct(
                scheme,
                num_classes=num_classes,
                dim=dim,
                seed=seed,
                mapping=mapping,
                **options,
            )
        except (ps.InvalidArgumentError, ps.InfeasibleError) as refusal:
            sentence = str(refusal)
            assert "\n" not in sentence
            assert len(sentence) < 350
            assert re.search(r"'\w+'", sentence), "names the argument or the scheme"
            assert "got" in sentence, "says what was got"
        else:
            assert len(code) == num_classes
            assert code.dim == dim
            assert float(code.max_cosine) >= float(code.certificate.converse) - 1e-12
            assert (
                code.certificate.guarantee is None
                or code.max_cosine <= code.certificate.guarantee
            )

    check()


@pytest.mark.parametrize("name", ["num_classes", "dim", "seed"])
@pytest.mark.parametrize("value", [None, "ten", 10.0, True, [10], -1])
def test_what_is_not_a_count_is_named(name, value):
    arguments = {"num_classes": 10, "dim": 20, "seed": 0} | {name: value}
    with pytest.raises(
        ps.InvalidArgumentError,
        match=rf"'{name}' must be an integer of at least \d, got ",
    ):
        ps.construct("simplex", **arguments)


@pytest.mark.parametrize(
    ("scheme", "options", "words"),
    [
        ("simplx", {}, "did you mean 'simplex'"),
        ("zzz", {}, "ps.available() names them all"),
        (None, {}, "ps.available() names them all"),
        ("simplex", {"lr": 1}, "'simplex' has no option 'lr'; its options are: none"),
        (
            "bch",
            {"subset": "last"},
            "'subset' must be one of first, random, greedy, got 'last'",
        ),
        ("bch", {"modify": 1}, "'modify' must be True or False, got 1"),
        ("log_sum_exp", {"device": "abacus"}, "'device' must be one torch can use"),
        (
            "log_sum_exp",
            {"dtype": "float16"},
            "'dtype' must be one of float32, float64",
        ),
        (
            "log_sum_exp",
            {"momentum": 1.5},
            "'momentum' must be at least 0 and below 1, got 1.5",
        ),
        (
            "reed_solomon",
            {"q": 6},
            "'q' must be a prime power up to 256, got 6; nearest: 5, 7",
        ),
        ("simplex", {"mapping": "semantic"}, "'mapping' must be one of fixed, random"),
    ],
)
def test_bad_words_are_answered_with_what_would_work(scheme, options, words):
    with pytest.raises(ps.InvalidArgumentError) as refusal:
        ps.construct(scheme, num_classes=10, dim=20, **options)
    assert words in str(refusal.value)


@pytest.mark.parametrize("scheme", ["uniform", "reed_muller"])
def test_what_does_not_fit_the_machine_is_said_before_it_is_tried(scheme):
    with pytest.raises(
        ps.InfeasibleError,
        match=r"in this machine's memory, got num_classes 1000000000 and dim 1048576",
    ):
        ps.construct(scheme, num_classes=10**9, dim=2**20)


@pytest.mark.parametrize(
    ("num_classes", "dim"),
    [(3, 10**10), (2, 10**5000), (1000, 10**12)],
    ids=["three", "long", "thousand"],
)
def test_points_too_long_for_memory_are_said_before_they_are_tried(num_classes, dim):
    with pytest.raises(
        ps.InfeasibleError, match="in this machine's memory, got num_classes"
    ):
        ps.construct("best", num_classes=num_classes, dim=dim, iterations=0)


def test_memory_that_runs_out_is_said_in_one_sentence(monkeypatch):
    def exhausted(*_):
        raise MemoryError

    monkeypatch.setattr(
        sys.modules["protosphere.constructions.construct"], "certified", exhausted
    )
    with pytest.raises(
        ps.InfeasibleError,
        match="'simplex' does not fit into this machine's memory, got num_classes",
    ):
        ps.construct("simplex", num_classes=10, dim=20)
