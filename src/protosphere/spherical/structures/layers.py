"""Dense points in layers whose minimum angle is known by construction."""

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
    """Points whose minimum angle is at least `angle`, by the theorem of the construction that made them.

    A file stores only the rows: they are read back as `Plain` and measured.
    """

    angle: float = field(kw_only=True)

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the largest cosine and a text that says how it was found.

        It is measured if there are few points. For many points it is the cosine of `angle`, as an `UpperBound` if no
        measured pair attains it.
        """
        if self.count <= MEASURED_POINTS:
            return super().largest_cosine(progress)
        ceiling = cos(self.angle)
        probed = closest_pair_cosine(self.points[:PROBED_POINTS, :DEEPEST])
        attained = abs(probed - ceiling) <= product_rounding(self.dim)
        return ceiling if attained else UpperBound(ceiling), METHOD
