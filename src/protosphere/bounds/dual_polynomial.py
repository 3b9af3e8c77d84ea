"""Polynomials that prove a converse, which is a lower bound on the maximum cosine of any K points in R^n.

The polynomials have rational coefficients, so that the proof can be checked in exact arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from protosphere.bounds.levenshtein import levenshtein, levenshtein_order
from protosphere.bounds.linear_programming import (
    DEGREE,
    LARGEST_PROGRAM_DIM,
    delsarte_polynomial,
    linear_programming,
)
from protosphere.bounds.registry import checked_size
from protosphere.errors import InfeasibleError
from protosphere.verify import (
    PROOF_FORMAT,
    excludes,
    expansion,
    from_expansion,
    is_negative,
    levenshtein_degree,
    levenshtein_factor,
    plus,
)

COEFFICIENT_BITS = 96
"""Number of bits after the binary point to which coefficients are rounded; the coefficient f_0 is about 1."""

LEVENSHTEIN_SHIFT = Fraction(1, 1 << 60)
"""Number that is subtracted from Levenshtein's polynomial to make it negative at its zeros."""

COSINE_BITS = 44
MOST_ATTEMPTS = 24


@dataclass(frozen=True)
class DualPolynomial:
    """A polynomial that proves a converse, which is a lower bound on the maximum cosine of any K points in R^n.

    The polynomial is f = f_0 P_0 + f_1 P_1 + ..., where P_k are the Gegenbauer polynomials of R^n. It proves the bound
    `cosine` if it has these properties (Delsarte, Goethals and Seidel, 1977): the coefficients f_k are at least 0, f_0
    is above 0, f is negative from -1 to `cosine`, and f(1) is below K f_0.

    Attributes:
        num_classes: Number K of points.
        dim: Dimension n.
        cosine: The lower bound that the polynomial proves, as a Fraction.
        coefficients: The coefficients f_0, f_1, ..., as Fractions.

    Example:
        >>> from protosphere.bounds import dual_polynomial
        >>> dual_polynomial(120, 4).is_valid
        True
    """

    num_classes: int
    dim: int
    cosine: Fraction
    coefficients: tuple[Fraction, ...]

    @property
    def is_valid(self) -> bool:
        """Whether the polynomial has all properties that prove the lower bound, checked in exact arithmetic."""
        coefficients = list(self.coefficients)
        if not excludes(coefficients, self.num_classes):
            return False
        f = from_expansion(coefficients, self.dim)
        return f[-1] != 0 and is_negative(f, Fraction(-1), self.cosine)

    def to_json(self) -> dict[str, Any]:
        """Return a dictionary for a JSON file that `protosphere verify --proof` reads.

        The dictionary has the keys `format`, `num_classes`, `dim`, `cosine` and `coefficients`. Fractions are written
        as text.
        """
        return {
            "format": PROOF_FORMAT,
            "num_classes": self.num_classes,
            "dim": self.dim,
            "cosine": str(self.cosine),
            "coefficients": [str(coefficient) for coefficient in self.coefficients],
        }


def dual_polynomial(num_classes: int, dim: int) -> DualPolynomial:
    """Return a polynomial that proves a converse, which is a lower bound on the maximum cosine of K points in R^n.

    If the solution of Delsarte's linear program proves a higher bound than Levenshtein's theorem does, this solution is
    returned, otherwise Levenshtein's polynomial. The coefficients are rounded to rational numbers, and the returned
    polynomial is checked in exact arithmetic.

    Args:
        num_classes: Number K of points, above 2 n.
        dim: Dimension n, from 3 to 256.

    Returns:
        The polynomial with the cosine that it proves.

    Raises:
        InvalidArgumentError: If K is not an integer of at least 2, or n is not an integer of at least 1.
        InfeasibleError: If K is at most 2n, if n is not from 3 to 256, if the polynomial would have a degree above 36,
            or if no rounded polynomial is valid.

    Example:
        >>> dual = dual_polynomial(240, 8)
        >>> 0.5 - 1e-10 < dual.cosine < 0.5, dual.is_valid
        (True, True)
    """
    K, n = checked_size(num_classes, dim)
    reason = _infeasible_reason(K, n)
    if reason is not None:
        raise InfeasibleError(reason)
    known = float(levenshtein(K, n))
    better = float(linear_programming(K, n))
    if better > known:
        dual = _program_dual(K, n, known, better)
        if dual is not None:
            return dual
    return _levenshtein_dual(K, n, known)


def _infeasible_reason(K: int, n: int) -> str | None:
    if not 3 <= n <= LARGEST_PROGRAM_DIM:
        return f"a dual polynomial needs 'dim' from 3 to {LARGEST_PROGRAM_DIM}, got {n}"
    if 2 * n >= K:
        return f"a dual polynomial needs 'num_classes' above 2 dim, got {K}; smallest: {2 * n + 1}"
    order = levenshtein_order(K, n)
    if order > DEGREE:
        return f"a dual polynomial of {K} points needs degree {order}, the largest is {DEGREE}"
    return None


def _program_dual(K: int, n: int, known: float, better: float) -> DualPolynomial | None:
    # The bound of the program is `better`, and Levenshtein's bound is `known`. Cosines between them are tried.
    for attempt in range(MOST_ATTEMPTS):
        cosine = better - (better - known) * attempt / MOST_ATTEMPTS
        size, coefficients = delsarte_polynomial(n, cosine)
        if size >= K:
            continue
        rounded = [_rounded(Fraction(coefficient)) for coefficient in coefficients]
        while rounded and rounded[-1] == 0:
            rounded.pop()
        dual = DualPolynomial(K, n, _cosine_below(cosine), tuple(rounded))
        if dual.is_valid:
            return dual
    return None


def _levenshtein_dual(K: int, n: int, known: float) -> DualPolynomial:
    # the cosines of the attempts are further and further below Levenshtein's bound, which is `known`
    margin = (1 - Fraction(known)) / (1 << 36)
    for attempt in range(MOST_ATTEMPTS):
        cosine = _cosine_below(Fraction(known) - margin * 2**attempt)
        factor = levenshtein_factor(n, levenshtein_degree(K, n), cosine)
        exact = expansion(plus([Fraction(0), *factor], -cosine, factor), n)
        rounded = [_rounded(coefficient / exact[0]) for coefficient in exact]
        rounded[0] -= LEVENSHTEIN_SHIFT
        dual = DualPolynomial(K, n, cosine, tuple(rounded))
        if dual.is_valid:
            return dual
    raise InfeasibleError(f"no dual polynomial was found for {K} points in R^{n}")


def _rounded(coefficient: Fraction) -> Fraction:
    return Fraction(round(coefficient * (1 << COEFFICIENT_BITS)), 1 << COEFFICIENT_BITS)


def _cosine_below(cosine: float | Fraction) -> Fraction:
    # The denominator is a power of two, and the rounding error is at most (1 - cosine) / 2^COSINE_BITS.
    scale = 1 << (COSINE_BITS + int(1 / (1 - cosine)).bit_length())
    return Fraction(int(Fraction(cosine) * scale // 1), scale)
