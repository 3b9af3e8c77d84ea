"""The smooth maximum cosine of codes with a symmetry group, and its gradient, by tensor operations.

The orbit of a point consists of its images under all matrices of a symmetry group. A code with this symmetry group is
the union of the orbits of m points, which are called representatives. The smooth maximum cosine of the whole code and
its gradient need only the cosines between the m representatives and all K points. These are K m cosines instead of K^2,
and a descent has m n variables instead of K n. In a code without symmetry, each orbit has one point. Orbits are of the
same type if the same matrices keep their representatives fixed. The inverse temperature is a parameter of the smooth
maximum cosine, by which the cosines are multiplied. B codes are evaluated together.
"""

from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from protosphere.search.batched_lbfgs import Energy

MAX_GRAM_ENTRIES = 1 << 23
"""Largest number of entries of Gram matrices that a batch has in memory: 64 MB in float64."""


@dataclass(frozen=True, eq=False)
class Orbits:
    """The map from representatives to points of a code with a symmetry group.

    A symmetry group is a group of orthogonal n x n matrices. The orbit of a point consists of its images under all
    matrices of the group. The code is a union of orbits, and each orbit has a representative. Orbits are of the same
    type if the same matrices of the group, the stabilizer, keep their representatives fixed. The coset matrices of a
    type are matrices of the group: each point of an orbit is the image of the representative by exactly one of them.

    Attributes:
        counts: For each type of orbits, the count of orbits. For a code without symmetry, this is the tuple (K,),
            because each of the K points is an orbit of its own.
        cosets: For each type of orbits, the (size, n, n) array of its coset matrices, where `size` is the count of
            points of each orbit of this type. The first matrix is the identity. For a code without symmetry, this tuple
            is empty.
    """

    counts: tuple[int, ...]
    cosets: tuple[Tensor, ...] = ()

    @property
    def sizes(self) -> list[int]:
        """For each orbit, the count of its points, in the order of the representatives."""
        type_sizes = [len(matrices) for matrices in self.cosets] or [1]
        sizes: list[int] = []
        for count, size in zip(self.counts, type_sizes, strict=True):
            sizes.extend([size] * count)
        return sizes

    def points(self, representatives: Tensor) -> Tensor:
        """Return all points of B codes, orbit after orbit.

        Args:
            representatives: (B, m, n) representatives, one for each orbit, ordered by the type of their orbit.

        Returns:
            (B, K, n) points.
        """
        if not self.cosets:
            return representatives
        batch, _, dim = representatives.shape
        blocks = torch.split(representatives, list(self.counts), dim=1)
        images: list[Tensor] = []
        for block, matrices in zip(blocks, self.cosets, strict=True):
            stacked = matrices.reshape(-1, dim)
            image = block @ stacked.T
            images.append(image.reshape(batch, -1, dim))
        return torch.cat(images, dim=1)


@dataclass(frozen=True, eq=False)
class WeightedSums:
    """For each of B codes, sums over the pairs that consist of a representative and another point of the code.

    The weight of a pair with cosine c is exp(t (c - `largest`)), where t is the inverse temperature and `largest`
    belongs to the code. Each code has m representatives in R^n.

    Attributes:
        largest: For each code, the largest cosine of these pairs.
        total: For each code, the sum over these pairs of the weight of the pair times the count of points in the orbit
            of its representative.
        pull: (B, m, n) array. For each representative, the sum of all other points of the code, where each point is
            multiplied by the weight of its pair with the representative.
    """

    largest: Tensor
    total: Tensor
    pull: Tensor


def unit_rows(variables: Tensor) -> tuple[Tensor, Tensor]:
    """Divide m vectors of R^n for each of B codes by their norms.

    Args:
        variables: (B, m, n) array of the vectors.

    Returns:
        The (B, m, n) unit vectors, and the (B, m, 1) norms of the given vectors.
    """
    smallest = torch.finfo(variables.dtype).tiny
    squares = variables.square().sum(dim=2, keepdim=True)
    norms = squares.sqrt_().clamp_min_(smallest)
    return variables / norms, norms


