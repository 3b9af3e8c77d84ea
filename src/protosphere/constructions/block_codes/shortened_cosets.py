"""Kerdock, Gold, dual BCH and Delsarte-Goethals codes, shortened and punctured to lengths between powers of two."""

from collections.abc import Iterator
from functools import partial

from protosphere.coding.shortened_cosets import ShortenedCosets
from protosphere.constructions.block_codes.coset_forms import nested_codes
from protosphere.constructions.block_codes.modified import Modification
from protosphere.constructions.families import Member, family
from protosphere.constructions.traits import Traits
from protosphere.spherical.structures import ShortenedWords

MOST_PUNCTURED = 4
LARGEST_M = 12


@family(
    summary="unions of cosets of RM(1, m), such as Kerdock codes, shortened and punctured to more lengths",
    reference="MacWilliams & Sloane, chapter 1, section 9, on the codes of chapter 15",
    traits=Traits(packed=True, fast_projection=True),
)
def shortened_cosets() -> Iterator[Member]:
    """Yield unions of cosets of RM(1, m), shortened by j coordinates and punctured by i coordinates.

    RM(1, m) is the first-order Reed-Muller code of length 2^m. The unions are RM(1, m) itself and Kerdock,
    Delsarte-Goethals, Gold and dual BCH codes of length 2^m.

    Shortening keeps the codewords that are zero in j coordinates and deletes these coordinates, which are affinely
    independent as points of F_2^m. Puncturing deletes i more coordinates. Shortening by one coordinate halves the
    number of codewords, and it lowers the maximum cosine mu of a code of length N by (1 - mu)/(N - 1). For example,
    Kerdock's code of length 16, shortened once, has 128 codewords of length 15 with maximum cosine 1/5.
    """
    for m in range(2, LARGEST_M + 1):
        cuts = [
            (j, i)
            for j in range(m + 1)
            for i in range(MOST_PUNCTURED + 1)
            if 0 < j + i < (1 << m) - 2
        ]
        members = (
            _member(ShortenedCosets(m, j, i), level)
            for j, i in cuts
            for level in nested_codes(m)
        )
        yield from (
            member
            for member in members
            if member.size > member.dim and member.max_cosine < 1
        )


def _member(code: ShortenedCosets, level: Member) -> Member:
    modification = Modification(shortened=code.shortened, punctured=code.punctured)
    return Member(
        dim=code.dim,
        size=level.size >> code.shortened,
        max_cosine=code.max_cosine(level.max_cosine),
        id=modification.id(level.id),
        description=modification.description(level.description),
        structure=partial(ShortenedWords.of, code),
    )
