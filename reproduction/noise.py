"""Estimate the random spread of the accuracies of runs, for each scheme.

A configuration is a combination of a scheme, a dimension and a mapping. The mean effects of configurations and of seeds
are removed from the accuracies, and the spread is computed from what remains, the residuals. With three seeds, two
configurations alone give a poor estimate of the spread of their difference. All configurations of the compared schemes
give a good estimate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

Cell = tuple[str, int, str]
"""Type of a configuration: (scheme, dimension, mapping)."""


@dataclass(frozen=True)
class Noise:
    """Sum of the squared residuals of accuracies, from which their variance is estimated.

    Attributes:
        squares: Sum of the squared residuals, in squared percentage points.
        free: Number of degrees of freedom of this sum.
    """

    squares: float = 0.0
    free: float = 0.0

    def __add__(self, other: "Noise") -> "Noise":
        return Noise(self.squares + other.squares, self.free + other.free)


def noise_by_scheme(cells: Mapping[Cell, Mapping[int, float]]) -> dict[str, Noise]:
    """Return the noise of each scheme, computed from the configurations that were run with every seed.

    The mean effect of a seed is the mean accuracy of its runs, minus the mean accuracy of all runs. A residual is an
    accuracy minus the mean accuracy of its configuration, minus the mean effect of its seed.

    Args:
        cells: Accuracies in percent by configuration and seed.

    >>> flat = {("bch", n, "fixed"): {0: 1.0 + n, 1: 2.0 + n} for n in (15, 31)}
    >>> noise_by_scheme(flat)
    {'bch': Noise(squares=0.0, free=1.0)}
    """
    seeds = {seed for own in cells.values() for seed in own}
    whole = {cell: own for cell, own in cells.items() if set(own) == seeds}
    if len(seeds) < 2 or len(whole) < 2:
        return {}
    levels = {seed: fmean(own[seed] for own in whole.values()) for seed in seeds}
    middle = fmean(levels.values())
    found: dict[str, Noise] = {}
    for (scheme, _, _), own in whole.items():
        mean = fmean(own.values())
        squares = sum((own[seed] - mean - levels[seed] + middle) ** 2 for seed in seeds)
        residuals = Noise(squares, (len(seeds) - 1) * (1 - 1 / len(whole)))
        found[scheme] = found.get(scheme, Noise()) + residuals
    return found
