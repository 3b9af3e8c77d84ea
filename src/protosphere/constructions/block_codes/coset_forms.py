"""Sign codes that are unions of cosets of RM(1, m), nested: the first words of each are the one before it.

For m even RM(1, m) < Kerdock < Delsarte-Goethals 1 < 2 < ...; for m odd RM(1, m) < Gold < dual BCH 2 < ... The words of
each are numbered coset by coset (`codes.cosets`), and the cosets by their quadratic form (`codes.quadratic_forms`), so
that a code of K classes is the first K words, whatever its level.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from protosphere.code.structures import CosetUnion, LinearWords, Structure
from protosphere.codes import quadratic_forms as forms
from protosphere.codes.reed_muller import generator_rows
from protosphere.constructions.block_codes.words import STRUCTURE_BITS, first_words, message_bits
from protosphere.constructions.families import Member, dense_member, family
from protosphere.types import Points

LARGEST_WITH_AXES = 8
"""Up to n = 2^8 the axes may join: those points are dense, and at n = 2^10 they would take 8 GB."""


@dataclass(frozen=True)
class ChainLevel:
    """One code of a chain: its first `size` words have cosines of at most `max_cosine`, and one pair has just that."""

    size: int
    max_cosine: Fraction
    name: str


@lru_cache
def chain(m: int) -> tuple[ChainLevel, ...]:
    """The nested codes of length 2^m, 1 <= m <= 16, from RM(1, m) on.

    >>> [(level.name, level.size, str(level.max_cosine)) for level in chain(4)]
    [('RM(1,4)', 32, '0'), ('Kerdock(4)', 256, '1/4'), ('Delsarte-Goethals(4,1)', 2048, '1/2')]
    """
    most = min(forms.form_bits(m), forms.LARGEST_NUMBER_BITS)
    layer = m - 1 + m % 2  # bits of a form that one more level leaves free
    levels = [
        ChainLevel(1 << (layer * r + m + 1), Fraction(1, 1 << (m // 2 + 1 - r)), _level_name(m, r))
        for r in range(1, most // layer + 1)
    ]
    return (ChainLevel(2 << m, Fraction(0), f"RM(1,{m})"), *levels)


def _level_name(m: int, r: int) -> str:
    if m % 2:
        return f"dual BCH({m},{r})" if r > 1 else f"Gold({m})"
    return f"Delsarte-Goethals({m},{r - 1})" if r > 1 else f"Kerdock({m})"


def coset_union(m: int, num_classes: int) -> CosetUnion:
    """The first words of the chain, coset by coset, each in the order of Sylvester's matrix."""
    representatives = forms.quadratic_forms(m, 0, -(-num_classes >> (m + 1)))
    return CosetUnion.of(representatives, m, np.arange(num_classes))


def _member(m: int, level: ChainLevel, words: Callable[[int, int], Structure] = coset_union) -> Member:
    return Member(1 << m, level.size, level.max_cosine, level.name, partial(words, m))


@family(
    summary="Kerdock words as +-1/sqrt(n), n = 4^t: n^2 of them, with the axes n^2 + 2n, at max cosine 1/sqrt(n)",
    reference="Kerdock (1972); Levenstein (1982); Calderbank, Cameron, Kantor & Seidel (1997)",
    packed=True,
)
def kerdock(largest_dim: int) -> Iterator[Member]:
    """n/2 cosets of RM(1, m), n = 2^m, m even: with the axes, n/2 + 1 mutually unbiased bases and their negatives.

    The cosines are 0, -1 and +-1/sqrt(n), and no antipodal set with these is larger (Levenstein 1982). The points are
    packed words up to n^2 classes and dense above, for n up to 256. n = 4 with the axes is the 24-cell.
    """
    for m in range(2, min(largest_dim, 1 << 16).bit_length(), 2):
        level = chain(m)[1]
        yield _member(m, level)
        if m <= LARGEST_WITH_AXES:
            size, recipe = level.size + (2 << m), f"{level.name} and the axes"
            step, points = Fraction(2, 1 << m), partial(unbiased_points, m)
            yield dense_member(1 << m, size, level.max_cosine, recipe, points, step)


def unbiased_points(m: int, num_points: int) -> Points:
    """The first of Kerdock's n^2 + 2n points of R^n, m even: words coset by coset, then the axes e_1, -e_1, e_2, ..."""
    n = 1 << m
    words = coset_union(m, min(num_points, n * n))
    points = np.zeros((num_points, n))
    points[: words.count] = words.unit_rows(0, words.count)
    axes = np.arange(num_points - words.count)
    points[words.count + axes, axes // 2] = 1 - 2 * (axes % 2)
    return points


@family(
    summary="Delsarte-Goethals words as +-1/sqrt(n), n = 2^m, m even: max cosine 2^r/sqrt(n) for n^2 (n/2)^r of them",
    reference="Delsarte & Goethals (1975), Alternating bilinear forms over GF(q)",
    packed=True,
)
def delsarte_goethals(largest_dim: int) -> Iterator[Member]:
    """(n/2)^(1+r) cosets of RM(1, m), n = 2^m, m even, 1 <= r < m/2; the first (n/2)^r are the code of r - 1.

    r = 0 is Kerdock's code; r = m/2 - 1 is all of RM(2, m). For fewer classes than a code has words its first cosets
    serve, and what is measured may be better than what is promised.
    """
    for m in range(4, min(largest_dim, 1 << 16).bit_length(), 2):
        yield from (_member(m, level) for level in chain(m)[2:])


@family(
    summary="Gold and dual BCH words as +-1/sqrt(n), n = 2^m, m odd: max cosine 2^r/sqrt(2n) for 2 n^(1+r) of them",
    reference="Gold (1968); MacWilliams & Sloane, chapter 15, section 4",
    packed=True,
)
def gold(largest_dim: int) -> Iterator[Member]:
    """The words Tr(b_1 x^3 + ... + b_r x^(1+2^r)) + affine functions, x in GF(2^m), m odd, 1 <= r <= (m-1)/2.

    r = 1 is Gold's code, the dual of the extended BCH code of distance 6; r = (m-1)/2 is all of RM(2, m).
    """
    for m in range(3, min(largest_dim, 1 << 16).bit_length(), 2):
        yield from (_member(m, level, _gold_words) for level in chain(m)[1:])


def _gold_words(m: int, num_classes: int) -> LinearWords | CosetUnion:
    """The same as `coset_union`, where it is small enough over generator rows: 1, x1, ..., xm, Tr(x^3), ..."""
    bits = message_bits(num_classes)
    if bits > STRUCTURE_BITS:
        return coset_union(m, num_classes)
    affine = min(bits, m + 1)
    rows = np.vstack([generator_rows(1, m, affine), forms.trace_forms(m, bits - affine)])
    return first_words(rows, 1 << m, num_classes)
