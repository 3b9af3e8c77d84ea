"""Structure for points, stored as float64 rows, whose minimum angle a theorem about their construction guarantees.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.
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

    The points are stored as float64 rows. A code file stores the points without `angle`. When it is read, the points
    become a `Plain` structure, whose maximum cosine is measured.

    Attributes:
        angle: Lower bound on the angle between any two points, in radians.
    """

    angle: float = field(kw_only=True)

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine or an upper bound on it, and a text that says how the number was found.

        - If there are at most 200,000 points, the maximum cosine is measured.
        - If there are more points, and two of the first 20,000 have the cosine of the angle `angle` up to rounding, the
          result is the cosine of `angle` as a float.
        - If there are more points, and no two of the first 20,000 have this cosine, the result is the cosine of `angle`
          as an `UpperBound`. No pair is known to have this cosine.

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
