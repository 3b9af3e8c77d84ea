"""Structure for codewords that are followed by zeros or by glue vectors.

A codeword is a vector of bits of a binary code. As a part of a point, it is a unit vector with entries of equal
absolute value; bit 1 stands for + and bit 0 for -. A glue vector consists of extra coordinates that follow a codeword.
The codewords of the binary code are divided into groups of consecutive codewords, and all codewords of a group have the
same glue vector. Different glue vectors increase the distance between groups.

A structure stores K points, which are unit vectors of R^n. Point i belongs to class i, for i from 0 to K - 1. A pair
consists of two points with different indices; its order does not matter. A cosine step is a fraction c such that every
cosine of a pair is 1 - j c with an integer j. An `UpperBound` is a float that is at least the maximum cosine, and may
be larger. A code file has named arrays and a header, which is a JSON object.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from protosphere.errors import InvalidArgumentError, as_integer, as_positive, brief
from protosphere.geometry import gram
from protosphere.geometry.sphere import (
    normalized,
    padded,
    renormalized,
    require_unit_rows,
)
from protosphere.spherical.structures.plain import Plain
from protosphere.spherical.structures.shortened import (
    MOST_PAIR_PRODUCTS,
    ShortenedWords,
)
from protosphere.spherical.structures.sign_rows import SignRows
from protosphere.spherical.structures.sign_words import SignWords
from protosphere.spherical.structures.structure import (
    ALL_PAIRS_POINTS,
    Content,
    read_structure,
    structure,
)
from protosphere.types import Cosine, Indices, Points, Progress, UpperBound

LARGEST_DENSE = 1 << 23
"""Largest number of entries, K times n, of codewords with glue vectors that are stored as a float64 matrix (64 MB)."""

EVERY_WORD = 1 << 62
"""Value of `group` that gives all codewords the same glue vector: it is larger than any index of a codeword."""


@structure("glued")
@dataclass(frozen=True, eq=False)
class GluedWords:
    """Points that consist of a codeword and a glue vector.

    A point is (sqrt(share) w, sqrt(1 - share) g). Here w is the codeword as a unit vector, whose entries have equal
    absolute value. The glue vector g is row i // group of `glue_vectors`, where i is the index of the codeword in the
    binary code from which the codewords are taken. Different glue vectors increase the distance between points. If
    `share` is 1, zeros follow the codeword.

    Attributes:
        codewords: Structure whose points are the codewords alone, without glue vectors.
        share: Squared norm of the part of a point that is the codeword, above 0 and at most 1.
        glue_vectors: Glue vectors, one per row: unit vectors if `share` is less than 1, zeros if `share` is 1.
        group: Number of consecutive codewords of the binary code that have the same glue vector.
    """

    name: ClassVar[str]
    projections: ClassVar[tuple[str, ...]] = ("hadamard",)
    exact_reason = "the inner products are integers"
    separated_cosines = True
    points = None
    packed_signs = None

    codewords: SignWords
    share: float
    glue_vectors: Points
    group: int

    @property
    def derived(self) -> tuple[str, ...]:
        """Names of those arrays of the codewords that can be computed from their other arrays.

        The saved state of a head may omit these arrays.
        """
        return self.codewords.derived

    @property
    def count(self) -> int:
        """Number K of points."""
        return self.codewords.count

    @property
    def dim(self) -> int:
        """Dimension n: the length of the codewords plus the length of the glue vectors."""
        return self.codewords.dim + self.glue_vectors.shape[1]

    @property
    def is_nested(self) -> bool:
        """True if for every k, the first k of the codewords have a low maximum cosine. False if this is not known."""
        return self.codewords.is_nested

    @property
    def cosine_step(self) -> Fraction | None:
        """Cosine step: a fraction c such that every cosine of two points is 1 - j c with an integer j.

        If `share` is less than 1, no such fraction is known, and the value is None.
        """
        return self.codewords.cosine_step if self.share == 1 else None

    @property
    def work(self) -> int:
        """Approximate number of multiplications that `verified_cosine` needs.

        - If `share` is 1, this is the number for the codewords alone.
        - If `share` is less than 1, this is the number for comparing all pairs of points.
        """
        return self.codewords.work if self.share == 1 else self.count**2 * self.dim // 2

    def unit_rows(self, start: int, stop: int) -> Points:
        """Return points `start` to `stop - 1` as float64 unit vectors, one per row.

        Args:
            start: Index of the first returned point.
            stop: One past the index of the last returned point.
        """
        packed = self.codewords.packed_rows(start, stop)
        words = gram.sign_rows(packed, self.codewords.dim).slice(0, len(packed))
        which = self.codewords.word_numbers()[start:stop] // self.group
        return np.hstack(
            [
                words * np.sqrt(self.share / self.codewords.dim),
                self.glue_vectors[which] * np.sqrt(1 - self.share),
            ]
        )

    def sign_rows(self) -> SignRows:
        """Return all points as packed signs that are followed by glue vectors.

        A point begins with N entries +c or -c, where N is the length of the codewords and c is sqrt(share / N). The
        other entries are its glue vector, multiplied by sqrt(1 - share).
        """
        rows = self.codewords.sign_rows()
        height = sqrt(self.share / self.codewords.dim)
        glue_vectors = self.glue_vectors * sqrt(1 - self.share)
        return replace(
            rows,
            coefficient=height,
            glue_vectors=glue_vectors,
            glue_of=rows.numbers // self.group,
        )

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Return the maximum cosine or an upper bound on it, and a text that says how the number was computed.

        An upper bound has the type `UpperBound`. It is returned if no two points are known to have this cosine.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        if self.share == 1:
            return self.codewords.largest_cosine(progress)
        if (
            isinstance(self.codewords, ShortenedWords)
            and self.codewords.by_cosets
            and self.group & (self.group - 1) == 0
        ):
            # if the result is only an upper bound, all pairs are compared instead, unless that would take too long
            largest, method = self.codewords.largest_with_glue(
                self.share, self.glue_vectors, self.group, progress
            )
            if not isinstance(largest, UpperBound) or self.work > MOST_PAIR_PRODUCTS:
                return largest, method
        rows = gram.Rows(self.count, self.dim, self.unit_rows)
        return min(
            gram.largest_inner_product(rows, progress), 1.0
        ), "all pairs, in float64"

    def verified_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Check the codewords. Return the maximum cosine (or an upper bound) and a text that says how it was found.

        An upper bound has the type `UpperBound`. It is returned if no two points are known to have this cosine.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.

        Raises:
            CertificateError: If the stored codewords are not those that the other stored arrays determine.
        """
        self.check()
        return self.largest_cosine(progress)

    def spectrum(self, progress: Progress) -> dict[Fraction, int] | None:
        """Return a mapping from each cosine that occurs to the number of pairs of points with this cosine.

        A pair is counted once, whatever its order. If `share` is less than 1, the cosines are not known exactly, and
        the result is None.

        Args:
            progress: Function that is called with the name of the current stage, the number of finished steps and the
                number of all steps.
        """
        return self.codewords.spectrum(progress) if self.share == 1 else None

    def check(self) -> None:
        """Raise CertificateError if the stored codewords are not those that the other stored arrays determine."""
        self.codewords.check()

    def permuted(self, order: Indices) -> GluedWords:
        """Return a structure whose point i is point order[i] of this structure, with its codeword and its glue vector.

        Args:
            order: Indices of points of this structure: all of them in a new order, or some of them.
        """
        return replace(self, codewords=self.codewords.permuted(order))

    def padded(self, dim: int) -> Plain:
        """Return the same points with zeros appended, as a float64 matrix.

        Args:
            dim: Number of coordinates of the new points, at least the present number.
        """
        return Plain(padded(self.unit_rows(0, self.count), dim), self.cosine_step)

    def point_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that determine the points, by name.

        - The arrays that determine the codewords.
        - "glue_vectors": the glue vectors, one per row.
        - "share": two numbers. The first is the squared norm of the part of a point that is the codeword. The second is
          the number of consecutive codewords that have the same glue vector.
        """
        put = np.array([self.share, self.group], dtype=np.float64)
        return self.codewords.point_arrays() | {
            "glue_vectors": self.glue_vectors,
            "share": put,
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a code file stores, by name.

        They are the arrays of the structure `codewords`, which stores the codewords, and the array "glue_vectors" with
        one glue vector per row.
        """
        return self.codewords.arrays() | {"glue_vectors": self.glue_vectors}

    def header(self) -> dict[str, Any]:
        """Return the header entries that a code file stores for these points, by name.

        - The header entries of the structure that stores the codewords.
        - "codewords": the name of this structure, such as "linear".
        - "glue": an object with two numbers. "share" is the squared norm of the part of a point that is the codeword.
          "group" is the number of consecutive codewords that have the same glue vector.
        """
        return self.codewords.header() | {
            "codewords": self.codewords.name,
            "glue": {"share": self.share, "group": self.group},
        }

    @classmethod
    def read(cls, content: Content) -> GluedWords:
        """Return the points that are stored in a code file.

        The file has the arrays of the codewords, and the array "glue_vectors" with one glue vector per row. In its
        header, "codewords" is the name of the structure of the codewords, and "glue" is an object with the numbers
        "share" and "group".

        Args:
            content: Arrays and header of the code file, with the number K of points and the dimension n.

        Raises:
            InvalidArgumentError: If the codewords, the glue vectors, or the numbers "share" and "group" are missing or
                invalid.
        """
        glue_vectors = content.array("glue_vectors", (None, None), np.float64)
        glue = content.record("glue")
        share = as_positive("share", glue.get("share"))
        group = as_integer("group", glue.get("group"), minimum=1)
        if share > 1 or group > EVERY_WORD:
            sizes = f"{share}, {brief(group)}"
            raise InvalidArgumentError(
                f"'share' should be at most 1 and 'group' at most 2^62, are {sizes}"
            )
        if not glue_vectors.size or glue_vectors.shape[1] >= content.dim:
            raise InvalidArgumentError(
                f"'glue_vectors' should leave room for words, are {glue_vectors.shape} of {content.dim}"
            )
        if share < 1:
            require_unit_rows(
                np.vstack([glue_vectors, glue_vectors[:1]]), "glue_vectors"
            )
        elif glue_vectors.any():
            raise InvalidArgumentError(
                "'glue_vectors' should be zeros where the words have the whole share"
            )
        codewords = read_structure(
            content.header.get("codewords"),
            replace(content, dim=content.dim - glue_vectors.shape[1]),
        )
        if not isinstance(codewords, SignWords):
            raise InvalidArgumentError(
                f"'codewords' should be packed words before their glue vectors, is '{codewords.name}'"
            )
        if int(codewords.word_numbers().max()) // group >= len(glue_vectors):
            raise InvalidArgumentError(
                f"'group' should give every word one of {len(glue_vectors)} glue vectors, is {group}"
            )
        return GluedWords(
            codewords,
            share,
            renormalized(glue_vectors) if share < 1 else glue_vectors,
            group,
        )


def with_glue(
    codewords: SignWords, share: float, glue_vectors: Points, group: int
) -> Plain | GluedWords:
    """Return points that consist of a codeword and a glue vector, as a float64 matrix or as `GluedWords`.

    - If there are at most 20,000 points, and their matrix has at most 2^23 entries, the result is the matrix (`Plain`).
    - Otherwise, it is a `GluedWords` structure.

    Args:
        codewords: Structure whose points are the codewords alone.
        share: Squared norm of the part of a point that is the codeword, above 0 and at most 1. If it is 1, zeros follow
            the codewords.
        glue_vectors: Glue vectors, one per row: unit vectors if `share` is less than 1, zeros if `share` is 1.
        group: Number of consecutive codewords of the binary code with the same glue vector. The codeword with the index
            i in the binary code is followed by row i // group of `glue_vectors`.
    """
    longer = GluedWords(codewords, share, glue_vectors, group)
    if longer.count > ALL_PAIRS_POINTS or longer.count * longer.dim > LARGEST_DENSE:
        return longer
    return Plain(normalized(longer.unit_rows(0, longer.count)))
