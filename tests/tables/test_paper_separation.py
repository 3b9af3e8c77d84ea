"""The exact separations of the paper's schemes at their native lengths, and of their modifications."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import protosphere as ps
from protosphere.coding.reed_solomon import reed_solomon_words

NATIVE = {
    ("reed_muller", 10): {4: "1/2", 8: "0"},
    ("reed_muller", 100): {16: "1/2", 32: "1/2", 64: "0", 128: "0"},
    ("reed_muller", 1000): {64: "1/2", 128: "1/2", 256: "1/2", 512: "0"},
    ("bch", 10): {7: "1/7", 15: "1/15", 31: "1/31"},
    ("bch", 100): {15: "1/3", 31: "9/31", 63: "1/63", 127: "1/127", 255: "1/255"},
    ("bch", 1000): {63: "1/7", 127: "17/127", 255: "1/15", 511: "1/511"},
}
CELLS = [
    (scheme, K, n, value)
    for (scheme, K), row in NATIVE.items()
    for n, value in row.items()
]


@pytest.mark.parametrize(("scheme", "num_classes", "dim", "value"), CELLS)
def test_native_lengths(scheme, num_classes, dim, value):
    code = ps.construct(scheme, num_classes=num_classes, dim=dim)
    assert code.max_cosine == Fraction(value)
    assert code.certificate.exact


@pytest.mark.parametrize(
    ("scheme", "num_classes", "dim", "value"),
    [
        (
            "bch",
            100,
            127,
            "-1/127",
        ),  # the binary simplex code, where the paper's choice gives +1/127
        ("bch", 100, 64, "0"),
        ("bch", 100, 31, "7/31"),  # even weights only
        ("bch", 2, 1, "-1"),
        ("reed_muller", 100, 127, "-1/127"),
        ("reed_muller", 100, 63, "1/63"),
        ("reed_muller", 100, 64, "0"),
    ],
)
def test_modified_lengths(scheme, num_classes, dim, value):
    assert ps.construct(
        scheme, num_classes=num_classes, dim=dim, modify=True
    ).max_cosine == Fraction(value)


@pytest.mark.parametrize("scheme", ["reed_muller", "bch"])
@pytest.mark.parametrize("num_classes", [2, 3, 10, 100, 1000])
def test_modifying_is_never_worse_than_the_native_code(scheme, num_classes):
    for dim in (*range(1, 70), 127, 128, 255, 256):
        try:
            native = ps.construct(scheme, num_classes=num_classes, dim=dim).max_cosine
        except ps.InfeasibleError:
            native = Fraction(1)
        if 2**dim >= num_classes:
            assert (
                ps.construct(
                    scheme, num_classes=num_classes, dim=dim, modify=True
                ).max_cosine
                <= native
            )


@pytest.mark.parametrize("scheme", ["reed_muller", "bch"])
def test_greedy_is_never_worse_than_first_and_better_where_the_family_skips_a_dimension(
    scheme,
):
    for power in (16, 32, 64, 128):
        dim = power - (scheme == "bch")
        first = ps.construct(scheme, num_classes=100, dim=dim).max_cosine
        assert (
            ps.construct(scheme, num_classes=100, dim=dim, subset="greedy").max_cosine
            <= first
        )
    assert ps.construct(
        "reed_muller", num_classes=100, dim=16, subset="greedy"
    ).max_cosine == Fraction(1, 4)


OUTER = [
    (2, 2),
    (3, 2),
    (3, 3),
    (4, 3),
    (4, 4),
    (5, 3),
    (5, 5),
    (7, 4),
    (7, 7),
    (8, 5),
    (8, 8),
    (9, 6),
    (9, 9),
    (16, 8),
]
REED_SOLOMON = [
    (q, n_q, k_q)
    for q, n_q in OUTER
    for k_q in (1, 2, 3)
    if k_q <= n_q and q**k_q <= 600
]


@pytest.mark.parametrize(("q", "n_q", "k_q"), REED_SOLOMON)
def test_reed_solomon_meets_its_guarantee_where_lightest_words_are_chosen(q, n_q, k_q):
    code = ps.construct("reed_solomon", num_classes=q**k_q, dim=n_q * (q - 1), q=q)
    guarantee = 1 - Fraction(q, q - 1) * Fraction(n_q - k_q + 1, n_q)
    assert code.certificate.guarantee == guarantee
    assert code.max_cosine == guarantee, (
        "all words are chosen, those at distance n_q - k_q + 1 among them"
    )


@pytest.mark.parametrize(
    ("q", "n_q", "num_classes"),
    [(3, 3, 5), (4, 4, 10), (5, 4, 30), (8, 3, 20), (9, 5, 100)],
)
def test_reed_solomon_subsets_measure_what_symbol_distances_say(q, n_q, num_classes):
    code = ps.construct("reed_solomon", num_classes=num_classes, dim=n_q * (q - 1), q=q)
    k_q = next(k for k in range(1, 9) if q**k >= num_classes)
    words = reed_solomon_words(q, n_q, k_q, np.arange(num_classes))
    distances = (words[:, None, :] != words[None, :, :]).sum(axis=2)[
        np.triu_indices(num_classes, 1)
    ]
    assert code.max_cosine == 1 - Fraction(q, q - 1) * Fraction(
        int(distances.min()), n_q
    )
    assert code.max_cosine <= code.certificate.guarantee


def test_the_paper_numbers_words_by_the_bits_of_the_class():
    code = ps.construct("reed_muller", num_classes=10, dim=8)
    bits = (code.points > 0).astype(int)
    assert not bits[0].any()
    assert bits[1].all(), "bit 0 of the class adds the constant monomial"
    assert np.array_equal(bits[5], bits[4] ^ bits[1])
    antipodal = [
        (i, j)
        for i in range(10)
        for j in range(i)
        if np.array_equal(bits[i], 1 - bits[j])
    ]
    assert (5, 4) in antipodal
    assert (9, 8) in antipodal
