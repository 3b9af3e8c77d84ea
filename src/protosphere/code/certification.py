"""Measuring placements, exactly where they allow it, and certifying what was measured."""

from __future__ import annotations

from protosphere.code.certificate import Certificate, certificate
from protosphere.code.placement import Placement
from protosphere.types import Cosine, Progress, ignore

MEASURING_ROUNDING = 1e-12
"""A float above its theorem's by less than this is its theorem's: the products of unit rows are rounded."""


def certified(placement: Placement, guarantee: Cosine | None, progress: Progress = ignore) -> Certificate:
    """The certificate of a placement: measured, compared with its guarantee and with the converse."""
    max_cosine, method = placement.structure.largest_cosine(progress)
    if isinstance(guarantee, float) and 0 < max_cosine - guarantee < MEASURING_ROUNDING:
        max_cosine = guarantee
    return certificate(placement.count, placement.dim, max_cosine, guarantee, method)
