"""Codes of classes made of parts, small ones of any kind, for tests of heads."""

from __future__ import annotations

from math import prod

import numpy as np

import protosphere as ps
from protosphere.geometry.simplex import simplex_points
from protosphere.geometry.sphere import uniform_points
from protosphere.spherical.certificate import certified
from protosphere.spherical.placement import Placement
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.structures import Plain, ProductPoints, QuantizedPoints

SHAPES = ((3, 2), (3, 2), (4, 3), (5, 3))
"""Values and dimensions of the parts: 180 combinations in 10 dimensions."""


def product_code(shapes=SHAPES, num_classes=None, dim=None, mapping="fixed", seed=0):
    """All combinations of parts, or some, or all in another order; zeros up to `dim`."""
    rng = np.random.default_rng(seed)
    parts = tuple(Plain(_part_points(*shape, rng)) for shape in shapes)
    sizes = tuple(size for size, _ in shapes)
    shares = rng.random(len(parts)) + 0.5
    shares = tuple((shares / shares.sum()).tolist())
    width = sum(width for _, width in shapes)
    structure = ProductPoints(parts, sizes, shares, None, dim or width)
    if mapping == "random" or num_classes not in (None, prod(sizes)):
        chosen = rng.permutation(prod(sizes))[:num_classes]
        structure = structure.permuted(chosen)
    placement = Placement("parts side by side", structure)
    return SphericalCode(placement, certified(placement, None), None)


def _part_points(size, width, rng):
    if size == width + 1:
        return simplex_points(size)
    if size <= 2 * width:
        return np.vstack([np.eye(width), -np.eye(width)])[:size]
    return uniform_points(size, width, rng)


def quantized_code(
    shapes=((5, 3), (4, 2)), codebooks=(2, 6, 4), num_classes=None, dim=None, seed=0
):
    """A quantized code: values of parts of any norms, and sums of codewords."""
    rng = np.random.default_rng(seed)
    bound = 0.9 / sum(width for _, width in shapes)
    parts = tuple(np.sqrt(bound) * rng.uniform(-1, 1, shape) for shape in shapes)
    sizes = [size for size, _ in shapes]
    order = rng.permutation(prod(sizes))[:num_classes]
    own = np.stack(np.unravel_index(order, sizes), axis=1)
    count, size, _ = codebooks
    others = rng.integers(0, size, (len(own), count))
    values = np.hstack([own, others])
    values = values.astype(np.min_scalar_type(max(*sizes, size) - 1))
    width = sum(width for _, width in shapes) + codebooks[2]
    codewords = rng.standard_normal(codebooks)
    structure = QuantizedPoints(parts, codewords, values, dim or width)
    placement = Placement("quantized points", structure)
    return SphericalCode(placement, certified(placement, None), None)


def code_of(scheme, num_classes, dim, **options):
    """What `ps.construct` gives; the schemes 'product' and 'quantized' give codes of classes made of parts."""
    if scheme == "quantized":
        return quantized_code(((9, 3), (13, 2)), (3, 6, 5), num_classes, dim, **options)
    if scheme == "product":
        return product_code(num_classes=num_classes, dim=dim, **options)
    return ps.construct(scheme, num_classes=num_classes, dim=dim, **options)
