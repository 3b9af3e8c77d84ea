"""The nearest classes by looking at few cosets only: sub-linear in K, and now and then wrong.

A coset of RM(1, m) is r(x) + affine functions, r a quadratic form. Its derivative r(x) + r(x + e) is affine, and the
same affine function for all words of the coset, but for a constant. So where z is near a word of coset r, the product
z(x) z(x + e) is near one word of RM(1, m), and one transform of it says how near, for all cosets at once. A few
directions e vote; the words of the cosets with the most votes are then looked at exactly.

E + L transforms of n numbers and E K / 2n votes take the place of the K / 2n transforms of an exact answer.
"""

import numpy as np
import torch
from torch import Tensor, nn

from protosphere.coding.hadamard import hadamard
from protosphere.coding.linear import unpack
from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.nn.kernels.row_threads import gathered_rows
from protosphere.nn.projections.block import Found, cuts, merged_top
from protosphere.nn.projections.dense import DensePart, matrix
from protosphere.nn.projections.hadamard_layout import HadamardLayout, whole_cosets
from protosphere.nn.projections.projection import check_vectors
from protosphere.nn.streaming.log_sum_exp import widened
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Indices

CHUNK_COSETS = 1 << 10


class ApproximateTop(nn.Module):
    """The largest dot products with the points of a Kerdock, Delsarte-Goethals, Gold or Reed-Muller code, most likely.

    Parameters:
        directions: E, how many derivatives vote.
        cosets: L, how many cosets are looked at exactly; all of them make the answer exact.
    """

    signs: Tensor
    bins: Tensor
    shifts: Tensor
    outer: Tensor
    inner: Tensor
    classes: Tensor
    rest_classes: Tensor

    def __init__(
        self, code: SphericalCode, directions: int = 8, cosets: int = 8
    ) -> None:
        super().__init__()
        layout, classes = _cosets_of(code)
        m = len(layout.generator)
        self.num_classes = code.num_classes
        self.dim = code.dim
        self.coefficient = layout.coefficient
        self.cosets = min(
            as_integer("cosets", cosets, minimum=1), len(layout.representatives)
        )
        few = min(as_integer("directions", directions, minimum=1), code.dim - 1)
        shifts = 1 + np.random.default_rng(0).permutation(code.dim - 1)[:few]
        signs = 2 * unpack(layout.representatives, code.dim).astype(np.float32) - 1
        rest = np.setdiff1d(np.arange(code.num_classes), classes)
        outer, inner = (
            hadamard(1 << bits).astype(np.float32) for bits in (m // 2, m - m // 2)
        )
        kept = {
            "shifts": np.arange(code.dim) ^ shifts[:, None],
            "classes": classes,
            "rest_classes": rest,
        }
        for name, array in (
            kept | {"outer": outer, "inner": inner, "signs": signs}
        ).items():
            self.register_buffer(name, torch.from_numpy(array), persistent=False)  # pyright: ignore[reportUnknownMemberType]
        self.register_buffer(
            "bins",
            torch.stack([self._bins(code, shifted) for shifted in self.shifts]),
            False,
        )
        self.rest = DensePart(matrix(code, rest, torch.float32)) if len(rest) else None

    def _bins(self, code: SphericalCode, shifted: Tensor) -> Tensor:
        """For each coset which word of RM(1, m) the derivative of its form in a direction is."""
        some = (
            self.signs[first:last]
            for first, last in cuts(len(self.signs), CHUNK_COSETS)
        )
        found = [
            self._transformed(signs * signs[:, shifted]).abs().max(dim=1)
            for signs in some
        ]
        if not all((each.values == code.dim).all() for each in found):
            raise InvalidArgumentError(_unfit(code))
        return torch.cat([each.indices for each in found])

    def forward(self, z: Tensor, k: int = 1) -> Found:
        """k values, descending, and their classes; k at most half the words of the cosets looked at."""
        check_vectors(z, self.dim)
        most = self.cosets * self.dim
        if as_integer("k", k, minimum=1) > most:
            raise InvalidArgumentError(
                f"'k' must be at most {most}, half the words of {self.cosets} cosets, got {k}"
            )
        values, classes = gathered_rows(
            lambda rows: self._top(widened(z[rows]), k), z, self.num_classes
        )
        return values.to(z.dtype), classes

    def _top(self, z: Tensor, k: int) -> Found:
        found = self._within(z, self.votes(z).topk(self.cosets, dim=1).indices, k)
        if self.rest is None:
            return found
        values, index = self.rest.top(z, min(k, self.rest.num_words))
        return merged_top(found, (values, self.rest_classes[index]), k)

    def votes(self, z: Tensor) -> Tensor:
        """B x cosets: the higher, the more likely has the coset a word near z."""
        votes = z.new_zeros(len(z), len(self.signs))
        for shifted, bins in zip(self.shifts, self.bins, strict=True):
            votes += self._transformed(z * z[:, shifted]).square_()[:, bins]
        return votes

    def _within(self, z: Tensor, cosets: Tensor, k: int) -> Found:
        """The best k of the words of these cosets."""
        scores = self._transformed(
            (z * self.coefficient)[:, None] * self.signs.to(z.dtype)[cosets]
        )
        values, place = scores.abs().flatten(1).topk(k, dim=1)
        opposed = scores.flatten(1).gather(1, place) < 0
        coset = cosets.gather(1, place // self.dim)
        word = place % self.dim
        return values, self.classes[2 * (coset * self.dim + word) + opposed]

    def _transformed(self, vectors: Tensor) -> Tensor:
        """Walsh-Hadamard transforms of the last axis."""
        square = vectors.reshape(-1, len(self.outer), len(self.inner))
        transformed = self.outer.to(vectors.dtype) @ (
            square @ self.inner.to(vectors.dtype)
        )
        return transformed.view(vectors.shape)


def _cosets_of(code: SphericalCode) -> tuple[HadamardLayout, Indices]:
    """The whole cosets of RM(1, m) and the classes of their words."""
    rows = code.placement.structure.sign_rows()
    m = code.dim.bit_length() - 1
    if rows is not None and code.dim == 1 << m == rows.length:
        found = whole_cosets(rows, m, antipodal=True)
    else:
        found = None
    if (
        rows is None
        or found is None
        or not np.array_equal(found[0].bins, np.arange(code.dim))
    ):
        raise InvalidArgumentError(_unfit(code))
    return found[0], rows.classes[found[1]]


def _unfit(code: SphericalCode) -> str:
    made = "made of cosets of RM(1, m) with quadratic forms, as kerdock, delsarte_goethals and gold codes are"
    return f"'code' must be {made}, got {code!r}; `Projection.top` decodes every code, exactly"
