"""Bounds from single sets of points that theorems prove to be optimal, such as the vertices of the 24-cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, nextafter

from protosphere.bounds.bound import Bound
from protosphere.bounds.registry import bound
from protosphere.errors import brief
from protosphere.types import Cosine

ROOT_BITS = 80
"""Number of bits after the binary point to which an algebraic cosine is bracketed before it is rounded down."""


@dataclass(frozen=True)
class AlgebraicCosine:
    """An exact cosine, given as a zero of a polynomial with integer coefficients.

    Attributes:
        coefficients: Coefficients of the polynomial, highest power first.
        low: A fraction below the zero.
        high: A fraction above the zero. Between `low` and `high`, the polynomial changes its sign exactly once, at the
            zero.

    >>> AlgebraicCosine((7, 2, -1), Fraction(1, 4), Fraction(3, 10)).rounded_down
    0.2612038749637414
    """

    coefficients: tuple[int, ...]
    low: Fraction
    high: Fraction

    @cached_property
    def rounded_down(self) -> float:
        """The largest float that is not above the cosine, or in rare cases the float before it."""
        low = self.bracket[0]
        nearest = float(low)
        if Fraction(nearest) <= low:
            return nearest
        return nextafter(nearest, -inf)

    @property
    def bracket(self) -> tuple[Fraction, Fraction]:
        """Two fractions that differ by at most 2^-80, the lower one first. The cosine is between them."""
        low = self.low
        high = self.high
        sign_of_low = polynomial_value(self.coefficients, low) > 0
        while high - low > Fraction(1, 1 << ROOT_BITS):
            middle = (low + high) / 2
            if (polynomial_value(self.coefficients, middle) > 0) == sign_of_low:
                low = middle
            else:
                high = middle
        return low, high


def polynomial_value(coefficients: Sequence[int], x: Fraction) -> Fraction:
    """Return the value at x of a polynomial, given its coefficients with the highest power first.

    Args:
        coefficients: Coefficients, highest power first.
        x: Number at which the polynomial is evaluated.

    >>> polynomial_value((7, 2, -1), Fraction(1, 7))
    Fraction(-4, 7)
    """
    value = Fraction(0)
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


@dataclass(frozen=True)
class ProvedOptimum:
    """A set of points that a theorem proves optimal: no other set of K points has a lower maximum cosine.

    Attributes:
        dim: Dimension n.
        num_classes: Number K of points.
        cosine: Exact maximum cosine of the points.
        theorem: Name of the theorem in certificates: the names of its authors.
        reference: Paper with the proof.
        configuration: Description of the points in a few words.
    """

    dim: int
    num_classes: int
    cosine: Fraction | AlgebraicCosine
    theorem: str
    reference: str
    configuration: str

    @cached_property
    def value(self) -> Cosine:
        """Maximum cosine of the points: a Fraction if it is rational, otherwise a float that is rounded down."""
        if isinstance(self.cosine, Fraction):
            return self.cosine
        return self.cosine.rounded_down


def _root(coefficients: tuple[int, ...], near: str) -> AlgebraicCosine:
    # `near` is a decimal number, and the polynomial has a single zero within 0.001 of it
    middle = Fraction(near)
    margin = Fraction(1, 1000)
    return AlgebraicCosine(coefficients, middle - margin, middle + margin)


_SCHUETTE = "Schütte & van der Waerden (1951), Math. Ann. 123"
_DANZER = "Danzer (1986), Discrete Math. 60"
_FEJES_TOTH = "L. Fejes Tóth (1943), Jahresber. DMV 53"
_MUSIN_TARASOV_13 = "Musin & Tarasov (2012), The strong thirteen spheres problem"
_MUSIN_TARASOV_14 = "Musin & Tarasov (2015), The Tammes problem for N = 14"
_ROBINSON = "Robinson (1961), Arrangement of 24 points on a sphere"
_BACHOC_VALLENTIN = (
    "Bachoc & Vallentin (2009), "
    "Optimality and uniqueness of the (4, 10, 1/6) spherical code"
)
_D4 = (
    "de Laat, Leijenhorst & de Muinck Keizer (2024), "
    "Optimality and uniqueness of the D4 root system"
)
_THREE_POINT = (
    "Cohn, de Laat & Leijenhorst (2024), "
    "Optimality of spherical codes via exact semidefinite programming bounds"
)

_ICOSAHEDRON = _root((5, 0, -1), "0.4472")
_THIRTEEN = _root((1, -24, -12, 8, 38, 24, -12, -8, 1), "0.5426")


def _in_three_dimensions(
    num_classes: int,
    cosine: Fraction | AlgebraicCosine,
    theorem: str,
    reference: str,
    configuration: str,
) -> ProvedOptimum:
    return ProvedOptimum(3, num_classes, cosine, theorem, reference, configuration)


def _by_three_points(
    dim: int, num_classes: int, denominator: int, configuration: str
) -> ProvedOptimum:
    return ProvedOptimum(
        dim,
        num_classes,
        Fraction(1, denominator),
        "Cohn-de Laat-Leijenhorst",
        _THREE_POINT,
        configuration,
    )


def _kerdock(k: int) -> ProvedOptimum:
    # 4^k / 2 + 1 mutually unbiased bases of R^(4^k): the vectors of the bases and their negatives
    dim = 4**k
    return _by_three_points(dim, dim * dim + 2 * dim, 2**k, "Kerdock code and axes")


PROVED_OPTIMA: tuple[ProvedOptimum, ...] = (
    _in_three_dimensions(
        7,
        _root((3, -9, -3, 1), "0.2101"),
        "Schütte-van der Waerden",
        _SCHUETTE,
        "two triangles around a pole",
    ),
    _in_three_dimensions(
        8,
        _root((7, 2, -1), "0.2612"),
        "Schütte-van der Waerden",
        _SCHUETTE,
        "square antiprism",
    ),
    _in_three_dimensions(
        9,
        Fraction(1, 3),
        "Schütte-van der Waerden",
        _SCHUETTE,
        "three triangles",
    ),
    _in_three_dimensions(
        10, _root((7, -4, -2, 1), "0.4044"), "Danzer", _DANZER, "ten points"
    ),
    _in_three_dimensions(
        11, _ICOSAHEDRON, "Danzer", _DANZER, "icosahedron without a vertex"
    ),
    _in_three_dimensions(12, _ICOSAHEDRON, "Fejes Tóth", _FEJES_TOTH, "icosahedron"),
    _in_three_dimensions(
        13, _THIRTEEN, "Musin-Tarasov", _MUSIN_TARASOV_13, "thirteen points"
    ),
    _in_three_dimensions(
        14,
        _root((4, -2, 3, 0, -1), "0.5640"),
        "Musin-Tarasov",
        _MUSIN_TARASOV_14,
        "fourteen points",
    ),
    _in_three_dimensions(
        24, _root((7, 1, -3, -1), "0.7231"), "Robinson", _ROBINSON, "snub cube"
    ),
    ProvedOptimum(
        4,
        10,
        Fraction(1, 6),
        "Bachoc-Vallentin",
        _BACHOC_VALLENTIN,
        "Petersen graph",
    ),
    ProvedOptimum(
        4, 24, Fraction(1, 2), "de Laat-Leijenhorst-de Muinck Keizer", _D4, "24-cell"
    ),
    _by_three_points(21, 50, 21, "Hoffman-Singleton graph"),
    _by_three_points(20, 56, 15, "Gewirtz graph"),
    _by_three_points(21, 77, 12, "M22 graph"),
    _kerdock(2),
    _kerdock(3),
    _kerdock(4),
    _kerdock(5),
)
"""Sets of points, each of which is proved to be optimal by a theorem on this single set.

