"""Shells of the lattice E8. A shell consists of all lattice vectors of one squared norm."""

from collections.abc import Iterator
from fractions import Fraction

from protosphere.coding.reed_muller import generator_rows
from protosphere.constructions.families import Member, family
from protosphere.constructions.lattices.construction_b import shell_member
from protosphere.constructions.lattices.lattice_shell import Shells
from protosphere.constructions.traits import Traits

ORIGIN = (0,) * 8
DEEPEST = 20
"""Largest m of a single shell of squared norm 2m: the shell of squared norm 40 has 2,207,520 points."""

PAIRED = range(17, 29)
"""Values of m for which the shells of squared norm 2m - 2 and 2m are combined, up to 10,932,480 points."""


@family(
    summary="shells of the E8 lattice, n = 8, K up to 240, 2160, 6720, ...; max cosine 1 - 1/(2m) for squared norm 2m",
    reference="Conway & Sloane, SPLAG, chapter 4, section 8.1 (theta series)",
    traits=Traits(closed_form=True, quick_certificate=True),
)
def e8_shell() -> Iterator[Member]:
    """Yield codes from single shells of E8, and codes from two neighboring shells.

    The shell of squared norm 2m has 240 sigma_3(m) vectors, where sigma_3(m) is the sum of the cubes of the divisors of
    m. Two vectors of this shell differ by a lattice vector of squared norm at least 2. Therefore the maximum cosine of
    the shell is 1 - 1/(2m). The shell m = 1 is optimal. In a shell, vectors with integer entries come before vectors
    whose entries are halves of odd integers.

    There are also codes with the points of two neighboring shells, which have more points than the largest single
    shell. After normalization, the maximum cosine of the two shells together is the maximum cosine of the outer shell.
    """
    code = generator_rows(0, 3)
    for m in range(1, DEEPEST + 1):
        # integers of twice the usual size, so the norm is 8m here
        yield shell_member(
            code,
            ORIGIN,
            8 * m,
            _shell_size(m),
            f"e8-{2 * m}",
            f"E8, the shell of norm {2 * m}",
        )
    for m in PAIRED:
        yield Member(
            dim=8,
            size=_shell_size(m - 1) + _shell_size(m),
            max_cosine=1 - Fraction(1, 2 * m),
            id=f"e8-{2 * m - 2}-{2 * m}",
            description=f"E8, the shells of norm {2 * m - 2} and {2 * m}",
            structure=_paired_shells(m).structure,
        )


def _shell_size(m: int) -> int:
    return 240 * sum(d**3 for d in range(1, m + 1) if m % d == 0)


def _paired_shells(m: int) -> Shells:
    # `Shells` has another scale of E8, in which squared norms are twice as large
    return Shells(
        "laminated", 8, Fraction(4 * m - 4), Fraction(4 * m), ORIGIN, denominator=1
    )
