"""Codes from E8 and the Leech lattice that meet or nearly meet Levenshtein's lower bound on the maximum cosine."""

from collections.abc import Iterable
from fractions import Fraction

from protosphere.constructions.families import Member, family
from protosphere.constructions.lattices.leech_shell import TYPE_3
from protosphere.constructions.lattices.sections import E8, LEECH, Section, sparse

Vector = tuple[int, ...]

ANOTHER_TYPE_3: Vector = (1, 5, *(1,) * 22)
"""A vector that, with `TYPE_3`, determines the Higman-Sims graph."""


def _vectors_at_60_degrees(dim: int, entry: int, count: int) -> tuple[Vector, ...]:
    # any two of these vectors are at an angle of 60 degrees
    return tuple(sparse(dim, {0: entry, i + 1: entry}) for i in range(count))


def _sections_at_60_degrees() -> Iterable[Section]:
    # the fixed vectors are minimal vectors, pairwise at 60 degrees, as are the vectors of a section with each of them
    for parent, dim, entry, sizes in (
        (E8, 8, 2, (56, 27, 16, 10)),
        (LEECH, 24, 4, (4600, 891, 336, 170, 100)),
    ):
        for arms, size in enumerate(sizes, start=1):
            yield Section(
                dim=dim - arms,
                size=size,
                max_cosine=Fraction(1, arms + 2),
                parent=parent,
                fixed=_vectors_at_60_degrees(dim, entry, arms),
                products=(entry**2,) * arms,
                id=f"sharp-{dim - arms}-{size}",
                name=f"{size} points",
            )


def _sections_with_type_3() -> Iterable[Section]:
    # Conway & Sloane, Sphere packings, lattices and groups, table 10.4
    one, two = _vectors_at_60_degrees(24, 4, 2)
    orthogonal = sparse(24, {0: 4, 1: -4})
    yield _leech_section(552, 5, {TYPE_3: 24}, "276 equiangular lines")
    yield _leech_section(352, 5, {TYPE_3: 24, orthogonal: 8}, "176 equiangular lines")
    yield _leech_section(275, 6, {TYPE_3: 24, one: 16}, "McLaughlin graph")
    yield _leech_section(100, 11, {TYPE_3: 24, ANOTHER_TYPE_3: 24}, "Higman-Sims graph")
    yield _leech_section(
        162, 7, {TYPE_3: 24, one: 16, two: 16}, "McLaughlin, not adjacent to one"
    )
    yield _leech_section(
        112, 9, {TYPE_3: 24, one: 16, two: 8}, "McLaughlin, adjacent to one"
    )


def _leech_section(
    size: int, inverse_cosine: int, products: dict[Vector, int], name: str
) -> Section:
    # the vectors of the section have the inner product products[v] with each fixed vector v
    dim = 24 - len(products)
    return Section(
        dim=dim,
        size=size,
        max_cosine=Fraction(1, inverse_cosine),
        parent=LEECH,
        fixed=tuple(products),
        products=tuple(products.values()),
        id=f"sharp-{dim}-{size}",
        name=name,
    )


@family(
    summary="codes from E8 and the Leech lattice, most of them optimal, (n, K) = (5,16), (6,27), (7,56), (22,275), ...",
    reference="Delsarte, Goethals & Seidel (1977); Levenshtein (1992); Cohn & Kumar (2007), table 1",
)
def sharp_codes() -> Iterable[Member]:
    """Yield codes of minimal vectors of E8 or the Leech lattice that have given inner products with fixed vectors.

    There are one to five fixed vectors. The minimal vectors of a code are projected to the orthogonal complement of the
    fixed vectors, and then normalized. The codes with (n, K) = (5,16), (6,27), (7,56), (21,112), (21,162), (22,100),
    (22,275), (22,891), (23,552) and (23,4600) meet Levenshtein's bound, so that no K points in R^n have a lower maximum
    cosine. The codes with (n, K) = (4,10), (19,100), (20,170), (21,336) and (22,352) do not meet it.
    """
    sections = (*_sections_at_60_degrees(), *_sections_with_type_3())
    return sorted(
        (section.member for section in sections),
        key=lambda member: (member.dim, member.size),
    )
