"""Where codes meet the sphere: one file a construction, registered by the line that imports it here."""

from protosphere.constructions.one_hot import one_hot  # isort: skip - the order of the list is ours
from protosphere.constructions.uniform import uniform  # isort: skip
from protosphere.constructions.simplex import simplex  # isort: skip
from protosphere.constructions.cross_polytope import cross_polytope  # isort: skip
from protosphere.constructions.reed_muller import reed_muller  # isort: skip
from protosphere.constructions.bch import bch  # isort: skip
from protosphere.constructions.reed_solomon import reed_solomon  # isort: skip
from protosphere.constructions.descent import log_sum_exp, mean_row_max  # isort: skip
from protosphere.constructions.construct import construct
from protosphere.constructions.registry import Construction, available, construction, describe

__all__ = [
    "Construction",
    "available",
    "bch",
    "construct",
    "construction",
    "cross_polytope",
    "describe",
    "log_sum_exp",
    "mean_row_max",
    "one_hot",
    "reed_muller",
    "reed_solomon",
    "simplex",
    "uniform",
]
