"""Constructions of spherical codes.

A scheme is a named method that builds codes. Each scheme has its own module. Importing this package imports these
modules, and this registers the schemes.
"""

# The order of the list is ours.
# isort: off
from protosphere.constructions.elementary import one_hot as one_hot
from protosphere.constructions.elementary import uniform as uniform
from protosphere.constructions.elementary import simplex as simplex
from protosphere.constructions.elementary import cross_polytope as cross_polytope
from protosphere.constructions.elementary import (
    orthogonal_simplices as orthogonal_simplices,
)
from protosphere.constructions.block_codes import reed_muller as reed_muller
from protosphere.constructions.block_codes import bch as bch
from protosphere.constructions.block_codes import reed_solomon as reed_solomon
from protosphere.constructions.block_codes import kerdock as kerdock
from protosphere.constructions.block_codes import delsarte_goethals as delsarte_goethals
from protosphere.constructions.block_codes import gold as gold
from protosphere.constructions.elementary import (
    lifted_cross_polytopes as lifted_cross_polytopes,
)
from protosphere.constructions.elementary import lifted_bases as lifted_bases
from protosphere.constructions.block_codes import shortened_cosets as shortened_cosets
from protosphere.constructions.block_codes import construction_x as construction_x
from protosphere.constructions.block_codes import best_known_linear as best_known_linear
from protosphere.constructions.frames import paley_frame as paley_frame
from protosphere.constructions.frames import steiner_frame as steiner_frame
from protosphere.constructions.frames import two_graph_frame as two_graph_frame
from protosphere.constructions.frames import (
    generalized_quadrangle as generalized_quadrangle,
)
from protosphere.constructions.frames import designs as designs
from protosphere.constructions.frames import strongly_regular as strongly_regular
from protosphere.constructions.frames import weil_chirp as weil_chirp
from protosphere.constructions.frames import rotated_bases as rotated_bases
from protosphere.constructions.lattices import root_system as root_system
from protosphere.constructions.lattices import signed_quadruples as signed_quadruples
from protosphere.constructions.lattices import e8_shell as e8_shell
from protosphere.constructions.lattices import coxeter_todd_shell as coxeter_todd_shell
from protosphere.constructions.lattices import barnes_wall_shell as barnes_wall_shell
from protosphere.constructions.lattices import leech_shell as leech_shell
from protosphere.constructions.lattices import laminated as laminated
from protosphere.constructions.lattices import lattice_shell as lattice_shell
from protosphere.constructions.lattices import sharp_codes as sharp_codes
from protosphere.constructions.lattices import derived_code as derived_code
from protosphere.constructions.kissing import (
    kissing_configuration as kissing_configuration,
)
from protosphere.constructions.elementary import polytope as polytope
from protosphere.constructions.elementary import apple_peeling as apple_peeling
from protosphere.constructions.descents import paper_objectives as paper_objectives
from protosphere.constructions.descents import optimized as optimized
from protosphere.constructions.best import selection as selection
from protosphere.constructions.descents import semantic as semantic
from protosphere.constructions.descents import semantic_ranking as semantic_ranking
from protosphere.constructions.trees import hierarchical as hierarchical
from protosphere.constructions.trees import hierarchy_frame as hierarchy_frame
from protosphere.constructions.parts import composed as composed
from protosphere.constructions.elementary import clusters as clusters
# isort: on

from protosphere.constructions.construct import best, construct
from protosphere.constructions.embeddings.from_embeddings import from_embeddings
from protosphere.constructions.parts.add_classes import add_classes
from protosphere.constructions.parts.compose import compose
from protosphere.constructions.registry import (
    Construction,
    available,
    construction,
    describe,
)

__all__ = [
    "Construction",
    "add_classes",
    "available",
    "best",
    "compose",
    "construct",
    "construction",
    "describe",
    "from_embeddings",
]
