"""Where codes meet the sphere: one file a construction, registered by the line that imports it here."""

from protosphere.constructions.one_hot import one_hot  # isort: skip - the order of the list is ours
from protosphere.constructions.uniform import uniform  # isort: skip
from protosphere.constructions.simplex import simplex  # isort: skip
from protosphere.constructions.cross_polytope import cross_polytope  # isort: skip
from protosphere.constructions.reed_muller import reed_muller  # isort: skip
from protosphere.constructions.bch import bch  # isort: skip
from protosphere.constructions.reed_solomon import reed_solomon  # isort: skip
from protosphere.constructions.kerdock import kerdock  # isort: skip
from protosphere.constructions.delsarte_goethals import delsarte_goethals  # isort: skip
from protosphere.constructions.gold import gold  # isort: skip
from protosphere.constructions.lifted_cross_polytopes import lifted_cross_polytopes  # isort: skip
from protosphere.constructions.lifted_bases import lifted_bases  # isort: skip
from protosphere.constructions.shortened_cosets import shortened_cosets  # isort: skip
from protosphere.constructions.construction_x import construction_x  # isort: skip
from protosphere.constructions.descent import log_sum_exp, mean_row_max  # isort: skip
from protosphere.constructions.optimized import optimized  # isort: skip
from protosphere.constructions.best import best
from protosphere.constructions.construct import construct
from protosphere.constructions.registry import Construction, available, construction, describe

__all__ = [
    "Construction",
    "available",
    "bch",
    "best",
    "construct",
    "construction",
    "construction_x",
    "cross_polytope",
    "delsarte_goethals",
    "describe",
    "gold",
    "kerdock",
    "lifted_bases",
    "lifted_cross_polytopes",
    "log_sum_exp",
    "mean_row_max",
    "one_hot",
    "optimized",
    "reed_muller",
    "reed_solomon",
    "shortened_cosets",
    "simplex",
    "uniform",
]
