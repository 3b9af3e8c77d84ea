"""Modules that compute dot products with all prototypes.

A projection is a module that maps a vector to its dot products with the K prototypes of a code. It multiplies the
vector by the matrix of prototypes, or uses the structure of the code if this is faster.

>>> import protosphere as ps, torch
>>> from protosphere.nn.projections import projection_for
>>> project = projection_for(ps.construct("cross_polytope", num_classes=4, dim=2))
>>> project(torch.tensor([[3.0, 2.0]])).tolist()
[[3.0, -3.0, 2.0, -2.0]]
"""

from protosphere.nn.projections.choose import KINDS, projection_for
from protosphere.nn.projections.projection import Projection

__all__ = ["KINDS", "Projection", "projection_for"]
