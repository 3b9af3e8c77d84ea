"""Structure for points in one coset of a lattice, that is, points whose differences are lattice vectors.

A lattice is the set of all integer combinations of some linearly independent vectors, its basis. The distance of two
such points is at least the norm of the shortest nonzero lattice vector. This gives an upper bound on their cosine: 1
minus half of the squared norm of the shortest nonzero lattice vector.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import CertificateError, InvalidArgumentError
from protosphere.geometry.gram import pair_products, point_rows
from protosphere.geometry.lattice_coset import LatticeCoset
from protosphere.geometry.shortest_vector import has_shorter
from protosphere.geometry.sphere import normalized, product_rounding
from protosphere.spherical.structures.plain import Plain
from protosphere.spherical.structures.structure import (
    ALL_PAIRS_POINTS,
    Content,
    fraction_to_json,
    read_fraction,
    structure,
)
from protosphere.types import Cosine, Indices, Points, Progress

LARGEST_RANK, LEAST_STRETCH = 64, 1e-8
"""Largest rank of a basis that is read from a file, and the number that its singular values must exceed.

The singular values must also be below the reciprocal of this number.
"""


@structure("lattice")
@dataclass(frozen=True, eq=False)
class LatticePoints(Plain):
    """Points, stored as float64 rows, that differ by vectors of a lattice, either themselves or after scaling.

    - If `lengths` is None, all differences of two points are lattice vectors.
    - Otherwise, all differences of two of the vectors lengths[i] * points[i] are lattice vectors.

    Attributes:
        lattice: The lattice, with its basis and the smallest squared norm of its nonzero vectors.
        lengths: K x 1 array with a factor for each point, or None if no factors are needed.
        proved: True if the lattice comes from a construction of this library. False if it comes from a file. No cosine
            is derived from a lattice of a file.
    """

    lattice: LatticeCoset = field(kw_only=True)
    lengths: Points | None = field(default=None, kw_only=True)
    proved: bool = field(default=True, kw_only=True)

    @classmethod
    def shell(
        cls, vectors: NDArray[Any], basis: NDArray[Any], least: int, theorem: str
    ) -> LatticePoints:
        """Return unit points made from vectors of equal norm whose differences are vectors of a lattice.

        Examples of such vectors are all lattice vectors of one norm. A point is such a vector, divided by the norm.

        Args:
            vectors: K x n matrix of the vectors, one per row.
            basis: Basis of the lattice before the division by the norm, one vector per row.
            least: Smallest squared norm of a nonzero lattice vector before the division. The squared norms of all
                lattice vectors must be multiples of half of this number.
            theorem: Name of the theorem or source that gives `least`.
        """
        norm = round(float(np.sum(vectors[0].astype(np.float64) ** 2)))
        coset = LatticeCoset(basis / np.sqrt(norm), Fraction(least, norm), theorem)
        return LatticePoints(
            normalized(vectors.astype(np.float64)),
            Fraction(least, 4 * norm),
            lattice=coset,
        )

    @cached_property
    def in_coset(self) -> bool:
        """Whether the lattice shows that every cosine of two points is at most `lattice.ceiling`.

        The number `lattice.ceiling` is 1 - `lattice.least` / 2, where `lattice.least` is the stated smallest squared
        norm of a nonzero lattice vector. The value is True in two cases, otherwise False:

        - `lengths` is None, all points are different, and their differences are lattice vectors.
        - `lengths` is given, all vectors lengths[i] * points[i] are different, their differences are lattice vectors,
          and each length is above 0, at least 1 - `lattice.least`, and at most 1.
        """
        annulus = self.lengths is None or self.lattice.in_annulus(self.lengths)
        return annulus and self.lattice.holds(self.points, self.lengths)

    @cached_property
    def by_lattice(self) -> bool:
        """Whether the maximum cosine may be derived from the lattice instead of measured by comparing all pairs.

        The value is True if `proved` and `in_coset` are True and there are more than 20,000 points
        (`ALL_PAIRS_POINTS`).
        """
        return self.proved and self.count > ALL_PAIRS_POINTS and self.in_coset

    @property
    def exact_reason(self) -> str:
        """Text that says why the maximum cosine is exact, for use if `largest_cosine` returns a Fraction.

        Certificates have this text as the attribute `reason`.
        """
        if self.cosine_step is None:
            return "the lattice of the points has this minimum distance"
        return super().exact_reason

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine and a text that says how it was found.

        The number `lattice.ceiling` is an upper bound on the cosines of two points whose difference is a lattice
        vector.

        - If `by_lattice` is True and some pair attains `lattice.ceiling` up to rounding, the result is
          `lattice.ceiling`.
        - Otherwise, all pairs are compared, and the result is the measured maximum cosine. If it equals
          `lattice.ceiling` up to rounding, `lengths` is given, and `proved` and `in_coset` are True, the result is
          `lattice.ceiling` instead.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        if self.by_lattice and self._attains_ceiling(progress):
            theorem = self.lattice.theorem
            method = f"a pair at the minimum distance; the lattice allows no less ({theorem})"
            return self.lattice.ceiling, method
        return self._at_ceiling(*super().largest_cosine(progress))

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the points, and return the maximum cosine and a text that says how it was found.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.

        Raises:
            CertificateError: In two cases. The attribute `by_lattice` is True, so that the maximum cosine is derived
                from the lattice, and it is not certain that every nonzero lattice vector has at least the squared norm
                `lattice.least`. Or `by_lattice` is False, a cosine step is stated, and a cosine is not 1 minus an
                integer multiple of this step, up to rounding.
        """
        if self.by_lattice:
            self.check()
            return self.largest_cosine(progress)
        return self._at_ceiling(*super().verified_cosine(progress))

    def _attains_ceiling(self, progress: Progress) -> bool:
        ceiling = float(self.lattice.ceiling)
        rounding = product_rounding(self.dim)
        for products in pair_products(point_rows(self.points), progress):
            if np.any(np.abs(products - ceiling) < rounding):
                return True
        return False

    def _at_ceiling(self, cosine: Cosine, method: str) -> tuple[Cosine, str]:
        if not self.proved or self.lengths is None:
            return cosine, method
        ceiling = self.lattice.ceiling
        if abs(cosine - ceiling) >= product_rounding(self.dim) or not self.in_coset:
            return cosine, method
        exact = f"{method}: the lattice's minimum distance ({self.lattice.theorem})"
        return ceiling, exact

    def permuted(self, order: Indices) -> Self:
        """Return a structure with the same points in another order.

        If the structure has an array `lengths` of one factor per point, its entries are reordered in the same way.

        Args:
            order: Indices of the points: point i of the result is point order[i] of this structure.
        """
        return replace(
            super().permuted(order),
            lengths=None if self.lengths is None else self.lengths[order],
        )

    def check(self) -> None:
        """Raise CertificateError if the lattice or the cosines do not have a stated property.

        - If `by_lattice` is True, every nonzero lattice vector must provably have at least the stated squared norm
          `lattice.least`.
        - If `by_lattice` is False and a cosine step is stated, every cosine must be 1 minus an integer multiple of this
          step, up to rounding.
        - If `by_lattice` is False and no cosine step is stated, nothing is checked.
        """
        if not self.by_lattice:
            super().check()
        elif has_shorter(self.lattice.basis, float(self.lattice.least)) is not False:
            raise CertificateError(
                f"the lattice is not known to have no vectors shorter than {self.lattice.least}"
            )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a code file stores, by name.

        - "points" has the points, one per row.
        - "basis" has the basis vectors of the lattice, one per row.
        - "lengths" has the factor of each point. If `lengths` is None, there is no such array.
        """
        lengths = {} if self.lengths is None else {"lengths": self.lengths}
        return {"points": self.points, "basis": self.lattice.basis} | lengths

    def header(self) -> dict[str, Any]:
        """Return the header entries that a code file stores for these points, by name.

        - "cosine_step" is the text of a fraction c such that every cosine of two points is 1 - j c with an integer j.
          It is None if no such fraction is known.
        - "lattice" is a dictionary with two keys: "least" is the smallest squared norm of a nonzero lattice vector, and
          "theorem" is the name of the theorem that gives this number.
        """
        least = {
            "least": fraction_to_json(self.lattice.least),
            "theorem": self.lattice.theorem,
        }
        return super().header() | {"lattice": least}

    @classmethod
    def read(cls, content: Content) -> LatticePoints:
        """Return the structure with the points and the lattice that are stored in a code file.

        The array "points" has the points, and "basis" has the basis vectors of the lattice. The array "lengths" has a
        factor for each point. If there is no such array, `lengths` is None. In the result, `proved` is False.

        Args:
            content: Arrays and header of the code file, with the number K of points and the dimension n.

        Raises:
            InvalidArgumentError: If the points, the basis, the stated smallest squared norm or the factors are invalid.
        """
        plain = Plain.read(content)
        words = content.record("lattice")
        least = read_fraction("least", words.get("least"))
        theorem = words.get("theorem")
        basis = content.array("basis", (None, None), np.float64)
        if least is None or not 0 < least <= 4 or not isinstance(theorem, str):
            raise InvalidArgumentError(
                "'lattice' should be a squared length of at most 4, and its theorem"
            )
        if not _is_basis(basis, content.dim):
            raise InvalidArgumentError(
                f"'basis' should be a well-conditioned square matrix, is {basis.shape}"
            )
        if "lengths" in content.arrays:
            lengths = content.array("lengths", (content.count, 1), np.float64)
        else:
            lengths = None
        if lengths is not None and not np.isfinite(lengths).all():
            raise InvalidArgumentError("'lengths' should be finite")
        coset = LatticeCoset(basis, least, theorem)
        return LatticePoints(
            plain.points,
            plain.cosine_step,
            unverified_step=plain.unverified_step,
            lattice=coset,
            lengths=lengths,
            proved=False,
        )


def _is_basis(rows: Points, dim: int) -> bool:
    if (
        not rows.size
        or rows.shape[0] != rows.shape[1]
        or len(rows) > min(dim, LARGEST_RANK)
    ):
        return False
    if np.isfinite(rows).all():
        stretches = np.linalg.svd(rows, compute_uv=False)
    else:
        stretches = np.zeros(1)
    return (
        float(stretches.min()) > LEAST_STRETCH
        and float(stretches.max()) < 1 / LEAST_STRETCH
    )
