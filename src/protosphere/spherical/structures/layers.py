"""Structure of dense points in layers, whose minimum angle is known from their construction."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos

from protosphere.geometry.closest_pair import DEEPEST, closest_pair_cosine
from protosphere.geometry.sphere import product_rounding
from protosphere.spherical.structures.plain import Plain
from protosphere.types import Cosine, Progress, UpperBound

MEASURED_POINTS = 200_000
"""Largest number of points for which the nearest neighbor of every point is searched."""

PROBED_POINTS = 20_000
"""Number of first points among which a pair at the minimum angle is searched."""

METHOD = "layers of a known angle, which a pair of points attains"


@dataclass(frozen=True, eq=False)
class LayeredPoints(Plain):
    """Dense points whose minimum angle is at least `angle` (radians), by the theorem of their construction.

    A file stores only the rows, so that points read from it are `Plain` and their cosines are measured.
    """

    angle: float = field(kw_only=True)

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the largest cosine and a text that says how it was found.

        All pairs are measured if there are few points. For many points the result is the cosine of `angle`, as an
        `UpperBound` if no pair that was measured attains it.
        """
        if self.count <= MEASURED_POINTS:
            return super().largest_cosine(progress)
        ceiling = cos(self.angle)
        probed = closest_pair_cosine(self.points[:PROBED_POINTS, :DEEPEST])
        attained = abs(probed - ceiling) <= product_rounding(self.dim)
        return ceiling if attained else UpperBound(ceiling), METHOD
