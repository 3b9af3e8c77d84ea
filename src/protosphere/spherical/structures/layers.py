"""Dense points in layers whose minimum angle is known by construction."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos

from protosphere.geometry.closest_pair import DEEPEST, closest_pair_cosine
from protosphere.geometry.sphere import product_rounding
from protosphere.spherical.structures.plain import Plain
from protosphere.types import Cosine, Progress, UpperBound

MEASURED_POINTS = 200_000
"""Up to so many points the nearest neighbor of every one is looked up."""

PROBED_POINTS = 20_000
"""First points among which a pair at the least angle is looked for."""

METHOD = "layers of a known angle, which a pair of points attains"


@dataclass(frozen=True, eq=False)
class LayeredPoints(Plain):
    """Points whose minimum angle is at least `angle`, by the theorem of the construction that made them.

    A file stores only the rows: they are read back as `Plain` and measured.
    """

    angle: float = field(kw_only=True)

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the cosine of `angle` if there are many points; measure all pairs if there are few.

        The result is an `UpperBound` if no measured pair attains it.
        """
        if self.count <= MEASURED_POINTS:
            return super().largest_cosine(progress)
        ceiling = cos(self.angle)
        probed = closest_pair_cosine(self.points[:PROBED_POINTS, :DEEPEST])
        attained = abs(probed - ceiling) <= product_rounding(self.dim)
        return ceiling if attained else UpperBound(ceiling), METHOD
