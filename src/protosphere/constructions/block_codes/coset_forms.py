"""Nested unions of cosets of the first-order Reed-Muller code RM(1, m), which has length 2^m.

Each code consists of the first codewords of the next code. The first code is RM(1, m). For m even, it is followed by
Kerdock's code and the Delsarte-Goethals codes for r = 1, 2, ... For m odd, it is followed by Gold's code and the dual
BCH codes for r = 2, 3, ... Both the size and the maximum cosine of the codes rise from each code to the next. The
codewords are ordered coset by coset. All codes with at least K codewords have the same first K codewords.
"""

from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from protosphere.coding import quadratic_forms as forms
from protosphere.constructions.families import Member
from protosphere.spherical.structures import CosetUnion


@lru_cache
def nested_codes(m: int) -> tuple[Member, ...]:
    """Return nested codes of length 2^m in ascending order of size: each consists of the first codewords of the next.

    The codes are unions of cosets of the first-order Reed-Muller code RM(1, m), which is the first of them. The
    attribute `max_cosine` of a code is the maximum cosine of all its codewords. The maximum cosine of its first K
    codewords may be lower.

    Args:
        m: Base-2 logarithm of the length, from 1 to 16.

    >>> [(level.id, level.size, str(level.max_cosine)) for level in nested_codes(4)]
    [('rm-1-4', 32, '0'), ('kerdock-4', 256, '1/4'), ('delsarte-goethals-4-1', 2048, '1/2')]
    """
    most = min(forms.form_bits(m), forms.LARGEST_NUMBER_BITS)
    layer = m - 1 + m % 2  # bits of a form that one more level leaves free
    codewords = partial(coset_union, m)
    levels = [Member(1 << m, 2 << m, Fraction(0), f"rm-1-{m}", f"RM(1,{m})", codewords)]
    for r in range(1, most // layer + 1):
        id, description = _level_names(m, r)
        level = Member(
            dim=1 << m,
            size=1 << (layer * r + m + 1),
            max_cosine=Fraction(1, 1 << (m // 2 + 1 - r)),
            id=id,
            description=description,
            structure=codewords,
        )
        levels.append(level)
    return tuple(levels)


def _level_names(m: int, r: int) -> tuple[str, str]:
    if m % 2 and r == 1:
        return f"gold-{m}", f"Gold({m})"
    if m % 2:
        return f"dual-bch-{m}-{r}", f"dual BCH({m},{r})"
    if r == 1:
        return f"kerdock-{m}", f"Kerdock({m})"
    return f"delsarte-goethals-{m}-{r - 1}", f"Delsarte-Goethals({m},{r - 1})"


def coset_union(m: int, num_classes: int) -> CosetUnion:
    """Return the first K codewords, coset by coset, of unions of cosets of the first-order Reed-Muller code RM(1, m).

    The unions are the codes of length 2^m that `nested_codes` returns. All of these codes with at least K codewords
    have the same first K codewords.

    Args:
        m: Base-2 logarithm of the length.
        num_classes: Number K of codewords.
    """
    representatives = forms.quadratic_forms(m, -(-num_classes >> (m + 1)))
    return CosetUnion.of(representatives, m, np.arange(num_classes))
