"""What points can be: one file per structure, one line here each."""

from protosphere.code.structures.cosets import CosetUnion as CosetUnion
from protosphere.code.structures.lattice import LatticePoints as LatticePoints
from protosphere.code.structures.linear import LinearWords as LinearWords
from protosphere.code.structures.plain import Plain as Plain
from protosphere.code.structures.shortened import ShortenedWords as ShortenedWords
from protosphere.code.structures.sign_words import SignWords as SignWords
from protosphere.code.structures.simplices import OrthogonalSimplices as OrthogonalSimplices
from protosphere.code.structures.tailed import Tailed as Tailed
from protosphere.code.structures.tailed import followed_by as followed_by

Structure = Plain | SignWords | OrthogonalSimplices | Tailed
"""K points of R^n, held in the form they have, and everything that follows from that form: `Plain` says what that is.
One that inherits from `Plain` or `SignWords` need not be named here."""
