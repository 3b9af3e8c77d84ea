"""Structure for points in one coset of a lattice, that is, whose differences are lattice vectors.

The distance of two such points is at least the length of the shortest nonzero lattice vector. This gives an upper bound
on their cosine, `LatticeCoset.ceiling`.
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
    """Points, stored as float64 rows, whose differences are vectors of a lattice.

    If `lengths` is given, the differences of the vectors lengths[i] * points[i] are lattice vectors instead.

    Attributes:
        lattice: The lattice, with its basis and the smallest squared norm of its nonzero vectors.
        lengths: K x 1 array with a factor for each point, or None. The products lengths[i] * points[i] are the vectors
            whose differences are lattice vectors. None means that all factors are 1.
        proved: Whether the lattice comes from a construction of this library. A lattice from a file is not proved, and
            no cosine is derived from it.
    """

    lattice: LatticeCoset = field(kw_only=True)
    lengths: Points | None = field(default=None, kw_only=True)
    proved: bool = field(default=True, kw_only=True)

    @classmethod
    def shell(
        cls, vectors: NDArray[Any], basis: NDArray[Any], least: int, theorem: str
    ) -> LatticePoints:
        """Return unit points made from vectors of equal norm whose differences are vectors of a lattice.

        Examples of such vectors are the lattice vectors of one norm. They are divided by their norm.

        Args:
            vectors: K x n matrix of vectors with equal norms.
            basis: Basis of the lattice, one vector per row.
            least: Smallest squared norm of a nonzero lattice vector. The squared norms of all lattice vectors must be
                multiples of half of this number.
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
        """Whether the points are known to satisfy the upper bound `lattice.ceiling` on their cosines.

        This bound is 1 - `lattice.least` / 2, where `lattice.least` is the stated smallest squared norm of a nonzero
        lattice vector. The property is True in two cases:

        - If `lengths` is None: all points are different, and their differences are lattice vectors.
        - If `lengths` is given: all vectors lengths[i] * points[i] are different, their differences are lattice
          vectors, and all lengths are above 0, at least 1 - `lattice.least`, and at most 1.
        """
        annulus = self.lengths is None or self.lattice.in_annulus(self.lengths)
        return annulus and self.lattice.holds(self.points, self.lengths)

    @cached_property
    def by_lattice(self) -> bool:
        """Whether the maximum cosine is derived from the lattice instead of comparing all pairs.

        This is the case if `proved` and `in_coset` are True and there are more than 20,000 points (`ALL_PAIRS_POINTS`).
        """
        return self.proved and self.count > ALL_PAIRS_POINTS and self.in_coset

    @property
    def exact_reason(self) -> str:
        """Text that says why the result of `largest_cosine` is exact.

        If `largest_cosine` returns a Fraction, this text becomes `Certificate.reason`. Otherwise it is not used.
        """
        if self.cosine_step is None:
            return "the lattice of the points has this minimum distance"
        return super().exact_reason

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine and a text that says how it was found.

        If `by_lattice` is True and some pair attains the upper bound `lattice.ceiling` on the cosines, the result is
        this bound. Otherwise, all pairs are compared. If `lengths` is given, and if `proved` and `in_coset` are True, a
        measured value that equals the bound up to rounding is replaced by the bound.

        Args:
            progress: Function that is called with a text, the number of finished steps and the number of all steps,
                while pairs of points are compared.
        """
        if self.by_lattice and self._attains_ceiling(progress):
            theorem = self.lattice.theorem
            method = f"a pair at the minimum distance; the lattice allows no less ({theorem})"
            return self.lattice.ceiling, method
        return self._at_ceiling(*super().largest_cosine(progress))

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the points, and return the maximum cosine and a text that says how it was found.

        Args:
            progress: Function that is called with a text, the number of finished steps and the number of all steps,
                while pairs of points are compared.

        Raises:
            CertificateError: If `by_lattice` is True, and it is not certain that every nonzero lattice vector has at
                least the stated squared norm. If `by_lattice` is False, and a cosine is not 1 minus a multiple of the
                stated cosine step.
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

        If `lengths` is given, it is reordered in the same way as the points.

        Args:
            order: Indices of all points: point i of the result is point order[i].
        """
        return replace(
            super().permuted(order),
            lengths=None if self.lengths is None else self.lengths[order],
        )

    def check(self) -> None:
        """Raise CertificateError if the lattice or the cosines do not have the properties that this structure states.

        If `by_lattice` is True, the error is raised unless every nonzero lattice vector provably has at least the
        stated squared norm, `lattice.least`. Otherwise, the error is raised if a cosine is not 1 minus a multiple of
        the stated cosine step, up to rounding. If no cosine step is stated, nothing is checked.
        """
        if not self.by_lattice:
            super().check()
        elif has_shorter(self.lattice.basis, float(self.lattice.least)) is not False:
            raise CertificateError(
                f"the lattice is not known to have no vectors shorter than {self.lattice.least}"
            )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `SphericalCode.save` writes into a .safetensors file, by name.

        - "points" has the points, one per row.
        - "basis" has the basis vectors of the lattice, one per row.
        - "lengths" has the factors of the points. If `lengths` is None, there is no such array.
        """
        lengths = {} if self.lengths is None else {"lengths": self.lengths}
        return {"points": self.points, "basis": self.lattice.basis} | lengths

    def header(self) -> dict[str, Any]:
        """Return the metadata of the points that `SphericalCode.save` writes into a .safetensors file.

        - "cosine_step" is the fraction such that 1 - cosine is a multiple of it for all pairs of points. It is None if
          no such fraction is known.
        - "lattice" is a dictionary with the keys "least", the smallest squared norm of a nonzero lattice vector, and
          "theorem", the name of the theorem that gives this number.
        """
        least = {
            "least": fraction_to_json(self.lattice.least),
            "theorem": self.lattice.theorem,
        }
        return super().header() | {"lattice": least}

    @classmethod
    def read(cls, content: Content) -> LatticePoints:
        """Return the structure with the points and the lattice that a file contains.

        The file has the arrays "points" and "basis" (the basis vectors of the lattice) and, if the points are
        multiplied by factors to get vectors of the lattice coset, the array "lengths" of these factors. In the result,
        `proved` is False.

        Args:
            content: Arrays and metadata of a file that `SphericalCode.save` has written.

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
