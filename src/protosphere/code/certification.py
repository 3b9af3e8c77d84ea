"""Measuring placements, exactly where they allow it, and certifying what was measured."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from protosphere.code.certificate import TOLERANCE, Certificate, certificate, on_grid
from protosphere.code.placement import BinaryLinear, CosetUnion, Placement, ShortenedWords, Tail
from protosphere.codes import cosets
from protosphere.codes.differences import pair_distance_counts
from protosphere.codes.linear import encode
from protosphere.errors import CertificateError
from protosphere.geometry.gram import gram_blocks, largest_inner_product, point_rows
from protosphere.geometry.nearest import DEEPEST, closest_pair_cosine
from protosphere.geometry.sphere import normalized, require_unit_rows
from protosphere.types import Cosine, PackedBits, Points, Progress, ignore

FLOAT32_ROUNDING, FLOAT64_ROUNDING = 1e-6, 1e-13
"""Entries this close to 0 or +-c, relative to c, are taken for it: rounding of a sign or ternary code."""


LARGEST_ALL_PAIRS = 20_000
"""Up to so many points all pairs are measured even where a lattice would save it: a second or two."""


MEASURING_ROUNDING = 1e-12
"""A float above its theorem's by less than this is its theorem's: the products of unit rows are rounded."""


def certified(placement: Placement, guarantee: Cosine | None, progress: Progress = ignore) -> Certificate:
    """The certificate of a placement: measured, compared with its guarantee and with the converse."""
    max_cosine, method = measured(placement, progress)
    if isinstance(guarantee, float) and 0 < max_cosine - guarantee < MEASURING_ROUNDING:
        max_cosine = guarantee
    return certificate(placement.rows.count, placement.dim, max_cosine, guarantee, method)


def measured(placement: Placement, progress: Progress = ignore) -> tuple[Cosine, str]:
    """The largest cosine over all pairs, and how it was found."""
    placement = placement.without_zeros
    n, structure = placement.dim, placement.structure
    if isinstance(structure, BinaryLinear):
        counts = pair_distance_counts(structure.generator, structure.messages)
        return Fraction(n - 2 * min(counts), n), "weights of all differences of a linear code"
    if isinstance(structure, ShortenedWords) and structure.whole and len(structure.numbers) > LARGEST_ALL_PAIRS:
        return shortened_ceiling(structure, placement.tail, progress)
    if isinstance(structure, CosetUnion) and structure.whole:
        product = cosets.largest_inner_product(structure.representatives, structure.m, len(structure.numbers), progress)
        return Fraction(product, n), "all pairs of cosets of RM(1, m), in integers"
    closest = _closest_of_lattice(placement, progress)
    if closest is not None:
        return closest
    if placement.points is not None and n <= DEEPEST and len(placement.points) > LARGEST_ALL_PAIRS:
        return min(closest_pair_cosine(placement.points), 1.0), "every point's nearest neighbour, in float64"
    largest = largest_inner_product(placement.rows, progress)
    if placement.words is not None:
        return Fraction(int(largest), n), "all pairs, in integers"
    if placement.cosine_step is not None:
        return on_grid(largest, placement.cosine_step), "all pairs, in float64 on an exact grid"
    return min(largest, 1.0), "all pairs, in float64"


def shortened_ceiling(structure: ShortenedWords, tail: Tail | None, progress: Progress) -> tuple[Cosine, str]:
    """The largest cosine by all differences of whole cosets of a shortened chain, and of their tails."""
    code, length = structure.code, structure.code.dim
    by_difference = code.closest(-(-len(structure.numbers) >> code.coset_bits), progress)
    alone, method = code.closest_within_coset(), "all differences of whole cosets, in integers"
    if tail is None:
        return Fraction(max(alone, int(by_difference.max())), length), method
    layer = max(1, (tail.group >> code.coset_bits) // code.slopes)
    one_coset = tail.group >> code.coset_bits == 1
    within = max([alone] if one_coset else [alone, int(by_difference[:layer].max())])
    other_tails = by_difference if one_coset else by_difference[layer:]
    if not len(other_tails):  # the first words of a longer code, which all have one tail
        return tail.share * within / length + 1 - tail.share, f"{method}, which have one tail"
    across = int(other_tails.max())
    apart = largest_inner_product(point_rows(tail.vectors))
    same, other = (tail.share * product / length for product in (within, across))
    return max(same + 1 - tail.share, other + (1 - tail.share) * apart), f"{method}, and of their tails"


def _closest_of_lattice(placement: Placement, progress: Progress) -> tuple[Fraction, str] | None:
    """For many points of one coset of a lattice: its ceiling, if they are that, and some pair of them attains it."""
    points, lattice = placement.points, placement.lattice
    if points is None or lattice is None or len(points) <= LARGEST_ALL_PAIRS or not lattice.holds(points):
        return None
    for _, gram in gram_blocks(placement.rows, progress):
        if np.any(np.abs(gram - float(lattice.ceiling)) < TOLERANCE):
            return lattice.ceiling, f"a pair at the least distance; the lattice allows no less ({lattice.theorem})"
    return None


def recognised(points: Points, rounding: float = FLOAT64_ROUNDING, recipe: str = "given points") -> Placement:
    """A placement of somebody's points, as exact as they allow: words of +-c are packed, words of 0, +-c put on a grid.

    Rows must be unit vectors up to rounding, which is taken out; `rounding` is that of the numbers they were kept in.
    """
    require_unit_rows(points)
    size = float(np.max(np.abs(points)))
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
    elif isinstance(structure, ShortenedWords):
        if not np.array_equal(structure.code.words(len(structure.numbers))[structure.numbers], placement.signs):
            raise CertificateError("the words are not the ones their cosets and numbers give")
    elif not _are_union_words(structure, placement.signs):
        raise CertificateError("the words are not the ones their cosets and numbers give")


def _are_union_words(structure: CosetUnion, signs: PackedBits) -> bool:
    known = len(structure.representatives) << (structure.m + 1)
    if np.any((structure.numbers < 0) | (structure.numbers >= known)):
        return False
    return np.array_equal(cosets.coset_union_words(structure.representatives, structure.m, structure.numbers), signs)
