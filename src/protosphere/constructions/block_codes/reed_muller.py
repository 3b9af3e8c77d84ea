"""The construction `reed_muller`: prototypes from Reed-Muller codes, or from modifications of these codes.

RM(r, m) is the binary code of length 2^m and order r: its codewords are the values of the polynomials of degree at most
r in m variables. A modification of such a code can have any length.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from protosphere.coding import reed_muller as rm
from protosphere.coding.fields import binary_field
from protosphere.coding.linear import pack, row_reduce, unpack
from protosphere.coding.polynomials import LARGEST_DEGREE
from protosphere.constructions.block_codes.modified import (
    Modification,
    linear_words,
)
from protosphere.constructions.block_codes.words import BinaryCode, message_bits
from protosphere.constructions.traits import FigureStyle, Traits
from protosphere.types import Indices, PackedBits

LARGEST_M = 20

LARGEST_SHORTENED = 600
"""Largest dimension (number of message bits) of a code that is shortened, because shortening is slow.

Codes of larger dimension are only punctured.
"""


def reed_muller_modifications(dim: int, needed: int) -> list[BinaryCode]:
    """Return the modified Reed-Muller codes of a given length and dimension.

    The codes are made from Reed-Muller codes by shortening, puncturing or repeating coordinates. Only codes with a
    guaranteed minimum distance above 0 are returned.

    Args:
        dim: Length n of the modified codes.
        needed: Dimension (number of message bits) of the modified codes. A code has 2**needed codewords.
    """
    m = (dim - 1).bit_length()
    lengths = [*range(m, m + 2), *([m - 1] if dim > 1 else [])]
    return [
        modified
        for m in lengths
        for modified in _modifications_of(m, dim, needed)
        if modified.distance > 0
    ]


def _modifications_of(m: int, dim: int, needed: int) -> Iterator[BinaryCode]:
    excess = (1 << m) - dim
    for r in range(m + 1):
        k = rm.dimension(r, m)
        if k < needed:
            continue
        shortened = max(0, min(k - needed, excess)) if k <= LARGEST_SHORTENED else 0
        punctured = max(0, excess - shortened)
        repeated = max(0, -excess)
        modification = Modification(
            shortened=shortened, punctured=punctured, repeated=repeated
        )
        yield BinaryCode(
            id=modification.id(f"rm-{r}-{m}"),
            description=modification.description(f"RM({r},{m})"),
            k=needed,
            distance=(1 << (m - r)) - punctured,
            rows=partial(_modified_rows, r, m, dim, shortened),
        )


def _modified_rows(r: int, m: int, dim: int, shortened: int, count: int) -> PackedBits:
    # shortening keeps only the codewords that are 0 at the `vanishing` coordinates, and removes these coordinates,
    # whose indices have the fewest ones in binary notation
    vanishing = np.argsort(np.bitwise_count(np.arange(1 << m)), kind="stable")[
        :shortened
    ]
    reduced, pivots = row_reduce(
        rm.generator_rows(r, m, rm.dimension(r, m) if shortened else count), vanishing
    )
    rows = reduced[len(pivots) :][:count]
    if dim == 1 << m:
        return rows
    # np.resize takes the first `dim` columns, or repeats the columns
    columns = np.setdiff1d(_points_by_power(m), vanishing, assume_unique=True)
    return pack(unpack(rows, 1 << m)[:, np.resize(columns, dim)])


def _points_by_power(m: int) -> Indices:
    # 0, 1, alpha, alpha^2, ... for the primitive element alpha of the tables; 0, ..., 2^m - 1 if there are no tables
    if 1 <= m <= LARGEST_DEGREE:
        return np.append(0, binary_field(m).exp[: (1 << m) - 1])
    return np.arange(1 << m)


@linear_words(
    rule="2**m",
    lengths=[1 << m for m in range(LARGEST_M + 1)],
    longest=1 << LARGEST_M,
    modifications=reed_muller_modifications,
    summary="Reed-Muller codewords with entries +-1/sqrt(n), n = 2^m; max cosine at most 0 for n of at least K/2",
    reference="Lindstrom et al. (2024), lemma 3.2; MacWilliams & Sloane, chapter 13",
    traits=Traits(
        packed=True,
        linear=True,
        quick_guarantee=True,
        in_paper=True,
        page_formula=True,
        style=FigureStyle("Reed-Muller", "#0072B2", "o", "-"),
    ),
)
def reed_muller(num_classes: int, dim: int) -> BinaryCode:
    """Return the smallest Reed-Muller code RM(r, m) of length n = 2^m that has at least K codewords.

    RM(r, m) is the binary code of the values of all polynomials of degree at most r in m variables. The construction
    `reed_muller` takes K codewords of the returned code as prototypes. If its option `modify` is True, it takes them
    from another code of length n, which is made from a Reed-Muller code by shortening, puncturing or repeating
    coordinates. Of the codes that can be made in this way, it is one with a large minimum distance.

    Args:
        num_classes: Number K of codewords.
        dim: Length n.
    """
    m = dim.bit_length() - 1
    r = rm.order_for(message_bits(num_classes), m)
    assert r is not None, (
        "infeasible_reason has made sure that the code is large enough"
    )
    return BinaryCode(
        id=f"rm-{r}-{m}",
        description=f"RM({r},{m})",
        k=rm.dimension(r, m),
        distance=1 << (m - r),
        rows=partial(rm.generator_rows, r, m),
    )
