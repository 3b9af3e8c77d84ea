"""Structure for codewords of shortened unions of cosets of the Reed-Muller code RM(1, m).

RM(1, m) is the first-order Reed-Muller code of length 2^m. A coset consists of the sums modulo 2 (XOR) of one fixed
vector of bits and every codeword of RM(1, m). Shortening keeps the codewords that are zero at certain coordinates, and
deletes these coordinates. Puncturing deletes more coordinates. The shortened code consists of the codewords of n bits
that result. The index of a codeword is its position in the shortened code, from 0, where the codewords are listed coset
by coset. A coset is complete if all codewords that are left of it are points. As a point, a codeword has the entry
+1/sqrt(n) for bit 1 and -1/sqrt(n) for bit 0. Inner products in this module are those of codewords with entries +1 and
-1, so they are integers. A codeword may be followed by a glue vector, which has further coordinates of the same point.
Packed bits are stored eight to a byte, in rows of bytes: one row for each vector of bits.

Each coset belongs to a quadratic form. The inner products between the codewords of two cosets depend only on the
difference of the two forms. There are two ways to find the largest inner product of codewords of different cosets:

- For each difference of two forms, compute the largest inner product.
- Derive an upper bound from the ranks of the differences, and search for two codewords that attain the bound. This is
  faster if there are many differences.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.quadratic_forms import LARGEST_NUMBER_BITS
from protosphere.coding.shortened_cosets import ShortenedCosets
from protosphere.errors import CertificateError, InvalidArgumentError
from protosphere.geometry.gram import largest_inner_product, pair_products, point_rows
from protosphere.geometry.sphere import product_rounding
from protosphere.spherical.structures.sign_words import SignWords, held_words
from protosphere.spherical.structures.structure import (
    ALL_PAIRS_POINTS,
    Content,
    structure,
)
from protosphere.types import (
    Cosine,
    Indices,
    PackedBits,
    Points,
    Progress,
    UpperBound,
)

SHORT = 256
"""Length 2^m of the original codewords up to which a file may shorten or puncture them by any amount."""

METHOD = "all differences of whole cosets, in integers"
PROVED = "ranks of all differences of cosets, whose bound a pair of words attains"

MOST_PAIR_PRODUCTS = 1 << 38
"""Largest number of multiplications for comparing all pairs, if no known pair attains the bound by differences."""

QUICK_PRODUCTS = 10**10
"""Number of multiplications up to which `_by_difference` is used without looking for a faster way (1 s)."""


@structure("shortened")
@dataclass(frozen=True, eq=False)
class ShortenedWords(SignWords):
    """Points that are codewords of a union of cosets of RM(1, m) after shortening and puncturing.

    RM(1, m) is the first-order Reed-Muller code of length 2^m. Shortening keeps the codewords that are zero at certain
    coordinates, and deletes these coordinates. Puncturing deletes more coordinates. The codewords that result have the
    indices 0, 1, 2, ..., coset by coset.

    Attributes:
        code: Parameters of the shortened code: m, how many coordinates shortening has deleted, and how many puncturing
            has deleted.
        numbers: For each of the K points, the index of its codeword in the shortened code.
    """

    derived = ("signs",)
    is_nested = True
    sources = ("numbers",)

    code: ShortenedCosets
    numbers: Indices

    @classmethod
    def of(cls, code: ShortenedCosets, count: int) -> ShortenedWords:
        """Return the structure whose points are the first `count` codewords of a shortened code.

        Args:
            code: Parameters of the shortened code: m, how many coordinates shortening has deleted, and how many
                puncturing has deleted.
            count: Number K of codewords.
        """
        held = held_words(count, code.dim, lambda: code.words(count))
        return ShortenedWords(code.dim, held, code, np.arange(count))

    def encoded(self, numbers: Indices) -> PackedBits:
        """Return the codewords with the given indices in the shortened code, one per row, packed eight bits to a byte.

        Args:
            numbers: Indices of codewords. The codewords of the shortened code have the indices 0, 1, 2, ..., coset by
                coset.
        """
        return self.code.numbered(numbers)

    @property
    def by_cosets(self) -> bool:
        """Whether the maximum cosine is computed by comparing cosets instead of all pairs of points.

        The value is True if K is above 20,000, and the points are the first K codewords of the shortened code, in any
        order.
        """
        return self.count > ALL_PAIRS_POINTS and np.array_equal(
            np.sort(self.numbers), np.arange(self.count)
        )

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine or an upper bound on it, and a text that says how the number was found.

        - If `by_cosets` is False, all pairs are compared, and the maximum cosine is exact.
        - If `by_cosets` is True, an upper bound on the maximum cosine is computed by comparing cosets. If some pair is
          found to attain it, it is the maximum cosine. Otherwise, all pairs are compared if this takes at most about
          2^38 multiplications. If it takes more, the bound is returned as an `UpperBound`.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        if not self.by_cosets:
            return super().largest_cosine(progress)
        alone = self.code.closest_within_coset()
        proved = self._attained_bound(self._num_cosets, 1, progress)
        if proved is not None:
            return Fraction(max(alone, proved), self.dim), PROVED
        between = int(self._by_difference(progress).max())
        if self._has_pair_at(max(alone, between), alone, self._num_cosets, progress):
            return Fraction(max(alone, between), self.dim), METHOD
        if super().work <= MOST_PAIR_PRODUCTS:
            return super().largest_cosine(progress)
        return UpperBound(max(alone, between) / self.dim), METHOD

    def largest_with_glue(
        self, share: float, glue_vectors: Points, group: int, progress: Progress
    ) -> tuple[float, str]:
        """Return the maximum cosine of points that consist of a codeword of this structure and a glue vector.

        The cosine is computed from three numbers: the largest inner product of two codewords with the same glue vector,
        the largest inner product of two codewords with different glue vectors, and the largest cosine of two glue
        vectors.

        Args:
            share: Squared norm of the part of a point that is the codeword.
            glue_vectors: Unit vectors, one per row. The codeword with the index i in the shortened code is followed by
                row i // group, multiplied by sqrt(1 - share).
            group: Number of consecutive codewords that have the same glue vector, a power of two.
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.

        Returns:
            The maximum cosine and a text that says how it was found. If no pair is known to attain this cosine, it is
            an upper bound with the type `UpperBound`.
        """
        within, other, method = self._products_with_glue(group, progress)
        alone = self.code.closest_within_coset()
        grouped = group >> self.code.coset_bits
        same_glue = share * within / self.dim + 1 - share
        detail = "which have one glue vector"
        other_glue = -1.0
        apart = 1.0
        if other is not None:
            detail = "and of their glue vectors"
            apart = largest_inner_product(point_rows(glue_vectors))
            other_glue = share * other / self.dim + (1 - share) * apart
        largest = max(same_glue, other_glue)
        nearly = largest - product_rounding(self.dim) / 8
        attained = False
        if grouped > 0 and same_glue >= nearly:
            attained = self._has_pair_at(within, alone, grouped, progress)
        if grouped > 0 and other is not None and not attained and other_glue >= nearly:
            whole = self.count >> self.code.coset_bits
            attained = _are_equidistant(glue_vectors, apart) and self.code.attains(
                whole, other, progress, grouped
            )
        return largest if attained else UpperBound(largest), f"{method}, {detail}"

    def _has_pair_at(
        self, product: int, alone: int, cosets: int, progress: Progress
    ) -> bool:
        # `alone` is the largest inner product within a coset. Every complete coset of at least two codewords contains a
        # pair with this inner product.
        # Only cosets that are completely among the points are searched.
        whole = min(cosets, self.count >> self.code.coset_bits)
        within_coset = product == alone and whole > 0 and self.code.coset_bits > 0
        return within_coset or self.code.attains(whole, product, progress)

    def _products_with_glue(
        self, group: int, progress: Progress
    ) -> tuple[int, int | None, str]:
        # The first bound is for equal glue vectors, which `group` consecutive codewords have. The second bound is for
        # different glue vectors, and None if all glue vectors are equal.
        code, alone, grouped = (
            self.code,
            self.code.closest_within_coset(),
            group >> self.code.coset_bits,
        )
        if 1 <= grouped < self._num_cosets:
            if grouped == 1:
                within = alone
            else:
                within = self._attained_bound(grouped, 1, progress)
            if within is not None:
                other = self._attained_bound(self._num_cosets, grouped, progress)
            else:
                other = None
            if within is not None and other is not None:
                return max(alone, within), other, PROVED
        by_difference = self._by_difference(progress)
        layer = max(1, grouped // code.slopes)
        within = alone if grouped == 1 else max(alone, int(by_difference[:layer].max()))
        other_glue_products = by_difference if grouped == 1 else by_difference[layer:]
        return (
            within,
            int(other_glue_products.max()) if len(other_glue_products) else None,
            METHOD,
        )

    @property
    def _num_cosets(self) -> int:
        return -(-self.count >> self.code.coset_bits)

    def _attained_bound(
        self, cosets: int, group: int, progress: Progress
    ) -> int | None:
        # None if no codewords of different groups of `group` cosets are found to attain the bound, or if nothing is
        # searched, because `_by_difference` is quick.
        if self.code.closest_work(self._num_cosets) <= QUICK_PRODUCTS:
            return None
        bound = self.code.closest_possible(cosets)
        whole = min(cosets, self.count >> self.code.coset_bits)
        return bound if self.code.attains(whole, bound, progress, group) else None

    def _by_difference(self, progress: Progress) -> NDArray[np.int64]:
        return self.code.closest(self._num_cosets, progress)

    def check(self) -> None:
        """Raise CertificateError if the stored codewords are not those that `code` and `numbers` determine.

        If `held` is None, no codewords are stored, and nothing is checked.
        """
        if self.held is not None and not np.array_equal(
            self.encoded(self.numbers), self.held
        ):
            raise CertificateError(
                "the words are not the ones their cosets and numbers give"
            )

    def header(self) -> dict[str, Any]:
        """Return the header entry that a code file stores for these points, by name.

        It is "shortened", an object with three parameters of the shortened code: "m" gives the original length 2^m,
        "shortened" says how many coordinates shortening has deleted, and "punctured" says how many puncturing has
        deleted.
        """
        return {"shortened": asdict(self.code)}

    @classmethod
    def read(cls, content: Content) -> ShortenedWords:
        """Return the points that are stored in a code file.

        The header entry "shortened" has the parameters of the shortened code. The array "numbers" has the index of each
        point's codeword in the shortened code. The array "signs", if the file has it, has the codewords of the points.

        Args:
            content: Arrays and header of the code file, with the number K of points and the dimension n.

        Raises:
            InvalidArgumentError: If an array or a parameter is missing or malformed, if the parameters do not fit n, or
                if m is above 8 and n is below 2^m / 2.
        """
        code = ShortenedCosets(**content.record("shortened"))
        if code.dim != content.dim:
            raise InvalidArgumentError(
                f"'shortened' should leave words of length {content.dim}, leaves {code.dim}"
            )
        if 1 << code.m > max(
            SHORT, 2 * code.dim
        ):  # so that a small file cannot cause much work with long codewords
            raise InvalidArgumentError(
                f"'punctured' should leave half of 2^{code.m}, is {code.punctured}"
            )
        numbers = content.numbers("numbers", 1 << LARGEST_NUMBER_BITS)
        return ShortenedWords(
            content.dim,
            content.packed_or("signs", lambda: code.numbered(numbers)),
            code,
            numbers,
        )


def _are_equidistant(glue_vectors: Points, cosine: float) -> bool:
    # `cosine` is the largest cosine of two glue vectors. All cosines equal it if the smallest does, up to rounding.
    smallest = min(
        float(products.min(initial=np.inf))
        for products in pair_products(point_rows(glue_vectors))
    )
    return cosine - smallest <= product_rounding(glue_vectors.shape[1])
