"""What the solver descends on: smooth stand-ins for the largest cosine, over orbits of a symmetry group.

A code with a symmetry group is the union of the orbits of a few representatives. The energy of the whole code and its
gradient need only the products of representatives with all points, K m instead of K^2, and the search has m n instead
of K n variables. No symmetry is the case of one-point orbits. Everything is batched: B starts at once.
"""

from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from protosphere.search.batched_lbfgs import Energy

Shares = tuple[Tensor, Tensor, Tensor]

MAX_GRAM_ENTRIES = 1 << 23
"""Entries of the Gram matrices of a batch held at once: 64 MB."""


@dataclass(frozen=True, eq=False)
class Orbits:
    """How representatives become points: `counts[i]` orbits under the coset matrices `cosets[i]` (g_i x n x n).

    The identity is the first matrix of each; representatives must lie where the stabiliser fixes them. `cosets` is
    empty for a code without symmetry.
    """

    counts: tuple[int, ...]
    cosets: tuple[Tensor, ...] = ()

    @property
    def sizes(self) -> list[int]:
        """How many points the orbit of each representative has."""
        each = [len(matrices) for matrices in self.cosets] or [1]
        return [
            size
            for count, size in zip(self.counts, each, strict=True)
            for _ in range(count)
        ]

    def points(self, representatives: Tensor) -> Tensor:
        """(B, m, n) representatives to (B, K, n) points, orbit after orbit."""
        if not self.cosets:
            return representatives
        batch, _, dim = representatives.shape
        blocks = zip(
            torch.split(representatives, list(self.counts), dim=1),
            self.cosets,
            strict=True,
        )
        images = [
            (block @ matrices.reshape(-1, dim).T).reshape(batch, -1, dim)
            for block, matrices in blocks
        ]
        return torch.cat(images, dim=1)


def unit_rows(variables: Tensor) -> tuple[Tensor, Tensor]:
    """(B, m, n) rows of unit length, and the lengths they had."""
    norms = (
        variables.square()
        .sum(dim=2, keepdim=True)
        .sqrt_()
        .clamp_min_(torch.finfo(variables.dtype).tiny)
    )
    return variables / norms, norms


def smooth_max_cosine(orbits: Orbits, dim: int, temperature: Tensor) -> Energy:
    """(1/t) log of the mean over ordered pairs of exp(t cos): below the largest cosine by at most log(K^2)/t.

    The variables are (B, m n), rows of any length; the gradient is tangent: W X, the shares of the pairs times the
    points, minus its radial part. `temperature` is (B,), one per start.
    """
    weights = temperature.new_tensor(orbits.sizes)
    at = temperature.new_tensor(
        [*accumulate(orbits.sizes[:-1], initial=0)]
    ).long()  # the representatives' places
    pairs = sum(orbits.sizes) * (sum(orbits.sizes) - 1.0)

    def energy(variables: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
        t = temperature[which]
        units, norms = unit_rows(variables.reshape(len(variables), -1, dim))
        points = orbits.points(units)
        largest, total, pull = _shares(units, points, at, weights, t)
        value = largest + (total / pairs).log() / t
        gradient = pull.mul_(2 * weights[:, None] / total[:, None, None])
        gradient -= (gradient * units).sum(dim=2, keepdim=True) * units
        return value, gradient.div_(norms).reshape(len(variables), -1)

    return energy


def _shares(
    units: Tensor, points: Tensor, at: Tensor, weights: Tensor, t: Tensor
) -> Shares:
    """The largest cosine m, the sum of w exp(t (cos - m)), and each row's sum of exp(t (cos - m)) times the point."""
    # in slices of rows: the Gram matrix is never held whole where it is large
    size = max(1, MAX_GRAM_ENTRIES // (points.shape[0] * points.shape[1]))
    slices = zip(
        torch.split(units, size, dim=1),
        torch.split(at, size),
        torch.split(weights, size),
        strict=True,
    )
    parts = [
        _slice_shares(rows, points, places, weighing, t)
        for rows, places, weighing in slices
    ]
    if len(parts) == 1:
        return parts[0]
    tops, totals = (torch.stack([part[i] for part in parts]) for i in (0, 1))
    largest = tops.amax(dim=0)
    scales = (t * (tops - largest)).exp()
    pulls = [
        part[2] * scale[:, None, None]
        for part, scale in zip(parts, scales, strict=True)
    ]
    return largest, (totals * scales).sum(dim=0), torch.cat(pulls, dim=1)


def _slice_shares(
    units: Tensor, points: Tensor, at: Tensor, weights: Tensor, t: Tensor
) -> Shares:
    gram = units @ points.mT
    gram[:, torch.arange(len(at), device=at.device), at] = -float("inf")
    largest = gram.amax(dim=(1, 2))
    shares = gram.sub_(largest[:, None, None]).mul_(t[:, None, None]).exp_()
    return largest, (shares.sum(dim=2) * weights).sum(dim=1), shares @ points
