"""Unions of cosets of RM(1, m), shortened and punctured: their codewords and largest inner products.

A codeword of RM(1, m) has N = 2^m coordinates, one for each integer below N, called a point. A coset consists of the
sums of one fixed vector and each codeword of RM(1, m). For inner products, bits 0 and 1 are read as +1 and -1.

Each coset belongs to a quadratic form A_p + T_b: the values of this form at the N points are the fixed vector. Let Tr
be the trace to GF(2).

- For m even, a point (x, e) consists of x in GF(2^(m-1)) and a bit e. A_p is Kerdock's form with the slope p, which is
  an element of GF(2^(m-1)): A_p(x, e) = Tr((px)^3) + Tr((px)^5) + Tr((px)^9) + ... + e Tr(px), where the exponents are
  1 + 2^i for i from 1 to (m-2)/2.
- For m odd, a point is an element x of GF(2^m), and A_p is zero.
- T_b is a trace form Tr(u x^3 + v x^5 + ...) with field elements u, v, ... The trace forms are the codewords of a
  linear code, and b is the index of T_b in this code. A layer consists of all cosets with the same trace form.

Shortening by j uses the first j of the points 0, 1, 2, 4, 8, ... It keeps the codewords of each coset that are zero at
these points, and deletes the coordinates of these points. Of the 2N codewords of a coset, 2N / 2^j remain. Puncturing
deletes i more coordinates. An inner product s becomes s - j by shortening, and then at most s - j + i by puncturing. If
mu is the maximum cosine of the original codewords, the new cosines are at most (N mu + i - j) / (N - i - j).

The inner products of two cosets depend only on the difference of their forms. This difference is the difference of two
Kerdock forms plus a trace form. `closest` enumerates all differences. If there are too many differences,
`closest_possible` gives an upper bound on the inner products, and `attains` searches for two codewords whose inner
product is this bound. See MacWilliams & Sloane, chapter 15, sections 2 and 5.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from protosphere.coding.linear import codewords, encode, pack, smallest_weight, unpack
from protosphere.coding.quadratic_forms import (
    LARGEST_VARIABLES,
    kerdock_forms,
    trace_forms,
)
from protosphere.coding.reed_muller import generator_rows
from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.types import Cosine, Indices, PackedBits, Progress, ignore

PROBED_DIFFERENCES = 64
"""Number of pairs of cosets in a batch that `attains` searches."""

MOST_PROBES, MOST_PROBE_PRODUCTS = 64, 3 * 10**10
"""Largest number of batches of pairs of cosets that `attains` searches, and of multiplications for all batches.

