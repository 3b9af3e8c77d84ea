"""Structures: the forms in which points are stored, such as a matrix or the codewords of a linear code.

A point is a unit vector that stands for a class. There is one module for each structure. The class `Structure`
describes what all of them have in common.
"""

from protosphere.spherical.structures.cosets import CosetUnion as CosetUnion
from protosphere.spherical.structures.glued import GluedWords as GluedWords
from protosphere.spherical.structures.glued import with_glue as with_glue
from protosphere.spherical.structures.lattice import LatticePoints as LatticePoints
from protosphere.spherical.structures.layers import LayeredPoints as LayeredPoints
from protosphere.spherical.structures.linear import LinearWords as LinearWords
from protosphere.spherical.structures.plain import Plain as Plain
from protosphere.spherical.structures.product import ProductPoints as ProductPoints
from protosphere.spherical.structures.quantized import (
    QuantizedPoints as QuantizedPoints,
)
from protosphere.spherical.structures.shortened import ShortenedWords as ShortenedWords
from protosphere.spherical.structures.sign_words import SignWords as SignWords
from protosphere.spherical.structures.simplices import (
    OrthogonalSimplices as OrthogonalSimplices,
)
from protosphere.spherical.structures.structure import Structure as Structure
from protosphere.spherical.structures.words_and_axes import WordsAndAxes as WordsAndAxes
from protosphere.spherical.structures.words_and_axes import with_axes as with_axes
