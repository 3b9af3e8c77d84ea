"""Where codes meet the sphere: one file a construction, registered by the line that imports it here."""

from protosphere.constructions.elementary.one_hot import one_hot  # isort: skip - the order of the list is ours
from protosphere.constructions.elementary.uniform import uniform  # isort: skip
from protosphere.constructions.elementary.simplex import simplex  # isort: skip
from protosphere.constructions.elementary.cross_polytope import cross_polytope  # isort: skip
from protosphere.constructions.elementary.orthogonal_simplices import orthogonal_simplices  # isort: skip
from protosphere.constructions.block_codes.reed_muller import reed_muller  # isort: skip
from protosphere.constructions.block_codes.bch import bch  # isort: skip
from protosphere.constructions.block_codes.reed_solomon import reed_solomon  # isort: skip
from protosphere.constructions.block_codes.kerdock import kerdock  # isort: skip
from protosphere.constructions.block_codes.delsarte_goethals import delsarte_goethals  # isort: skip
from protosphere.constructions.block_codes.gold import gold  # isort: skip
from protosphere.constructions.elementary.lifted_cross_polytopes import lifted_cross_polytopes  # isort: skip
from protosphere.constructions.elementary.lifted_bases import lifted_bases  # isort: skip
from protosphere.constructions.block_codes.shortened_cosets import shortened_cosets  # isort: skip
from protosphere.constructions.block_codes.construction_x import construction_x  # isort: skip
from protosphere.constructions.frames.paley_frame import paley_frame  # isort: skip
from protosphere.constructions.frames.steiner_frame import steiner_frame  # isort: skip
from protosphere.constructions.frames.two_graph_frame import two_graph_frame  # isort: skip
from protosphere.constructions.frames.isotropic import isotropic  # isort: skip
from protosphere.constructions.frames.weil_chirp import weil_chirp  # isort: skip
from protosphere.constructions.lattices.root_system import root_system  # isort: skip
from protosphere.constructions.lattices.signed_quadruples import signed_quadruples  # isort: skip
from protosphere.constructions.lattices.e8_shell import e8_shell  # isort: skip
from protosphere.constructions.lattices.barnes_wall_shell import barnes_wall_shell  # isort: skip
from protosphere.constructions.lattices.leech_shell import leech_shell  # isort: skip
from protosphere.constructions.lattices.laminated import laminated  # isort: skip
from protosphere.constructions.lattices.sharp_codes import sharp_codes  # isort: skip
from protosphere.constructions.elementary.polytope import polygon, polytope  # isort: skip
from protosphere.constructions.elementary.apple_peeling import apple_peeling  # isort: skip
from protosphere.constructions.descents.paper_objectives import log_sum_exp, mean_row_max  # isort: skip
from protosphere.constructions.descents.optimized import optimized  # isort: skip
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
    "orthogonal_simplices",
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
