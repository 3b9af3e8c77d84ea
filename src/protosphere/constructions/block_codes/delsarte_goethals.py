"""Delsarte-Goethals codes, which have more codewords than Kerdock codes of the same length."""

from collections.abc import Iterator

from protosphere.constructions.block_codes.coset_forms import nested_codes
from protosphere.constructions.families import Member, family
from protosphere.constructions.traits import Traits


@family(
    summary="n^2 (n/2)^r Delsarte-Goethals codewords with entries +-1/sqrt(n), n = 4^t; max cosine 2^r/sqrt(n)",
    reference="Delsarte & Goethals (1975), Alternating bilinear forms over GF(q)",
    traits=Traits(packed=True, fast_projection=True),
)
def delsarte_goethals(largest_dim: int) -> Iterator[Member]:
    """Yield the Delsarte-Goethals codes of length n = 2^m, m even, for r = 1, ..., m/2 - 1.

    A code consists of (n/2)^(1+r) cosets of RM(1, m), the first-order Reed-Muller code. Its first (n/2)^r cosets are
    the code for r - 1, and Kerdock's code is the case r = 0. The case r = m/2 - 1 is the second-order Reed-Muller code
    RM(2, m). The codewords are ordered coset by coset. If there are fewer classes than codewords, the first codewords
    are used. Their maximum cosine may be lower than the guaranteed value 2^r/sqrt(n).

    Args:
        largest_dim: Largest length n of the codes. Lengths above 65,536 are left out in any case.
    """
    for m in range(4, min(largest_dim, 1 << 16).bit_length(), 2):
        yield from nested_codes(m)[2:]
