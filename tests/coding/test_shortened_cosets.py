"""Shortened and punctured chains of cosets: what their ranks promise, against all pairs."""

import numpy as np
import pytest

import protosphere as ps
from protosphere.coding.shortened_cosets import ShortenedCosets
from protosphere.spherical.structures import shortened
from protosphere.spherical.structures.shortened import METHOD, PROVED, ShortenedWords
from protosphere.types import ignore


def largest_between_cosets(code: ShortenedCosets, cosets: int, group: int = 1) -> int:
    """The largest inner product of words of different groups of cosets, by all pairs."""
    count = cosets << code.coset_bits
    signs = 1 - 2 * np.unpackbits(code.words(count), axis=1, count=code.dim).astype(
        np.int64
    )
    products = signs @ signs.T
    groups = np.arange(count) >> code.coset_bits
    groups //= group
    return int(products[groups[:, None] != groups].max())


@pytest.mark.slow
@pytest.mark.parametrize("m", [3, 4, 5, 6])
@pytest.mark.parametrize(
    ("dropped", "punctured"), [(0, 0), (1, 0), (3, 0), (0, 2), (2, 1)]
)
def test_ranks_bound_all_pairs_and_an_attained_bound_is_exact(
    m: int, dropped: int, punctured: int
):
    code = ShortenedCosets(m, dropped, punctured)
    most = min(1 << m * (m - 1) // 2, 2048 >> code.coset_bits)
    for cosets in sorted({2, 3, 5, 8, 11, most}):
        if cosets > most:
            continue
        largest = largest_between_cosets(code, cosets)
        bound = code.closest_possible(cosets)
        assert largest <= bound
        assert code.attains(cosets, largest)
        assert not code.attains(cosets, bound + 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("m", "cosets", "group"), [(6, 36, 32), (5, 33, 32), (5, 12, 4)]
)
def test_probes_find_the_closest_pair_of_different_groups(
    m: int, cosets: int, group: int
):
    code = ShortenedCosets(m)
    largest = largest_between_cosets(code, cosets, group)
    assert code.attains(cosets, largest, group=group)
    assert not code.attains(cosets, largest + 2, group=group)


def test_no_pair_is_found_in_a_single_group():
    assert not ShortenedCosets(6).attains(8, 8, group=8)


@pytest.mark.parametrize(
    ("m", "dropped", "count"), [(10, 0, 30_000), (9, 1, 25_000), (8, 0, 33_000)]
)
def test_ranks_and_all_differences_certify_the_same_cosine(
    monkeypatch: pytest.MonkeyPatch, m: int, dropped: int, count: int
):
    words = ShortenedWords.of(ShortenedCosets(m, dropped), count)
    monkeypatch.setattr(shortened, "QUICK_PRODUCTS", 10**12)
    measured, method = words.largest_cosine(ignore)
    monkeypatch.setattr(shortened, "QUICK_PRODUCTS", 0)
    proved, reason = words.largest_cosine(ignore)
    assert measured == proved
    assert reason == PROVED
    assert method == METHOD


@pytest.mark.slow
def test_large_codes_are_certified_without_all_differences(
    monkeypatch: pytest.MonkeyPatch,
):
    def refuse(*_arguments: object) -> None:
        raise AssertionError("all differences were measured")

    monkeypatch.setattr(ShortenedCosets, "closest", refuse)
    code = ps.best(num_classes=100_000, dim=4096)
    guarantee = code.certificate.guarantee
    assert guarantee is not None
    assert float(code.max_cosine) == pytest.approx(float(guarantee), abs=1e-12)
