"""What points can be: one file per structure, one line here each."""

from protosphere.spherical.structures.cosets import CosetUnion as CosetUnion
from protosphere.spherical.structures.lattice import LatticePoints as LatticePoints
from protosphere.spherical.structures.layers import LayeredPoints as LayeredPoints
from protosphere.spherical.structures.linear import LinearWords as LinearWords
from protosphere.spherical.structures.plain import Plain as Plain
from protosphere.spherical.structures.shortened import ShortenedWords as ShortenedWords
from protosphere.spherical.structures.sign_words import SignWords as SignWords
from protosphere.spherical.structures.simplices import (
    OrthogonalSimplices as OrthogonalSimplices,
)
from protosphere.spherical.structures.tailed import Tailed as Tailed
from protosphere.spherical.structures.tailed import followed_by as followed_by

Structure = Plain | SignWords | OrthogonalSimplices | Tailed
"""K points of R^n, held in the form they have, and everything that follows from that form: `Plain` says what that is.
One that inherits from `Plain` or `SignWords` need not be named here."""
