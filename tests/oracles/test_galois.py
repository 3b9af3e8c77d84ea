"""Our finite fields and BCH codes against the galois package.

galois compiles every field anew unless told not to, and its BCH class is slow even then: it is asked for lengths up to
63, and its minimal polynomials for all lengths up to 255.
"""

from functools import reduce

import galois
import numpy as np
import pytest

from protosphere.coding import linear
from protosphere.coding.bch import bch_family, generator_polynomial, systematic_rows
from protosphere.coding.fields import binary_field, field
from protosphere.coding.polynomials import primitive_polynomial


def galois_field(m: int):
    modulus = galois.Poly.Int(primitive_polynomial(m))
    return galois.GF(
        2**m, irreducible_poly=modulus, compile="python-calculate"
    )  # without seconds of compiling


def galois_family(m: int) -> list[tuple[int, int, int]]:
    """(k, designed distance, generator) of every narrow-sense code of length n = 2^m - 1, by galois' polynomials."""
    gf = galois_field(m)
    n = 2**m - 1
    alpha = gf.primitive_element
    product = galois.Poly.One()
    found = list[tuple[int, int, int]]()
    roots = set[int]()
    for power in range(1, n + 1):
        root = alpha**power
        if int(root) not in roots:
            found.append((n - product.degree, power, int(product)))
            product *= root.minimal_poly()
            roots.update(int(root ** (2**j)) for j in range(m))
    return found[::-1]


def test_all_76_codes_and_the_trivial_ones() -> None:
    """76 codes with 7 <= n <= 255 and k < n, repetition (k = 1) included; besides them k = n six times, and n = 3."""
    agreed = 0
    for m in range(2, 9):
        ours = [
            (code.k, code.bose_distance, generator_polynomial(m, code.k))
            for code in bch_family(m)
        ]
        assert ours == galois_family(m)
        agreed += sum(k < 2**m - 1 for k, _, _ in ours) if m > 2 else 0
    assert agreed == 76


@pytest.mark.parametrize("m", [2, 3, 4, 5, 6])
def test_systematic_generators(m: int) -> None:
    gf = galois_field(m)
    n = 2**m - 1
    for code in bch_family(m):
        theirs = galois.BCH(n, code.k, extension_field=gf)
        g = generator_polynomial(m, code.k)
        assert (theirs.d, int(theirs.generator_poly)) == (code.bose_distance, g)
        assert np.array_equal(
            linear.unpack(systematic_rows(g, n, 0, code.k), n), np.asarray(theirs.G)
        )


@pytest.mark.parametrize(
    "q",
    [2, 4, 7, 8, 9, 16, 25, 27, 31, 32, 49, 64, 81, 121, 125, 128, 169, 243, 251, 256],
)
def test_field_tables(q: int) -> None:
    ours = field(q)
    if ours.e > 1:
        x_to_e = reduce(lambda a, b: int(ours.multiply[a, b]), [ours.p] * ours.e)
    else:
        x_to_e = 0
    low = [-(x_to_e // ours.p**i) % ours.p for i in range(ours.e)]
    modulus = galois.Poly(
        [1, *low[::-1]], field=galois.GF(ours.p, compile="python-calculate")
    )
    theirs = galois.GF(
        q, irreducible_poly=modulus if ours.e > 1 else None, compile="python-calculate"
    )
    x = theirs(np.arange(q).tolist())
    some = x if q <= 32 else x[:: q // 16]
    rows = np.asarray(some, dtype=int)
    assert np.array_equal(
        ours.add[rows], np.asarray(some[:, None] + x[None]).astype(int)
    )
    assert np.array_equal(
        ours.multiply[rows], np.asarray(some[:, None] * x[None]).astype(int)
    )


def test_trace() -> None:
    gf = galois_field(6)
    x = np.arange(64)
    assert np.array_equal(binary_field(6).trace(x), np.asarray(gf(x).field_trace()))


def test_primitive_polynomials() -> None:
    assert [primitive_polynomial(m) for m in range(1, 17)] == [
        int(galois.primitive_poly(2, m)) for m in range(1, 17)
    ]
