"""Measuring placements, exactly where they allow it, and certifying what was measured."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from protosphere.certificate import Certificate, certificate, on_grid
from protosphere.codes import cosets
from protosphere.codes.differences import pair_distance_counts
from protosphere.codes.linear import encode
from protosphere.errors import CertificateError
from protosphere.geometry.gram import largest_inner_product
from protosphere.geometry.sphere import normalized, require_unit_rows
from protosphere.placement import BinaryLinear, CosetUnion, Placement
from protosphere.types import Cosine, PackedBits, Points, Progress, silent

ROUNDING = {np.float32: 1e-6, np.float64: 1e-13}
"""Entries this close to 0 or +-c, relative to c, are taken for it: rounding of a sign or ternary code."""


MEASURING_ROUNDING = 1e-12
"""A float above its theorem's by less than this is its theorem's: the products of unit rows are rounded."""


def certified(placement: Placement, guarantee: Cosine | None, progress: Progress = silent) -> Certificate:
    """The certificate of a placement: measured, compared with its guarantee and with the converse."""
    max_cosine, method = measured(placement, progress)
    if isinstance(guarantee, float) and 0 < max_cosine - guarantee < MEASURING_ROUNDING:
        max_cosine = guarantee
    return certificate(placement.rows.count, placement.dim, max_cosine, guarantee, method)


def measured(placement: Placement, progress: Progress = silent) -> tuple[Cosine, str]:
    """The largest cosine over all pairs, and how it was found."""
    n = placement.dim
    structure = placement.structure
    if isinstance(structure, BinaryLinear):
        counts = pair_distance_counts(structure.generator, structure.messages)
        return Fraction(n - 2 * min(counts), n), "weights of all differences of a linear code"
    if structure is not None and structure.whole:
        product = cosets.largest_inner_product(structure.representatives, structure.m, len(structure.numbers), progress)
        return Fraction(product, n), "all pairs of cosets of RM(1, m), in integers"
    largest = largest_inner_product(placement.rows, progress)
    if placement.signs is not None:
        return Fraction(int(largest), n), "all pairs, in integers"
    if placement.cosine_step is not None:
        return on_grid(largest, placement.cosine_step), "all pairs, in float64 on an exact grid"
    return min(largest, 1.0), "all pairs, in float64"


def recognised(points: Points, recipe: str = "given points") -> Placement:
    """A placement of somebody's points, as exact as they allow: words of +-c are packed, words of 0, +-c put on a grid.

    Rows must be unit vectors up to rounding, which is taken out; numbers that float32 can hold are taken to be rounded
    to it.
    """
    require_unit_rows(points)
    size = float(np.max(np.abs(points)))
    rounding = ROUNDING[np.float32 if np.array_equal(points, points.astype(np.float32)) else np.float64]
    off = np.minimum(np.abs(points), np.abs(np.abs(points) - size)) > rounding * size
    nonzero = round(1 / size**2)
    if off.any() or abs(nonzero * size**2 - 1) > 4 * rounding:
        return Placement(points.shape[1], recipe, points=normalized(points))
    if nonzero == points.shape[1]:
        return Placement(points.shape[1], recipe, signs=np.packbits(points > 0, axis=1))
    exact = normalized(np.sign(np.where(np.abs(points) > size / 2, points, 0.0)))
    return Placement(points.shape[1], recipe, points=exact, cosine_step=Fraction(1, nonzero))


def require_consistent(placement: Placement) -> None:
    """Raise CertificateError unless packed words are what their structure says."""
    structure = placement.structure
    if structure is None:
        return
    if placement.signs is None:
        raise CertificateError("dense points are not the words of a binary code that they are said to be")
    if isinstance(structure, BinaryLinear):
        if not np.array_equal(encode(structure.generator, structure.messages), placement.signs):
            raise CertificateError("the words are not the ones their generator and messages give")
    elif not _are_union_words(structure, placement.signs):
        raise CertificateError("the words are not the ones their cosets and numbers give")


def _are_union_words(structure: CosetUnion, signs: PackedBits) -> bool:
    known = len(structure.representatives) << (structure.m + 1)
    if np.any((structure.numbers < 0) | (structure.numbers >= known)):
        return False
    return np.array_equal(cosets.coset_union_words(structure.representatives, structure.m, structure.numbers), signs)
