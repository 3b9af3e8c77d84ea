"""Prototypes from BCH codes of length 2^m - 1, or of any length if the codes are modified.

A BCH code is a binary linear code. A code with k message bits has 2^k codewords. A modified code is made from a BCH
code by shortening, by adding a parity bit, by removing coordinates, or by appending copies of coordinates.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from protosphere.coding.bch import (
    BCHParameters,
    bch_family,
    generator_polynomial,
    systematic_rows,
)
from protosphere.coding.linear import pack, unpack
from protosphere.constructions.block_codes.modified import (
    Modification,
    linear_words,
)
from protosphere.constructions.block_codes.words import BinaryCode, message_bits
from protosphere.constructions.traits import FigureStyle, Traits
from protosphere.types import PackedBits

SMALLEST_M = 2
LARGEST_M = 16


def bch_modifications(dim: int, needed: int) -> list[BinaryCode]:
    """Return the modified BCH codes of length n with a given number of message bits.

    Only codes for which a positive lower bound on the minimum distance is guaranteed are returned. The codes are made
    from narrow-sense BCH codes and from the subcodes of their codewords of even weight. They are shortened, extended by
    a parity bit, punctured, or lengthened by copies of coordinates until the length is n.

    Args:
        dim: Length n.
        needed: Number of message bits: a code has 2**needed codewords.
    """
    m = max(SMALLEST_M, (dim - 1).bit_length())
    lengths = [
        candidate
        for candidate in (m - 1, m, m + 1)
        if SMALLEST_M <= candidate <= LARGEST_M
    ]
    families = [bch_family(m, even) for m in lengths for even in (False, True)]
    codes = [code for family in families for code in family if code.k >= needed]
    return [
        modified
        for code in codes
        for modified in _modifications_of(code, dim, needed)
        if modified.distance > 0
    ]


def _modifications_of(
    code: BCHParameters, dim: int, needed: int
) -> Iterator[BinaryCode]:
    for extended in (False, True) if code.bose_distance % 2 else (False,):
        excess = code.n + extended - dim
        shortened = max(0, min(code.k - needed, excess))
        punctured = max(0, excess - shortened)
        repeated = max(0, -excess)
        modification = Modification(shortened, extended, punctured, repeated)
        id, description = _names(code)
        yield BinaryCode(
            id=modification.id(id),
            description=modification.description(description),
            k=needed,
            distance=code.bose_distance + extended - punctured,
            rows=partial(_first_generator_rows, code, dim, shortened, extended),
        )


def _names(code: BCHParameters) -> tuple[str, str]:
    if code.even:
        return f"even-bch-{code.n}-{code.k}", f"even-weight BCH({code.n},{code.k})"
    return f"bch-{code.n}-{code.k}", f"BCH({code.n},{code.k})"


def _first_generator_rows(
    code: BCHParameters, dim: int, shortened: int, extended: bool, count: int
) -> PackedBits:
    # the first `shortened` rows and columns of the systematic generator matrix are removed
    polynomial = generator_polynomial(code.m, code.k, code.even)
    bits = unpack(systematic_rows(polynomial, code.n, shortened, count), code.n)[
        :, shortened:
    ]
    if extended:  # by a parity bit
        bits = np.hstack(
            [bits, bits.sum(axis=1, keepdims=True, dtype=np.uint8) & np.uint8(1)]
        )
    if (
        dim > bits.shape[1]
    ):  # its own columns once more, in order: no distance gets smaller
        return pack(bits[:, np.arange(dim) % bits.shape[1]])
    return pack(bits[:, bits.shape[1] - dim :] if extended else bits[:, :dim])


@linear_words(
    rule="2**m - 1",
    lengths=[(1 << m) - 1 for m in range(SMALLEST_M, LARGEST_M + 1)],
    longest=1 << LARGEST_M,
    modifications=bch_modifications,
    summary="BCH codewords with entries +-1/sqrt(n); max cosine slightly above 0 for n of at least K/2",
    reference="Lindstrom et al. (2024), section 3.1; MacWilliams & Sloane, chapters 7 and 9",
    traits=Traits(
        packed=True,
        linear=True,
        quick_guarantee=True,
        in_paper=True,
        page_formula=True,
        style=FigureStyle("BCH", "#E69F00", "^", "--"),
    ),
)
def bch(num_classes: int, dim: int) -> BinaryCode:
    """Return the smallest narrow-sense BCH code of length n = 2^m - 1 that has at least K codewords.

    The prototypes of the scheme 'bch' are K codewords of this code, with entries +-1/sqrt(n). The scheme has an option
    `modify`. If it is True, n may be any length, and the scheme uses a BCH code that is shortened, extended, punctured
    or lengthened to length n.

    Args:
        num_classes: Number K of codewords.
        dim: Length n.
    """
    code = next(
        code
        for code in bch_family(dim.bit_length())
        if code.k >= message_bits(num_classes)
    )
    rows = partial(systematic_rows, generator_polynomial(code.m, code.k), dim, 0)
    id, description = _names(code)
    return BinaryCode(id, description, code.k, code.bose_distance, rows)
