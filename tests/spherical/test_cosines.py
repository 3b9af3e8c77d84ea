"""Cosines counted: exactly, and as a Gram matrix would."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import protosphere as ps
from protosphere.spherical.cosines import (
    cosine_counts,
    cosine_histogram,
    cosine_spectrum,
)


def brute_force(code: ps.SphericalCode) -> dict[float, int]:
    gram = code.points @ code.points.T
    return dict(Counter(np.round(gram[np.triu_indices(len(code), 1)], 9).tolist()))


def test_reed_muller_of_100_classes_in_16_dimensions() -> None:
    spectrum = cosine_spectrum(ps.construct("reed_muller", num_classes=100, dim=16))
    assert spectrum[Fraction(-1)] == 50
    assert sum(spectrum.values()) == 4950
    assert list(spectrum) == sorted(spectrum)


@given(
    request=st.sampled_from(
        [
            *(("reed_muller", 8), ("reed_muller", 16), ("bch", 15), ("bch", 31)),
            *(
                ("reed_solomon", 20),
                ("one_hot", 40),
                ("cross_polytope", 20),
                ("simplex", 39),
            ),
        ]
    ),
    num_classes=st.integers(2, 40),
    seed=st.integers(0, 5),
)
@settings(max_examples=40, deadline=None)
def test_the_spectrum_is_that_of_the_gram_matrix(
    request: tuple[str, int], num_classes: int, seed: int
) -> None:
    scheme, dim = request
    code = ps.construct(
        scheme, num_classes=num_classes, dim=dim, seed=seed, mapping="random"
    )
    spectrum = cosine_spectrum(code)
    assert {
        round(float(cosine), 9): pairs for cosine, pairs in spectrum.items()
    } == brute_force(code)
    assert max(spectrum) == code.max_cosine


@given(
    words=st.lists(
        st.lists(st.sampled_from([-1, 1]), min_size=9, max_size=9),
        min_size=2,
        max_size=12,
        unique_by=tuple,
    )
)
@settings(max_examples=40, deadline=None)
def test_words_without_structure(words: list[list[int]]) -> None:
    code = ps.from_points(np.array(words) / 3)
    assert code.placement.structure.name == "signs"
    spectrum = cosine_spectrum(code)
    assert {
        round(float(cosine), 9): pairs for cosine, pairs in spectrum.items()
    } == brute_force(code)


def test_a_histogram_counts_every_pair_once() -> None:
    code = ps.construct("uniform", num_classes=50, dim=6)
    counts = cosine_histogram(code, bins=17)
    assert sum(b.pairs for b in counts.bins) == counts.pairs == 1225
    cosines = (code.points @ code.points.T)[np.triu_indices(50, 1)]
    for b in counts.bins:
        assert b.pairs == np.count_nonzero((cosines >= b.low) & (cosines < b.high))
    assert counts.bins[-1].low <= counts.max_cosine <= counts.bins[-1].high


def test_counts_are_exact_where_they_can_be() -> None:
    exact = cosine_counts(ps.construct("bch", num_classes=100, dim=15))
    assert exact.exact
    assert sum(b.pairs for b in exact.bins) == 4950
    assert exact.records()[-1]["exact"] == "1/3"
    binned = cosine_counts(ps.construct("uniform", num_classes=20, dim=5))
    assert not binned.exact
    assert binned.records()[0]["exact"] is None
    assert sum(row["fraction_of_pairs"] for row in binned.records()) == pytest.approx(1)


def test_irrational_cosines_are_not_listed_one_by_one() -> None:
    with pytest.raises(ps.InvalidArgumentError, match="cosine_histogram"):
        cosine_spectrum(ps.construct("uniform", num_classes=5, dim=3))
    with pytest.raises(ps.InvalidArgumentError, match="bins"):
        cosine_histogram(ps.construct("uniform", num_classes=5, dim=3), bins=0)
