"""Count the pairs of points of a code by cosine.

A pair consists of two different points and is counted once, whatever its order. If the cosines are known as exact
fractions, the pairs with each cosine are counted. Otherwise [-1, 1] is divided into intervals (bins) of equal length,
and the pairs with a cosine in each bin are counted.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.geometry import gram
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Cosine, Progress, ignore

BINS = 201
"""Default number of bins of a histogram on [-1, 1]. The number is odd, so that 0 is inside a bin."""


@dataclass(frozen=True)
class CosineBin:
    """A single exact cosine, or an interval of cosines (a bin), and how many pairs of points have such a cosine.

    Attributes:
        low: Lower end of the interval, or the single cosine.
        high: Upper end of the interval. For a single cosine, it is equal to `low`.
        pairs: Number of pairs of points whose cosine is the single cosine or is in the interval.
    """

    low: Cosine
    high: Cosine
    pairs: int

    @property
    def middle(self) -> float:
        """Center of the interval, at which figures draw a bar. For a single cosine, it is this cosine."""
        return (float(self.low) + float(self.high)) / 2


@dataclass(frozen=True)
class CosineCounts:
    """How many pairs of points of a code have each cosine, for figures and tables.

    Attributes:
        scheme: Name of the construction, or 'points' if there is none.
        num_classes: Number K of points.
        dim: Dimension n.
        max_cosine: Maximum cosine of the code.
        exact: If True, the entries of `bins` are single cosines, as Fractions. If False, they are intervals.
        bins: Cosines or intervals of cosines in ascending order, each with its number of pairs. The numbers of pairs
            sum to K (K - 1) / 2. Cosines and intervals without pairs are left out.
    """

    scheme: str
    num_classes: int
    dim: int
    max_cosine: Cosine
    exact: bool
    bins: tuple[CosineBin, ...]

    @property
    def pairs(self) -> int:
        """Number of all pairs of points, K (K - 1) / 2."""
        return self.num_classes * (self.num_classes - 1) // 2

    def records(self) -> list[dict[str, Any]]:
        """Return the counts as rows of a table for CSV or JSON.

        There is one dictionary for each entry of `bins`, which is a single cosine or an interval. Its keys are
        "scheme", "num_classes", "dim", "low", "high", "exact" (the single cosine as text, or None for an interval),
        "pairs" (the number of pairs) and "fraction_of_pairs" (this number divided by that of all pairs).
        """
        head = {"scheme": self.scheme, "num_classes": self.num_classes, "dim": self.dim}
        return [
            head
            | {
                "low": float(b.low),
                "high": float(b.high),
                "exact": str(b.low) if self.exact else None,
            }
            | {"pairs": b.pairs, "fraction_of_pairs": b.pairs / self.pairs}
            for b in self.bins
        ]


def cosine_spectrum(
    code: SphericalCode, progress: Progress = ignore
) -> dict[Cosine, int]:
    """Return how many pairs of points have each cosine, for a code whose cosines are known as exact fractions.

    For some codes, the numbers are computed without comparing pairs. For example, the spectrum of a linear code follows
    from the weights of its codewords. For other codes, such as points in a float64 matrix, all pairs are compared.

    Args:
        code: The code.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps, while pairs are measured.

    Returns:
        A mapping from each cosine to the number of pairs with this cosine, in ascending order of the cosines.

    Raises:
        InvalidArgumentError: If the cosines are not known as exact fractions.

    Example:
        >>> import protosphere as ps
        >>> from protosphere.spherical.cosines import cosine_spectrum
        >>> cosine_spectrum(ps.construct("cross_polytope", num_classes=10, dim=5))
        {Fraction(-1, 1): 5, Fraction(0, 1): 40}
    """
    spectrum = code.placement.structure.spectrum(progress)
    if spectrum is None:
        raise InvalidArgumentError(
            "these points have no exact cosines to count one by one; take 'cosine_histogram'"
        )
    return {cosine: spectrum[cosine] for cosine in sorted(spectrum)}


def cosine_histogram(
    code: SphericalCode, bins: int = BINS, progress: Progress = ignore
) -> CosineCounts:
    """Count the pairs of points whose cosine is in each of `bins` intervals.

    The intervals have equal length and cover [-1, 1].

    Args:
        code: The code.
        bins: Number of intervals.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps, while pairs are measured.

    Returns:
        The counts, in ascending order of the intervals. Intervals without pairs are left out. The attribute `exact` is
        False.
    """
    edges = np.linspace(-1.0, 1.0, as_integer("bins", bins, minimum=1) + 1)
    pairs = gram.bin_cosines(code.points, edges, progress)
    filled = [
        CosineBin(float(edges[i]), float(edges[i + 1]), int(pairs[i]))
        for i in np.flatnonzero(pairs)
    ]
    return _counts(code, False, tuple(filled))


def cosine_counts(
    code: SphericalCode, bins: int = BINS, progress: Progress = ignore
) -> CosineCounts:
    """Count the pairs of points of a code by their exact cosines or, if these are not known, by intervals of cosines.

    Args:
        code: The code.
        bins: Number of intervals of equal length that cover [-1, 1]. It is not used if the cosines are known exactly.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps, while pairs are measured.

    Returns:
        The counts. The attribute `exact` is True for exact cosines and False for intervals.
    """
    spectrum = code.placement.structure.spectrum(progress)
    if spectrum is None:
        return cosine_histogram(code, bins, progress)
    return _counts(
        code,
        True,
        tuple(
            CosineBin(cosine, cosine, spectrum[cosine]) for cosine in sorted(spectrum)
        ),
    )


def _counts(
    code: SphericalCode, exact: bool, bins: tuple[CosineBin, ...]
) -> CosineCounts:
    scheme = code.provenance.construction if code.provenance else "points"
    return CosineCounts(
        scheme, code.num_classes, code.dim, code.max_cosine, exact, bins
    )
