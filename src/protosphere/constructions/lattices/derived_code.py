"""Derived codes: the vectors of a shell that have given inner products with a few fixed vectors, projected.

The vectors are projected to the orthogonal complement of the fixed vectors and normalized. If there is only one fixed
vector, and this vector is a point of the shell, the code is a derived code as defined by Delsarte, Goethals and Seidel.

There are two shells. The first one has the minimal vectors of the Leech lattice, which are its 196,560 shortest nonzero
vectors. The second one belongs to a hole of type 3, which is half of a lattice vector whose squared norm is 3/2 of the
squared norm of the minimal vectors. This shell has the vectors from the hole to the lattice vectors at the second
smallest distance, multiplied by 2.

The fixed vectors were found by a search. Each fixed vector is a minimal vector of the Leech lattice, or a sum of two
minimal vectors. A minimal vector is stored as its index, from 0, among the rows of `leech_minimal_vectors`. Inner
products are in the coordinates in which the minimal vectors are integer vectors of squared norm 32. The text '3 17+40'
means two fixed vectors: vector 3, and the sum of the vectors 17 and 40.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import numpy as np

from protosphere.constructions.families import Member, family
from protosphere.constructions.lattices.leech import leech_minimal_vectors
from protosphere.constructions.lattices.leech_shell import hole_vectors
from protosphere.constructions.lattices.sections import LEECH, Parent, Section
from protosphere.constructions.traits import Traits
from protosphere.errors import InvalidArgumentError, brief
from protosphere.spherical.structures import LatticePoints
from protosphere.storage.files import reading
from protosphere.tables.table_files import read_known_table, shipped_file

HOLE = Parent(
    "second shell around a type 3 hole of the Leech lattice",
    hole_vectors,
    2,
    LEECH.theorem,
)
PARENTS = {"leech": (LEECH, 32), "leech_hole": (HOLE, 128)}
"""Shells by name, each with the smallest squared distance of two vectors in the scale of its coordinates."""

VECTORS = r"\d{1,7}(?:\+\d{1,7})?(?:,\d{1,7}(?:\+\d{1,7})?){0,15}"
PRODUCTS = r"-?\d{1,4}(?:,-?\d{1,4}){0,15}"
ID = re.compile(rf"(\w{{1,20}}):({PRODUCTS}):({VECTORS})")
"""Pattern of the id of a code: the name of the shell, the inner products, and the fixed vectors."""


@dataclass(frozen=True)
class DerivedCodeRow:
    """Row of the shipped table of derived codes.

    A derived code consists of the vectors of a shell that have given inner products with a few fixed vectors, projected
    to the orthogonal complement of the fixed vectors and normalized.

    Attributes:
        parent: Name of the shell: 'leech' for the minimal vectors of the Leech lattice, or 'leech_hole' for the vectors
            from a hole of this lattice to the lattice vectors at the second smallest distance. The hole is of type 3:
            half of a lattice vector whose squared norm is 3/2 of the squared norm of the minimal vectors.
        fixed: Fixed vectors, separated by spaces. Each is a minimal vector of the Leech lattice, or a sum of two. A
            minimal vector is given by its index, from 0, among the rows of `leech_minimal_vectors`. For example, '3
            17+40' means vector 3, and the sum of the vectors 17 and 40.
        products: Inner products, separated by spaces. Entry i is the inner product that all vectors of the code have
            with fixed vector i.
        dim: Dimension n of the projected points.
        size: Number of points.
        max_cosine: Maximum cosine, as the text of a fraction.
    """

    parent: str
    fixed: str
    products: str
    dim: int
    size: int
    max_cosine: str

    @property
    def id(self) -> str:
        """Identifier of the code, such as 'leech:0,-16:148435,64812'; the code can be built from it without the table.

        It consists of the name of the shell, the inner products and the fixed vectors. In the example, the code has the
        minimal vectors of the Leech lattice that have the inner product 0 with the minimal vector of index 148435, and
        the inner product -16 with the minimal vector of index 64812.
        """
        products = self.products.replace(" ", ",")
        fixed = self.fixed.replace(" ", ",")
        return f"{self.parent}:{products}:{fixed}"

    @property
    def description(self) -> str:
        """Text that says what the code is: the name of its shell and the inner products with the fixed vectors."""
        return _description(self.parent, self.products.split())

    def structure(self, count: int) -> LatticePoints:
        """Return the first `count` points of the code, as unit vectors."""
        return section_named(self.dim, self.id).structure(count)


def read_derived_codes(path: str | Path) -> tuple[DerivedCodeRow, ...]:
    """Read a table of derived codes from a file, and return its rows.

    Args:
        path: Path of the .csv file.

    Raises:
        StorageError: If the file is not a table of derived codes, or a row is invalid.
    """
    with reading(path, "not a table of derived codes, or a damaged one"):
        return tuple(read_known_table(path, DerivedCodeRow, _possible))


@lru_cache(maxsize=1)
def shipped_derived_codes() -> tuple[DerivedCodeRow, ...]:
    """Return the rows of the shipped table of derived codes."""
    with shipped_file("derived_codes.csv") as path:
        return read_derived_codes(path)


def _possible(row: DerivedCodeRow) -> bool:
    as_many = len(row.fixed.split(" ")) == len(row.products.split(" "))
    return (
        bool(ID.fullmatch(row.id))
        and as_many
        and 1 <= row.dim < row.size
        and 0 < Fraction(row.max_cosine) < 1
    )


def _description(parent: str, products: Sequence[str]) -> str:
    vectors = f"{PARENTS[parent][0].name} vectors"
    if len(products) == 1:
        return f"{vectors} with inner product {products[0]} with a fixed vector"
    return f"{vectors} with inner products {', '.join(products)} with fixed vectors"


def _named(dim: int, id: str) -> Member:
    section = section_named(dim, id)
    return Member(dim, 0, section.max_cosine, id, section.name, section.structure)


def section_named(dim: int, id: str) -> Section:
    """Return the derived code with a given id, as a section of a shell.

    It consists of the vectors of the shell that have given inner products with fixed vectors, projected to the
    orthogonal complement of the fixed vectors.

    Args:
        dim: Dimension n of the projected vectors.
        id: Identifier, such as 'leech:0,-16:148435,64812': the name of the shell, the inner products, and the fixed
            vectors. A fixed vector is written as the index of a minimal vector of the Leech lattice, or as two indices
            joined by '+' for the sum of two minimal vectors. In the example, the vectors of the code have the inner
            product 0 with minimal vector 148435, and -16 with minimal vector 64812.

    Raises:
        InvalidArgumentError: If the id has another form or names an unknown shell or vector, if the number of fixed
            vectors or of inner products is not 24 - n, if the fixed vectors are linearly dependent, or if no vector can
            have these inner products.
    """
    read = ID.fullmatch(id)
    if read is None or read[1] not in PARENTS:
        raise InvalidArgumentError(
            f"'member' must be the id of a derived code, got {brief(id)}"
        )
    parent, least = PARENTS[read[1]]
    products = tuple(map(int, read[2].split(",")))
    vectors = leech_minimal_vectors()
    tokens = [tuple(map(int, token.split("+"))) for token in read[3].split(",")]
    if len(tokens) != len(products) or dim != 24 - len(tokens):
        raise InvalidArgumentError(
            f"'member' must have as many products as vectors, 24 - {dim}, got {brief(id)}"
        )
    if max(map(max, tokens)) >= len(vectors):
        raise InvalidArgumentError(
            f"'member' must have vectors with indices below {len(vectors)}, got {brief(id)}"
        )
    fixed = tuple(tuple(vectors[list(token)].sum(axis=0).tolist()) for token in tokens)
    left = norm_left(
        sum(entry**2 for entry in parent.vectors()[0].tolist()), fixed, products
    )
    return Section(
        dim=dim,
        size=0,
        max_cosine=1 - least / (2 * left),
        parent=parent,
        fixed=fixed,
        products=products,
        id=id,
        name=_description(read[1], read[2].split(",")),
    )


def norm_left(
    norm: int, fixed: Sequence[Sequence[int]], products: Sequence[int]
) -> Fraction:
    """Return the exact squared norm of a vector after its projection to the orthogonal complement of fixed vectors.

    Args:
        norm: Squared norm of the vector.
        fixed: Linearly independent fixed vectors.
        products: Inner product of the vector with each fixed vector.

    Raises:
        InvalidArgumentError: If the fixed vectors are linearly dependent, or the result is not positive.

    >>> norm_left(2, [(1, 1)], [1])
    Fraction(3, 2)
    """
    vectors = np.array(fixed, dtype=object)
    gram = np.vstack(
        [np.column_stack([vectors @ vectors.T, products]), [*products, norm]]
    ) * Fraction(1)
    for i in range(len(fixed)):
        if gram[i, i] == 0:
            raise InvalidArgumentError(
                "'member' must fix vectors of which none is a combination of the others"
            )
        gram[i + 1 :] -= np.outer(gram[i + 1 :, i] / gram[i, i], gram[i])
    if gram[-1, -1] <= 0:
        raise InvalidArgumentError(
            "'member' must leave its points a length, got products that no vector has"
        )
    return gram[-1, -1]


@family(
    summary="minimal vectors of the Leech lattice around fixed vectors, projected, n = 18 to 23, K up to 48600",
    reference="Delsarte, Goethals & Seidel (1977); Conway & Sloane, SPLAG, chapters 10 and 14",
    named=_named,
    traits=Traits(quick_certificate=True),
)
def derived_code() -> Iterator[Member]:
    """Yield codes in R^18 to R^23 from the minimal vectors of the Leech lattice.

    A code has the minimal vectors with given inner products with one to six fixed vectors, projected to the orthogonal
    complement of the fixed vectors and normalized.
    """
    for row in shipped_derived_codes():
        yield Member(
            dim=row.dim,
            size=row.size,
            max_cosine=Fraction(row.max_cosine),
            id=row.id,
            description=row.description,
            structure=row.structure,
        )
