"""What points can be: one file per structure, one line here each."""

from protosphere.code.structures.cosets import CosetUnion
from protosphere.code.structures.lattice import LatticePoints
from protosphere.code.structures.linear import LinearWords
from protosphere.code.structures.plain import Plain
from protosphere.code.structures.shortened import ShortenedWords
from protosphere.code.structures.sign_words import SignWords
from protosphere.code.structures.simplices import OrthogonalSimplices
from protosphere.code.structures.structure import Structure, read_structure, registered_structures
from protosphere.code.structures.tailed import Tailed, followed_by

__all__ = [
    "CosetUnion",
    "LatticePoints",
    "LinearWords",
    "OrthogonalSimplices",
    "Plain",
    "ShortenedWords",
    "SignWords",
    "Structure",
    "Tailed",
    "followed_by",
    "read_structure",
    "registered_structures",
]
