"""Statistics of the cosines of a code: the minimum, the number of antipodal pairs, the energy and the mean square.

Two points are antipodal if their cosine is -1. The energy of a code is the mean over classes i of the sum over j != i
of exp(s (cos(i, j) - 1)), where s is a scale and cos(i, j) is the cosine of the points of classes i and j. The logits
of a feature vector are s times its cosines with all points.
"""

import math
from dataclasses import dataclass

import numpy as np

from protosphere.errors import InvalidArgumentError
from protosphere.geometry.gram import Rows, pair_products
from protosphere.spherical.placement import Placement
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Cosine, Progress, ignore

ANTIPODAL = -1 + 1e-9
"""Largest cosine of two points that count as antipodal."""


@dataclass(frozen=True)
class CodeStatistics:
    """Statistics of the cosines of all pairs of points of a code.

    Attributes:
        min_cosine: Smallest cosine of two points.
        antipodal_pairs: Number of pairs of points with cosine -1, up to rounding errors.
        scale: Scale s of the logits in the definition of the energy. By default, it is ln(99 (K - 1)) / (1 - maximum
            cosine). At this scale, each point itself, as feature vector, gets its class with probability at least 0.99.
        energy: Mean over classes i of the sum over j != i of exp(s (cos(i, j) - 1)), where cos(i, j) is the cosine of
            points i and j. If a feature vector equals point i, its softmax probability of class i is 1 / (1 + the sum
            for i), for logits of scale s. Lower energies mean more uniform points. With the default scale, the energy
            is at most 1/99, and it equals 1/99 only if all pairs have the maximum cosine.
        mean_square: Mean of the squared cosine over all pairs. It is a Fraction if the number of pairs with each cosine
            is known exactly, otherwise a float. It is the frame potential of J. Benedetto and M. Fickus (2003),
            restricted to pairs of different points and divided by the number of these pairs. For K points in R^n, its
            smallest possible value is (K - n) / (n (K - 1)), or 0 if K is below n.

    Example:
        >>> import protosphere as ps
        >>> str(ps.code_statistics(ps.construct("simplex", num_classes=10, dim=9)).mean_square)
        '1/81'
    """

    min_cosine: Cosine
    antipodal_pairs: int
    scale: float
    energy: float
    mean_square: Cosine


def confident_scale(
    num_classes: int, max_cosine: float, probability: float = 0.99
) -> float:
    """Return the scale at which each prototype, as feature vector, gets its class with at least a given probability.

    At scale s, the logits of a vector are s times its cosines with all K prototypes. The returned scale is s = ln((K -
    1) p / (1 - p)) / (1 - mu).

    Args:
        num_classes: Number K of classes.
        max_cosine: Maximum cosine mu of two prototypes.
        probability: Required softmax probability p of the class of the prototype.

    Raises:
        InvalidArgumentError: If `max_cosine` is at least 1.

    Example:
        >>> from protosphere.spherical.statistics import confident_scale
        >>> round(confident_scale(10, 0.0), 2)
        6.79
    """
    if max_cosine >= 1:
        raise InvalidArgumentError(
            f"'max_cosine' must be below 1, got {max_cosine}: two prototypes coincide"
        )
    odds = max(1, num_classes - 1) * probability / (1 - probability)
    return math.log(odds) / (1 - max_cosine)


def code_statistics(
    code: SphericalCode, scale: float | None = None, progress: Progress = ignore
) -> CodeStatistics:
    """Return statistics of the cosines of a code: minimum, antipodal pairs, energy and mean square.

    If the number of pairs with each cosine is known exactly, the statistics are computed from these numbers. Otherwise
    they are computed from all pairs of points.

    Args:
        code: The code.
        scale: Scale s of the energy, which is the mean over classes i of the sum over j != i of exp(s (cos(i, j) - 1)),
            where cos(i, j) is the cosine of points i and j. None stands for the scale ln(99 (K - 1)) / (1 - mu), where
            mu is the maximum cosine of the code.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps.

    Returns:
        The statistics.

    Example:
        >>> import protosphere as ps
        >>> from protosphere import code_statistics
        >>> even = code_statistics(ps.construct("orthogonal_simplices", num_classes=100, dim=64))
        >>> str(even.min_cosine), even.antipodal_pairs, round(even.energy, 6)
        ('-1', 8, 0.009915)
        >>> cross = code_statistics(ps.construct("cross_polytope", num_classes=100, dim=64))
        >>> cross.antipodal_pairs, cross.energy > even.energy
        (50, True)
    """
    if scale is None:
        s = confident_scale(code.num_classes, float(code.max_cosine))
    else:
        s = scale
    spectrum = code.placement.structure.spectrum(progress)
    if spectrum is None:
        return _by_pairs(code.placement, s, progress)
    total = sum(
        pairs * math.exp(s * (float(cosine) - 1)) for cosine, pairs in spectrum.items()
    )
    antipodal = sum(pairs for cosine, pairs in spectrum.items() if cosine <= ANTIPODAL)
    squares = sum(pairs * cosine**2 for cosine, pairs in spectrum.items()) / sum(
        spectrum.values()
    )
    return CodeStatistics(
        min(spectrum), antipodal, s, 2 * total / code.num_classes, squares
    )


def _by_pairs(placement: Placement, scale: float, progress: Progress) -> CodeStatistics:
    least = 1.0
    antipodal = 0
    total = 0.0
    squares = 0.0
    for cosines in pair_products(
        Rows(placement.count, placement.dim, placement.unit_rows), progress
    ):
        least = min(least, float(cosines.min(initial=1.0)))
        antipodal += int(np.count_nonzero(cosines <= ANTIPODAL))
        total += float(np.exp(scale * (cosines - 1)).sum())
        squares += float(np.square(cosines).sum())
    pairs = max(1, placement.count * (placement.count - 1) // 2)
    return CodeStatistics(
        max(least, -1.0), antipodal, scale, 2 * total / placement.count, squares / pairs
    )