def smooth_max_cosine(orbits: Orbits, dim: int, temperature: Tensor) -> Energy:
    """Return a function that computes the smooth maximum cosine of codes and its gradient.

    The smooth maximum cosine is (1/t) log of the mean of exp(t cosine) over ordered pairs of different points. It is
    below the maximum cosine by at most log(K^2) / t.

    Args:
        orbits: The map from m representatives to the points of a code.
        dim: Dimension n.
        temperature: (B,) inverse temperatures t, one for each of B codes.

    Returns:
        A function of two arguments. The first is a (b, m n) array with a row for each of b of the B codes: the n
        coordinates of the first representative, then those of the second, and so on. Representatives may have any norm
        above 0. The second argument is the (b,) array of the indices of these codes among the B codes, which select the
        inverse temperatures. The function returns the (b,) smooth maximum cosines and their (b, m n) gradients.
    """
    weights = temperature.new_tensor(orbits.sizes)
    first_points = [*accumulate(orbits.sizes[:-1], initial=0)]
    own_columns = temperature.new_tensor(first_points).long()
    num_points = sum(orbits.sizes)
    num_pairs = num_points * (num_points - 1.0)

    def energy(variables: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
        t = temperature[which]
        units, norms = unit_rows(variables.reshape(len(variables), -1, dim))
        points = orbits.points(units)
        sums = _weighted_sums(units, points, own_columns, weights, t)
        value = sums.largest + (sums.total / num_pairs).log() / t
        gradient = sums.pull.mul_(2 * weights[:, None] / sums.total[:, None, None])
        gradient -= (gradient * units).sum(dim=2, keepdim=True) * units
        return value, gradient.div_(norms).reshape(len(variables), -1)

    return energy


def _weighted_sums(
    units: Tensor, points: Tensor, own_columns: Tensor, weights: Tensor, t: Tensor
) -> WeightedSums:
    # for each representative: its index in `points`, and the size of its orbit, its weight
    batch, num_points, _ = points.shape
    # the representatives are processed in slices to limit the memory
    slice_rows = max(1, MAX_GRAM_ENTRIES // (batch * num_points))
    slices = zip(
        torch.split(units, slice_rows, dim=1),
        torch.split(own_columns, slice_rows),
        torch.split(weights, slice_rows),
        strict=True,
    )
    parts = [
        _weighted_sums_of_slice(rows, points, columns, row_weights, t)
        for rows, columns, row_weights in slices
    ]
    if len(parts) == 1:
        return parts[0]
    return _combined_slices(parts, t)


def _combined_slices(parts: list[WeightedSums], t: Tensor) -> WeightedSums:
    # the weights of a slice are relative to the maximum cosine of the slice, the combined ones to that of all slices
    slice_largest = torch.stack([part.largest for part in parts])
    slice_totals = torch.stack([part.total for part in parts])
    largest = slice_largest.amax(dim=0)
    scales = (t * (slice_largest - largest)).exp()
    pulls = [
        part.pull * scale[:, None, None]
        for part, scale in zip(parts, scales, strict=True)
    ]
    total = (slice_totals * scales).sum(dim=0)
    return WeightedSums(largest, total, torch.cat(pulls, dim=1))


def _weighted_sums_of_slice(
    units: Tensor, points: Tensor, own_columns: Tensor, weights: Tensor, t: Tensor
) -> WeightedSums:
    gram = units @ points.mT
    rows = torch.arange(len(own_columns), device=own_columns.device)
    gram[:, rows, own_columns] = -float("inf")
    largest = gram.amax(dim=(1, 2))
    differences = gram.sub_(largest[:, None, None])
    shares = differences.mul_(t[:, None, None]).exp_()
    total = (shares.sum(dim=2) * weights).sum(dim=1)
    return WeightedSums(largest, total, shares @ points)
