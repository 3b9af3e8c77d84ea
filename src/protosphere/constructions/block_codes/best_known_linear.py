"""Codewords of the best known binary linear codes, for every length up to 128 and up to 2^17 codewords.

A code of dimension k has 2^k codewords. The codes are rows of a table that is shipped with the package.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from protosphere.coding.derivations import generator_matrix
from protosphere.coding.linear import pack
from protosphere.constructions.block_codes.words import first_words, message_bits
from protosphere.constructions.families import Member, family
from protosphere.constructions.limits import dim_infeasible_reason
from protosphere.constructions.traits import Traits
from protosphere.errors import InvalidArgumentError, brief
from protosphere.spherical.structures import LinearWords
from protosphere.tables.linear_codes import (
    LARGEST_DIMENSION,
    LARGEST_LENGTH,
    LinearCodeRow,
    shipped_linear_codes,
)

ID = re.compile(r"(\d{1,3})-(\d{1,2})-(\d{1,3}) (.+)", re.DOTALL)
"""Pattern of the id of a code: length-dimension-distance, followed by a space and the derivation of the code.

Any later version of the package can build the code from its derivation.
"""


def _infeasible_reason(num_classes: int, dim: int) -> str | None:
    most = 1 << LARGEST_DIMENSION
    if num_classes > most:
        return (
            f"'best_known_linear' serves up to {most} classes, got {brief(num_classes)}"
        )
    if dim > LARGEST_LENGTH:
        return f"'best_known_linear' serves dim up to {LARGEST_LENGTH}, got {brief(dim)}; nearest: {LARGEST_LENGTH}"
    return dim_infeasible_reason(
        "best_known_linear", "2**dim >= num_classes", message_bits, num_classes, dim
    )


def _fitting(num_classes: int, dim: int) -> Member | None:
    row = shipped_linear_codes().rows.get((dim, message_bits(num_classes)))
    return row and _member(row)


def _member(row: LinearCodeRow) -> Member:
    written = shipped_linear_codes().derivation(row.length, row.dimension)
    return _named(row.length, f"{row.length}-{row.dimension}-{row.distance} {written}")


def _named(dim: int, id: str) -> Member:
    read = ID.fullmatch(id)
    if read is None or int(read[1]) != dim:
        raise InvalidArgumentError(
            f"'member' must be the id of a code of length {dim}, got {brief(id)}"
        )
    k = int(read[2])
    distance = int(read[3])
    derivation = read[4]
    return Member(
        dim=dim,
        size=1 << k,
        max_cosine=1 - Fraction(2 * distance, dim),
        id=id,
        description=f"[{dim},{k},{distance}] {derivation}",
        structure=partial(_codewords, id, dim, k, derivation),
    )


def _codewords(
    id: str, dim: int, k: int, derivation: str, num_classes: int
) -> LinearWords:
    bits = generator_matrix(derivation)
    if bits.shape != (k, dim):
        raise InvalidArgumentError(
            f"'member' must derive a code of its length and dimension, got {brief(id)}"
        )
    return first_words(pack(bits), dim, num_classes)


@family(
    infeasible_reason=_infeasible_reason,
    summary="codewords of the best known binary linear code of length n up to 128, K up to 2^17; max cosine 1 - 2d/n",
    reference="parameters to meet in Brouwer's table (2006); quasi-cyclic codes after Gulliver & Bhargava (1991)",
    named=_named,
    fitting=_fitting,
    traits=Traits(packed=True, linear=True),
)
def best_known_linear(largest_dim: int) -> Iterator[Member]:
    """Yield the best binary linear codes of length at most `largest_dim` in the table shipped with the package.

    A code of dimension k has 2^k codewords. A code is left out if the table has another code whose length is at most as
    large, whose dimension is at least as large, and whose maximum cosine is at most as large. For K points in R^n,
    `ps.construct("best_known_linear", ...)` takes the code of the table that has length n and the smallest dimension k
    with 2^k >= K, even if this code is not yielded.

    Args:
        largest_dim: Largest length of the codes.
    """
    return (
        _member(row)
        for row in shipped_linear_codes().leading()
        if row.length <= largest_dim
    )
