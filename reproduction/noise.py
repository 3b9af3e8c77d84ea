"""How much the accuracy of one run is due to chance: what cells and seeds leave of it, by scheme.

A cell is a scheme in a dimension with a mapping. With three seeds two cells tell little of the spread of their own
difference; all cells of the schemes that are compared tell it well.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

Cell = tuple[str, int, str]
"""Scheme, dimension and mapping."""


@dataclass(frozen=True)
class Noise:
    """A sum of squared residuals, in points, and how many of them are free."""

    squares: float = 0.0
    free: float = 0.0

    def __add__(self, other: "Noise") -> "Noise":
        return Noise(self.squares + other.squares, self.free + other.free)


def noise_by_scheme(cells: Mapping[Cell, Mapping[int, float]]) -> dict[str, Noise]:
    """Residuals about the mean of each cell and what the seed does to all cells alike; of cells that have every seed.

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
