"""BCH codes: published tables, cyclic-code laws, honest distances."""

from itertools import pairwise
from math import comb

import numpy as np
import pytest
from tests.coding.built_codes import bch, rank

from protosphere.coding import linear
from protosphere.coding import polynomials as gf2
from protosphere.coding.bch import (
    bch_family,
    coset_leaders,
    generator_polynomial,
    minimal_polynomials,
    systematic_rows,
)
from protosphere.coding.fields import binary_field
from protosphere.coding.linear import smallest_weight
from protosphere.errors import InfeasibleError, InvalidArgumentError

PUBLISHED = {  # (k, d); Lin & Costello, Error Control Coding, appendix C; MacWilliams & Sloane, figure 9.1
    3: [(1, 7), (4, 3)],
    4: [(1, 15), (5, 7), (7, 5), (11, 3)],
    5: [(1, 31), (6, 15), (11, 11), (16, 7), (21, 5), (26, 3)],
    6: [
        (1, 63),
        (7, 31),
        (10, 27),
        (16, 23),
        (18, 21),
        (24, 15),
        (30, 13),
        (36, 11),
        (39, 9),
        (45, 7),
        (51, 5),
        (57, 3),
    ],
}
SMALL = [
    (m, code)
    for m in range(2, 8)
    for code in (*bch_family(m), *bch_family(m, even=True))
]


@pytest.mark.parametrize("m", PUBLISHED)
def test_published_table(m: int) -> None:
    n = 2**m - 1
    assert [(code.k, code.bose_distance) for code in bch_family(m)] == [
        *PUBLISHED[m],
        (n, 1),
    ]


@pytest.mark.parametrize("m", range(2, 17))
def test_families_run_from_repetition_to_the_whole_space(m: int) -> None:
    n = 2**m - 1
    family = bch_family(m)
    even = bch_family(m, even=True)
    assert (family[0].k, family[0].bose_distance) == (1, n)
    assert (family[-1].k, family[-1].bose_distance) == (n, 1)
    assert (even[0].k, even[0].bose_distance) == (m, 2 ** (m - 1))
    for codes in (family, even):
        assert all(
            a.k < b.k and a.bose_distance > b.bose_distance for a, b in pairwise(codes)
        )
    assert all(code.bose_distance % 2 == 1 for code in family)
    assert [(c.k - 1, c.bose_distance + 1) for c in family[1:]] == [
        (c.k, c.bose_distance) for c in even
    ]


@pytest.mark.parametrize("m", range(2, 9))
def test_generator_has_just_the_designed_roots(m: int) -> None:
    field = binary_field(m)
    n = 2**m - 1
    for code in (*bch_family(m), *bch_family(m, even=True)):
        g = generator_polynomial(m, code.k, code.even)
        assert gf2.degree(g) == n - code.k
        assert gf2.remainder((1 << n) ^ 1, g) == 0
        powers = [i for i in range(n - code.k + 1) if g >> i & 1]
        values = np.bitwise_xor.reduce(
            field.exp[np.outer(np.arange(n), powers) % n], axis=1
        )
        first = 0 if code.even else 1
        designed = range(first, code.bose_distance - 1 + first)
        assert not values[list(designed)].any()
        assert values[(designed.stop) % n] != 0 or code.bose_distance == n
        assert code.even == (values[0] == 0)


@pytest.mark.parametrize("m", [10, 13, 16])
def test_large_generators_divide(m: int) -> None:
    n = 2**m - 1
    family = bch_family(m)
    for code in (family[1], family[-2], family[-3]):
        g = generator_polynomial(m, code.k)
        assert gf2.degree(g) == n - code.k
        assert gf2.remainder((1 << n) ^ 1, g) == 0


@pytest.mark.parametrize(("m", "code"), SMALL)
def test_distance_is_honest(m: int, code) -> None:
    built = bch(m, code.k, code.even)
    assert rank(built, code.n) == len(built) == code.k
    if code.k <= 18:
        counted = smallest_weight(built, code.n)
        assert counted >= code.bose_distance
        if code.even or _met_by_theorem(m, code):
            assert counted == code.bose_distance


def _met_by_theorem(m: int, code) -> bool:
    """Farr: with d = 2t + 1 designed, C(n, t + 1) > 2^(n-k) leaves no room for 2t + 3, and the distance is odd."""
    n = 2**m - 1
    d = code.bose_distance
    # 1 + x^(n/d) + x^(2n/d) + ...
    if n % d == 0:
        witness = ((1 << n) - 1) // ((1 << (n // d)) - 1)
    else:
        witness = 0
    in_code = (
        witness.bit_count() == d
        and gf2.remainder(witness, generator_polynomial(m, code.k)) == 0
    )
    return (
        in_code
        or d + 1 == 1 << d.bit_length()
        or comb(n, (d + 1) // 2) > 1 << (n - code.k)
    )


def test_systematic_rows_are_words_in_systematic_form() -> None:
    g = generator_polynomial(6, 24)
    n = 63
    k = 24
    rows = systematic_rows(g, n, 0, k)
    bits = linear.unpack(rows, n)
    assert np.array_equal(bits[:, :k], np.eye(k))
    for row in bits:
        assert gf2.remainder(int("".join(map(str, row)), 2), g) == 0
    for first in (0, 5, 23):
        for count in (0, 1, k - first):
            assert np.array_equal(
                systematic_rows(g, n, first, count), rows[first : first + count]
            )


def test_even_codes_are_the_even_words() -> None:
    whole = bch(5, 11)
    even = bch(5, 10, even=True)
    words = linear.codewords(whole, 2**11)
    kept = {word.tobytes() for word in words[linear.weights(words) % 2 == 0]}
    assert {word.tobytes() for word in linear.codewords(even, 2**10)} == kept


def test_simplex_code_has_one_weight() -> None:
    for m in range(2, 12):
        code = bch(m, m, even=True)
        assert np.all(linear.weights(linear.codewords(code, 2**m))[1:] == 2 ** (m - 1))


@pytest.mark.parametrize("m", range(2, 13))
def test_cosets_partition_and_minimal_polynomials_multiply_to_x_n_minus_1(
    m: int,
) -> None:
    leaders, sizes = coset_leaders(m)
    assert sizes.sum() == 2**m - 1
    product = 1
    for f, size in zip(minimal_polynomials(m, leaders), sizes.tolist(), strict=True):
        assert gf2.degree(f) == size
        assert m > 8 or all(
            gf2.remainder(f, g) for g in range(2, 1 << (size // 2 + 1))
        )  # irreducible
        product = gf2.multiply(product, f)
    assert product == (1 << (2**m - 1)) ^ 1


def test_bad_input() -> None:
    for m in (1, 17):
        with pytest.raises(
            InvalidArgumentError, match=rf"'m' must be 2, ..., 16 .*got {m}"
        ):
            bch_family(m)
    with pytest.raises(InfeasibleError, match="'count' must be at most k - first = 4"):
        systematic_rows(generator_polynomial(4, 5), 15, 1, 5)