Only for one of these sets, the icosahedron, does another bound of this package give the same maximum cosine.
"""

LARGEST_PROVED_DIM = max(row.dim for row in PROVED_OPTIMA)


def _applicable(K: int, n: int) -> list[ProvedOptimum]:
    # each maximum cosine is a lower bound for K points in R^n
    return [row for row in PROVED_OPTIMA if row.num_classes <= K and n <= row.dim]


def _infeasible_reason(K: int, n: int) -> str | None:
    if n > LARGEST_PROVED_DIM:
        return (
            f"'proved_optimum' needs 'dim' up to {LARGEST_PROVED_DIM}, got {brief(n)}"
        )
    fewest = min(row.num_classes for row in PROVED_OPTIMA if n <= row.dim)
    if fewest > K:
        return f"'proved_optimum' needs 'num_classes' of at least {fewest} in dimension {n}, got {K}"
    return None


@bound(
    "proved optimum",
    kind="converse",
    summary="theorems on single configurations, which also hold for more points or fewer dimensions",
    reference="Cohn, de Laat & Leijenhorst (2024), and the references of PROVED_OPTIMA",
    infeasible_reason=_infeasible_reason,
)
def proved_optimum(num_classes: int, dim: int) -> Bound:
    """Return a lower bound on the maximum cosine of K points in R^n by theorems on single sets of points.

    If no K points of R^n have a maximum cosine below s, the same is true for more points and for fewer dimensions. The
    module has a list `PROVED_OPTIMA` of optimal sets. The bound is the largest maximum cosine of those sets of the list
    that have at most K points in at least n dimensions.

    Args:
        num_classes: Number K of points, at least 2.
        dim: Dimension n, at least 1.

    Returns:
        The lower bound on the maximum cosine, with its theorem.

    Raises:
        InvalidArgumentError: If K is not an integer of at least 2, or n is not an integer of at least 1.
        InfeasibleError: If no set in `PROVED_OPTIMA` has at most K points in at least n dimensions.

    Example:
        >>> proved_optimum(56, 20)
        Bound(value=1/15, theorem='Cohn-de Laat-Leijenhorst')
        >>> proved_optimum(1_050_624, 1024)
        Bound(value=1/32, theorem='Cohn-de Laat-Leijenhorst')
    """
    tightest = max(
        _applicable(num_classes, dim), key=lambda row: (row.value, row.num_classes)
    )
    return Bound(tightest.value, tightest.theorem)
