"""Gold codes and the duals of other extended BCH codes, of length 2^m with odd m.

These linear codes are unions of cosets of RM(1, m), the first-order Reed-Muller code.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from protosphere.coding.quadratic_forms import trace_forms
from protosphere.coding.reed_muller import generator_rows
from protosphere.constructions.block_codes.coset_forms import coset_union, nested_codes
from protosphere.constructions.block_codes.words import (
    STRUCTURE_BITS,
    first_words,
    message_bits,
)
from protosphere.constructions.families import Member, family
from protosphere.constructions.traits import Traits
from protosphere.spherical.structures import CosetUnion, LinearWords


@family(
    summary="2 n^(1+r) Gold or dual BCH codewords with entries +-1/sqrt(n), n = 2^m, m odd; max cosine 2^r/sqrt(2n)",
    reference="Gold (1968); MacWilliams & Sloane, chapter 15, section 4",
    traits=Traits(packed=True, fast_projection=True),
)
def gold(largest_dim: int) -> Iterator[Member]:
    """Yield linear codes of length 2^m, m odd, whose codewords are sums of trace forms and affine functions.

    A codeword lists the values of a function of x at all elements x of GF(2^m). The functions of one code are Tr(b_1
    x^3 + b_2 x^5 + ... + b_r x^(1+2^r)) plus an affine function of x. Here the coefficients b_1, ..., b_r are elements
    of GF(2^m), Tr is the trace to GF(2), and r is one of the integers 1, ..., (m-1)/2, the same for all functions of
    the code. The case r = 1 is Gold's code, the dual of the extended BCH code of distance 6. The case r = (m-1)/2 is
    the second-order Reed-Muller code RM(2, m).

    Args:
        largest_dim: Largest length of the codes. Lengths above 65,536 are left out in any case.
    """
    for m in range(3, min(largest_dim, 1 << 16).bit_length(), 2):
        yield from (
            replace(level, structure=partial(_words, m))
            for level in nested_codes(m)[1:]
        )


def _words(m: int, num_classes: int) -> LinearWords | CosetUnion:
    # few codewords are stored by their generator matrix, more codewords by their cosets
    bits = message_bits(num_classes)
    if bits > STRUCTURE_BITS:
        return coset_union(m, num_classes)
    affine = min(bits, m + 1)
    rows = np.vstack([generator_rows(1, m, affine), trace_forms(m, bits - affine)])
    return first_words(rows, 1 << m, num_classes)
