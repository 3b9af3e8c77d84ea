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
from protosphere.constructions.paley_frame import paley_frame  # isort: skip
from protosphere.constructions.steiner_frame import steiner_frame  # isort: skip
from protosphere.constructions.two_graph_frame import two_graph_frame  # isort: skip
from protosphere.constructions.isotropic import isotropic  # isort: skip
from protosphere.constructions.weil_chirp import weil_chirp  # isort: skip
from protosphere.constructions.root_system import root_system  # isort: skip
from protosphere.constructions.signed_quadruples import signed_quadruples  # isort: skip
from protosphere.constructions.e8_shell import e8_shell  # isort: skip
from protosphere.constructions.barnes_wall_shell import barnes_wall_shell  # isort: skip
from protosphere.constructions.leech_shell import leech_shell  # isort: skip
from protosphere.constructions.laminated import laminated  # isort: skip
from protosphere.constructions.sharp_codes import sharp_codes  # isort: skip
from protosphere.constructions.polytope import polygon, polytope  # isort: skip
from protosphere.constructions.apple_peeling import apple_peeling  # isort: skip
from protosphere.constructions.descent import log_sum_exp, mean_row_max  # isort: skip
from protosphere.constructions.optimized import optimized  # isort: skip
from protosphere.constructions.best import best
from protosphere.constructions.construct import construct
from protosphere.constructions.registry import Construction, available, construction, describe

__all__ = [
    "Construction",
    "apple_peeling",
    "available",
    "barnes_wall_shell",
    "bch",
    "best",
    "construct",
    "construction",
    "construction_x",
    "cross_polytope",
    "delsarte_goethals",
    "describe",
    "e8_shell",
    "gold",
    "isotropic",
    "kerdock",
    "laminated",
    "leech_shell",
    "lifted_bases",
    "lifted_cross_polytopes",
    "log_sum_exp",
    "mean_row_max",
    "one_hot",
    "optimized",
    "paley_frame",
    "polygon",
    "polytope",
    "reed_muller",
    "reed_solomon",
    "root_system",
    "sharp_codes",
    "shortened_cosets",
    "signed_quadruples",
    "simplex",
    "steiner_frame",
    "two_graph_frame",
    "uniform",
    "weil_chirp",
]
