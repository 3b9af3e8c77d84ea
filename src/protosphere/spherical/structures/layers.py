"""Structure for points that a construction arranges in layers, with a minimum angle that a theorem guarantees.

The points are stored as float64 rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos

from protosphere.geometry.closest_pair import DEEPEST, closest_pair_cosine
from protosphere.geometry.sphere import product_rounding
from protosphere.spherical.structures.plain import Plain
from protosphere.types import Cosine, Progress, UpperBound

MEASURED_POINTS = 200_000
"""Largest number of points for which the maximum cosine is measured over all pairs of points."""

PROBED_POINTS = 20_000
"""Number of first points of a code among which a pair at the guaranteed angle is sought.

This is done only if the code has more than `MEASURED_POINTS` points.
"""

METHOD = "layers of a known angle, which a pair of points attains"


@dataclass(frozen=True, eq=False)
class LayeredPoints(Plain):
    """Points whose minimum angle is at least `angle`, as a theorem about their construction says.

    The points are stored as float64 rows. A file contains only the rows, so points that are read from a file are
    `Plain`, and their maximum cosine is measured.

    Attributes:
        angle: Lower bound on the angle between two points, in radians.
    """

    angle: float = field(kw_only=True)

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine and a text that says how it was found.

        For up to 200,000 points, the maximum cosine is measured. For more points, the result is the cosine of the
        attribute `angle`, the guaranteed angle. It is a float if two of the first 20,000 points have this cosine up to
        rounding. Otherwise, it is an `UpperBound`, because no pair is known to have this cosine.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        if self.count <= MEASURED_POINTS:
            return super().largest_cosine(progress)
        ceiling = cos(self.angle)
        probed = closest_pair_cosine(self.points[:PROBED_POINTS, :DEEPEST])
        attained = abs(probed - ceiling) <= product_rounding(self.dim)
        return ceiling if attained else UpperBound(ceiling), METHOD
