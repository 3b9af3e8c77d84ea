"""Result type of all bounds: a value, and the name of the theorem that gives it."""

from dataclasses import dataclass
from fractions import Fraction

from protosphere.types import Cosine

LARGEST_DENOMINATOR = 1 << 64


@dataclass(frozen=True, slots=True, repr=False)
class Bound:
    """A bound on the maximum cosine or the mean squared cosine of a spherical code, and the theorem that gives it.

    Attributes:
        value: The bound, a Fraction if the theorem gives a rational number, otherwise a float.
        theorem: Name of the theorem, such as "levenshtein". A bound that is not proved has "(numerical)" in its name.

    Example:
        >>> Bound(Fraction(-1, 99), "rankin_simplex")
        Bound(value=-1/99, theorem='rankin_simplex')
        >>> float(Bound(Fraction(1, 4), "welch_antipodal"))
        0.25
    """

    value: Cosine
    theorem: str

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        return f"Bound(value={short_cosine(self.value, LARGEST_DENOMINATOR)}, theorem={self.theorem!r})"


def short_cosine(value: Cosine, largest_denominator: int = 10_000) -> str:
    """Return a cosine as text: a fraction if its denominator is small, else a decimal number of six significant digits.

    Args:
        value: The cosine, a Fraction or a float.
        largest_denominator: Only fractions whose denominator is below this number are written as fractions.
    """
    if isinstance(value, Fraction) and value.denominator < largest_denominator:
        return str(value)
    return f"{float(value):.6g}"
