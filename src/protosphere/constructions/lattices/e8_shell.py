"""Shells of the lattice E8: all its vectors of one length."""

from collections.abc import Iterator

from protosphere.coding.reed_muller import generator_rows
from protosphere.constructions.families import Member, family
from protosphere.constructions.lattices.construction_b import shell_member
from protosphere.constructions.traits import Traits

DEEPEST = 20
"""The shell of norm 40 has 2,207,520 points; larger ones are more than anybody has classes."""


@family(
    summary="shells of E8: n = 8, K <= 240, 2160, 6720, ...; max cosine 1 - 1/(2m) for norm 2m",
    reference="Conway & Sloane, SPLAG, chapter 4, section 8.1 (theta series)",
    traits=Traits(closed_form=True, quick_certificate=True),
)
def e8_shell() -> Iterator[Member]:
    """240 sigma_3(m) vectors of norm 2m: they differ by lattice vectors, of norm 2 at least. Optimal at m = 1.

    Integer vectors first, then halves of odd ones, each in a fixed order.
    """
    code = generator_rows(0, 3)
    origin = (0,) * 8
    for m in range(
        1, DEEPEST + 1
    ):  # integers of twice the usual size, so the norm is 8m here
        size = 240 * sum(d**3 for d in range(1, m + 1) if m % d == 0)
        yield shell_member(code, origin, 8 * m, size, f"E8, the shell of norm {2 * m}")
