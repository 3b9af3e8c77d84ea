"""Random points on the sphere, as a baseline."""

import numpy as np

from protosphere.constructions.registry import construction
from protosphere.constructions.traits import FigureStyle, Traits
from protosphere.geometry.sphere import uniform_points
from protosphere.spherical.placement import Placement, dense_placement


@construction(
    summary="independent random points, uniformly distributed on the sphere",
    reference="Muller (1959), A note on a method for generating points uniformly on n-dimensional spheres",
    traits=Traits(
        stochastic=True,
        in_paper=True,
        style=FigureStyle("uniform", "#999999", ".", ":"),
    ),
)
def uniform(num_classes: int, dim: int, *, rng: np.random.Generator) -> Placement:
    """Place independent random points, which are uniformly distributed on the sphere.

    The points are normalized Gaussian vectors. No maximum cosine is guaranteed. The points are nearly orthogonal only
    in high dimensions.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
        rng: Random generator of the points.
    """
    return dense_placement(
        "uniform random points", uniform_points(num_classes, dim, rng)
    )
