"""Prototypes from Reed-Solomon codes: each symbol of a codeword is replaced by a vertex of a simplex.

A Reed-Solomon code belongs to a field GF(q) of q elements. A codeword has n_q symbols, which are elements of the field.
Each message of k_q symbols gives one codeword. The simplex has q vertices, one for each element of the field.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from protosphere.coding.primes import prime_powers
from protosphere.coding.reed_solomon import reed_solomon_words
from protosphere.constructions.registry import construction
from protosphere.constructions.traits import FigureStyle, Traits
from protosphere.errors import InvalidArgumentError, brief
from protosphere.geometry.simplex import simplex_points
from protosphere.spherical.placement import Placement, dense_placement

LARGEST_Q = 256


@dataclass(frozen=True)
class OuterCode:
    """A Reed-Solomon code. Each symbol of a codeword is replaced by a vertex of a simplex, which gives a point of R^n.

    Attributes:
        q: Order of the field GF(q), and number of vertices of the simplex.
        n_q: Number of symbols of a codeword.
        k_q: Number of symbols of a message, so that the code has q**k_q codewords.
    """

    q: int
    n_q: int
    k_q: int

    @property
    def dim(self) -> int:
        """Dimension n = n_q (q - 1) of the points: each of the n_q symbols becomes q - 1 coordinates."""
        return self.n_q * (self.q - 1)

    @property
    def guarantee(self) -> Fraction:
        """Upper bound 1 - q d / ((q - 1) n_q) on the maximum cosine of the points of the codewords.

        Here d = n_q - k_q + 1 is the minimum distance of the Reed-Solomon code.
        """
        return 1 - Fraction(self.q * (self.n_q - self.k_q + 1), (self.q - 1) * self.n_q)


def outer_codes(num_classes: int, q: object = None) -> Iterator[OuterCode]:
    """Yield Reed-Solomon codes with at least K codewords.

    Over the field of order q, a message has the smallest number k_q of symbols for which q**k_q >= K. The number n_q of
    symbols of a codeword takes all values from k_q to q.

    Args:
        num_classes: Number K of codewords.
        q: Order of the field. If it is None, all prime powers up to 256 are considered.

    Raises:
        InvalidArgumentError: If `q` is not a prime power up to 256.
    """
    if q is None:
        bases = prime_powers(LARGEST_Q)
    else:
        bases = [_checked_order(q)]
    for base in bases:
        k_q = _digits_needed(num_classes, base)
        for n_q in range(k_q, base + 1):
            yield OuterCode(base, n_q, k_q)


def _checked_order(q: object) -> int:
    powers = prime_powers(LARGEST_Q)
    if isinstance(q, int) and q in powers:
        return int(q)

    def distance(power: int) -> int:
        return abs(power - q) if isinstance(q, int) else power

    nearest = sorted(sorted(powers, key=distance)[:2])
    got = f"got {brief(q)}; nearest: {', '.join(map(str, nearest))}"
    raise InvalidArgumentError(f"'q' must be a prime power up to {LARGEST_Q}, {got}")


def _digits_needed(num_classes: int, base: int) -> int:
    # base + 1 if base digits are too few: no Reed-Solomon code over GF(base) has a message of more than base symbols
    digits = 1
    while digits <= base and base**digits < num_classes:
        digits += 1
    return digits


def best_outer_code(num_classes: int, dim: int, q: object = None) -> OuterCode | None:
    """Return the Reed-Solomon code of K codewords or more whose points of R^n have the lowest guarantee.

    Each symbol of a codeword is replaced by a vertex of a simplex, which gives a point in exactly n dimensions. If no
    code of at least K codewords gives points in n dimensions, None is returned. The guarantee is an upper bound on the
    maximum cosine of the points.

    Args:
        num_classes: Number K of codewords.
        dim: Dimension n.
        q: Order of the field. If it is None, all prime powers up to 256 are considered.

    Raises:
        InvalidArgumentError: If `q` is not a prime power up to 256.
    """
    fitting = [code for code in outer_codes(num_classes, q) if code.dim == dim]
    return min(fitting, key=lambda code: code.guarantee, default=None)


def _infeasible_reason(num_classes: int, dim: int, *, q: int | None) -> str | None:
    if best_outer_code(num_classes, dim, q) is not None:
        return None
    dims = {code.dim for code in outer_codes(num_classes, q)}
    possible = sorted(dims, key=lambda other: abs(other - dim))
    field = "a prime power q" if q is None else f"q = {q}"
    if possible:
        where = "nearest: " + ", ".join(map(str, sorted(possible[:2])))
    else:
        where = "no dim holds so many"
    rule = f"dim = n_q * (q - 1) with n_q <= q and q**n_q >= num_classes for {field}"
    return f"'reed_solomon' needs {rule}, got dim {brief(dim)} for {brief(num_classes)} classes; {where}"


def _choose(num_classes: int, dim: int, *, q: int | None) -> dict[str, int]:
    code = best_outer_code(num_classes, dim, q)
    assert code is not None, "infeasible_reason has made sure that there is one"
    return {"q": code.q}


def _guarantee(
    num_classes: int,
    dim: int,
    *,
    q: int | None,
    chosen: Mapping[str, int] | None = None,
) -> Fraction | None:
    code = best_outer_code(num_classes, dim, chosen["q"] if chosen else q)
    return code and code.guarantee


@construction(
    infeasible_reason=_infeasible_reason,
    guarantee=_guarantee,
    summary="Reed-Solomon codewords over GF(q), each symbol replaced by a vertex of a simplex in q-1 dimensions",
    reference="Lindstrom et al. (2024), proposition 3.6 and section 3.3",
    choose=_choose,
    traits=Traits(
        in_paper=True,
        page_formula=True,
        style=FigureStyle("Reed-Solomon", "#56B4E9", "x", (0, (1, 1)), width=0.8),
    ),
)
def reed_solomon(
    num_classes: int, dim: int, *, chosen: Mapping[str, int], q: int | None = None
) -> Placement:
    """Place K codewords of a Reed-Solomon code over GF(q), with symbols replaced by vertices of a simplex.

    A vertex has q - 1 coordinates. Therefore a codeword of n_q symbols becomes a point in n = n_q (q - 1) dimensions.

    Args:
        num_classes: Number K of codewords.
        dim: Dimension n.
        chosen: Mapping from the text "q" to the order of the field to use.
        q: Order of the field that the user asks for; None if the user asks for none. It is not used, because `chosen`
            has the order.
    """
    del q  # the chosen one is it, where it was given
    code = best_outer_code(num_classes, dim, chosen["q"])
    assert code is not None, "infeasible_reason has made sure that there is one"
    words = reed_solomon_words(code.q, code.n_q, code.k_q, np.arange(num_classes))
    symbols = simplex_points(code.q) / np.sqrt(code.n_q)
    points = symbols[words].reshape(num_classes, dim)
    description = f"RS[{code.n_q},{code.k_q}] over GF({code.q}), simplex symbols"
    return dense_placement(
        description, points, Fraction(code.q, (code.q - 1) * code.n_q)
    )