The multiplications take some seconds.
"""


@dataclass(frozen=True)
class ShortenedCosets:
    """Nested unions of cosets of RM(1, m) after shortening and puncturing.

    Each coset belongs to a quadratic form A_p + T_b. For m even, A_p is the Kerdock form with the slope p. For m odd,
    A_p is zero. T_b is the trace form with the index b. A layer consists of all cosets with the same trace form. The
    cosets are ordered by b, then by p. A code consists of the first codewords in this order, so a smaller code is
    contained in a larger one.

    Attributes:
        m: Base-2 logarithm of the length before shortening and puncturing.
        shortened: Count j of the coordinates that shortening deletes, at most m + 1.
        punctured: Count i of the further coordinates that puncturing deletes.
    """

    m: int
    shortened: int = 0
    punctured: int = 0

    def __post_init__(self) -> None:
        if as_integer("m", self.m, minimum=1) > LARGEST_VARIABLES:
            raise InvalidArgumentError(
                f"'m' must be at most {LARGEST_VARIABLES}, got {self.m}"
            )
        if as_integer("shortened", self.shortened, minimum=0) > self.m + 1:
            raise InvalidArgumentError(
                f"'shortened' must be at most m + 1 = {self.m + 1}, got {self.shortened}"
            )
        if (
            as_integer("punctured", self.punctured, minimum=0) + self.shortened
            >= 1 << self.m
        ):
            raise InvalidArgumentError(
                f"'punctured' must leave a point of {1 << self.m}, got {self.punctured}"
            )

    @property
    def dim(self) -> int:
        """Length of the codewords after shortening and puncturing."""
        return (1 << self.m) - self.shortened - self.punctured

    def max_cosine(self, whole: Cosine) -> Cosine:
        """Return an upper bound on the maximum cosine of the codewords after shortening and puncturing.

        Args:
            whole: Maximum cosine of the codewords before shortening and puncturing, at least 0.
        """
        return ((whole * (1 << self.m)) + self.punctured - self.shortened) / self.dim

    @property
    def slopes(self) -> int:
        """Number of cosets in a layer (all cosets with the same trace form): 2^(m-1) for m even and 1 for m odd.

        The Kerdock forms of the cosets of a layer have the slopes p = 0, 1, 2, ...
        """
        return 1 if self.m % 2 else 1 << (self.m - 1)

    @property
    def coset_bits(self) -> int:
        """Base-2 logarithm of the number of codewords that shortening leaves of each coset."""
        return self.m + 1 - self.shortened

    @cached_property
    def kept(self) -> Indices:
        """Indices of the coordinates that neither shortening nor puncturing deletes, in ascending order."""
        vanishing = np.append(0, 1 << np.arange(self.m))[: self.shortened]
        return np.setdiff1d(np.arange(1 << self.m), vanishing)[: self.dim]

    @cached_property
    def inner(self) -> PackedBits:
        """Generator matrix of RM(1, m) after shortening and puncturing, packed with eight bits per byte.

        Without shortening, its rows are the values of the functions 1, x_1, ..., x_m. Shortening removes the first
        `shortened` rows.
        """
        return pack(
            unpack(generator_rows(1, self.m), 1 << self.m)[self.shortened :, self.kept]
        )

    def forms(self, slopes: Indices, layers: int) -> tuple[PackedBits, PackedBits]:
        """Return the Kerdock forms A_p with the given slopes p, and a generator matrix of the first trace forms T_b.

        The rows of both matrices are packed (eight bits per byte), shortened and punctured.

        Args:
            slopes: The slopes p.
            layers: Number of trace forms. The code that the generator matrix generates contains T_0, ..., T_(layers-1).

        Returns:
            A matrix with the form A_p of each slope as a row, and the generator matrix. For m odd, the first matrix has
            a single row, which is zero.
        """
        none = np.zeros((1, (1 << self.m) + 7 >> 3), dtype=np.uint8)
        sloped = none if self.m % 2 else kerdock_forms(self.m, slopes)
        return self._restricted(sloped), self._restricted(
            trace_forms(self.m, (layers - 1).bit_length())
        )

    def _restricted(self, forms: PackedBits) -> PackedBits:
        # an affine function is added to each form, so that the form is zero in the shortened coordinates
        points = np.arange(1 << self.m)
        bits = unpack(forms, 1 << self.m)
        for i in range(self.shortened - 1):
            bits = bits ^ (bits[:, 1 << i, None] & (points >> i & 1).astype(np.uint8))
        return pack(bits[:, self.kept])

    def words(self, count: int) -> PackedBits:
        """Return the first `count` codewords as rows with eight bits per byte.

        All codewords of the first coset come first, then all codewords of the second coset, and so on.

        Args:
            count: Number of codewords.
        """
        inner = codewords(self.inner, min(count, 1 << self.coset_bits))
        firsts = self.numbered(np.arange(0, count, 1 << self.coset_bits))
        return (firsts[:, None] ^ inner).reshape(-1, inner.shape[1])[:count]

    def numbered(self, numbers: Indices) -> PackedBits:
        """Return the codewords with the given indices as rows with eight bits per byte.

        Args:
            numbers: Indices of codewords, from 0 through all cosets: all codewords of the first coset come first, then
                all codewords of the second coset, and so on.
        """
        cosets = numbers >> self.coset_bits
        layers, (used, which) = (
            cosets // self.slopes,
            np.unique(cosets % self.slopes, return_inverse=True),
        )
        slopes, traces = self.forms(used, int(layers.max()) + 1)
        return (
            slopes[which]
            ^ encode(traces, layers)
            ^ encode(self.inner, numbers & ((1 << self.coset_bits) - 1))
        )

    def closest(self, cosets: int, progress: Progress = ignore) -> NDArray[np.int64]:
        """Return upper bounds on the inner products of codewords of different cosets, grouped by their trace forms.

        For inner products, bits 0 and 1 are read as +1 and -1. Each coset belongs to a trace form, and a layer consists
        of all cosets with the same trace form. Let b and c be the indices of the trace forms of two cosets. There is
        one bound for each value of b XOR c.

        Args:
            cosets: Number of cosets to compare, starting with the first.
            progress: Function that is called with a text, the number of finished steps and the number of all steps,
                while cosets are compared.

        Returns:
            An array. Entry x is an upper bound on the inner products of codewords of two different cosets with b XOR c
            = x. If there are no such cosets, the entry is -`dim`, the lowest possible inner product. If the given
            cosets contain only a part of the last layer, the bounds are those of the complete layer. If they contain
            the complete layer, a pair of codewords attains each bound.
        """
        slopes, traces = self.forms(
            np.arange(min(cosets, self.slopes)), -(-cosets // self.slopes)
        )
        affine = self._affine_signs()
        apart = self._signs(codewords(traces, 1 << len(traces)))
        largest = np.full(len(apart), -self.dim, dtype=np.int64)
        ways = self._signs(slopes)
        for p, way in enumerate(ways):
            for q in range(p, len(ways)):
                best = self._largest_products(apart, (way * ways[q])[:, None] * affine)
                best[0] = -self.dim if p == q else best[0]
                largest = np.maximum(largest, best)
            progress("measuring cosets", p + 1, len(ways))
        return largest

    def closest_work(self, cosets: int) -> int:
        """Return an upper bound on the number of multiplications that the method `closest` needs.

        Args:
            cosets: Number of cosets to compare, starting with the first.
        """
        slopes, layers = min(cosets, self.slopes), -(-cosets // self.slopes)
        return (
            slopes * (slopes + 1) // 2 * self.dim << (layers - 1).bit_length()
        ) << self.coset_bits

    def closest_possible(self, cosets: int) -> int:
        """Return an upper bound on the inner products of codewords of different cosets among the first `cosets` cosets.

        For inner products, bits 0 and 1 are read as +1 and -1. Each coset belongs to a quadratic form. The bound
        follows from a lower bound h on the rank of the difference of the forms of two of these cosets:

        - For m even, h = m - 2(r - 1), where r >= 1 is the smallest integer with `cosets` <= 2^((m-1) r).
        - For m odd, h = m + 1 - 2r, where r >= 1 is the smallest integer with `cosets` <= 2^(m r).

        Before shortening and puncturing, the inner products are at most 2^(m - h/2), or 2^m if h is negative. Each
        shortened coordinate lowers this bound by one, and each punctured coordinate raises it by one. The result is at
        most the length of the codewords.

        Args:
            cosets: Number of cosets, starting with the first.
        """
        layer = self.m - 1 + self.m % 2
        level = -(-max(1, (cosets - 1).bit_length()) // layer)
        whole = 1 << min(self.m, self.m - self.m // 2 - 1 + level)
        return min(self.dim, whole + self.punctured - self.shortened)

    def attains(
        self, cosets: int, product: int, progress: Progress = ignore, group: int = 1
    ) -> bool:
        """Search for two codewords of different cosets that have a given inner product.

        For inner products, bits 0 and 1 are read as +1 and -1. Pairs of cosets are drawn at random, with a fixed seed,
        until the inner product is found or a limit on the work is reached. All codewords of the two cosets are
        compared.

        Args:
            cosets: Number of cosets to draw from, starting with the first.
            product: The inner product. It must be an upper bound on the inner products of the compared codewords.
            progress: Function that is called with a text, the number of finished steps and the number of all steps,
                after each batch of pairs.
            group: Number of consecutive cosets that form a group. Only cosets of different groups are compared. By
                default, each coset is a group.

        Returns:
            True if two such codewords were found. False if the limit on the work was reached first, or if there is only
            one group.
        """
        if cosets <= group:
            return False
        rng = np.random.default_rng(cosets)
        affine = self._affine_signs()
        batches = min(
            MOST_PROBES,
            max(1, MOST_PROBE_PRODUCTS // (PROBED_DIFFERENCES * affine.size)),
        )
        for batch in range(batches):
            first = rng.integers(cosets, size=PROBED_DIFFERENCES)
            start = first // group * group
            length = np.minimum(group, cosets - start)
            second = rng.integers(cosets - length)
            second += np.where(
                second >= start, length, 0
            )  # past the group of the first
            left = self.numbered(first << self.coset_bits)
            right = self.numbered(second << self.coset_bits)
            if (
                int(self._largest_products(self._signs(left ^ right), affine).max())
                == product
            ):
                return True
            progress("looking for a closest pair", batch + 1, batches)
        return False

    def _affine_signs(self) -> NDArray[np.float32]:
        # without shortening, one codeword of each complementary pair is left out
        words = codewords(self.inner, 1 << self.coset_bits)
        return self._signs(words if self.shortened else words[::2]).T

    def _largest_products(
        self, differences: NDArray[np.float32], affine: NDArray[np.float32]
    ) -> NDArray[np.int64]:
        products = differences @ affine  # one row for each row of `differences`
        # without shortening, the complement of every codeword is there, and so either sign
        if not self.shortened:
            np.abs(products, out=products)
        return products.max(axis=1).astype(np.int64)

    def _signs(self, words: PackedBits) -> NDArray[np.float32]:
        # +1 for bit 0, and -1 for bit 1
        return 1 - 2 * unpack(words, self.dim).astype(np.float32)

    def closest_within_coset(self) -> int:
        """Return the largest inner product of two different codewords of the same coset.

        For inner products, bits 0 and 1 are read as +1 and -1.
        """
        return self.dim - 2 * smallest_weight(self.inner, self.dim)
