"""Measuring placements, exactly where they allow it, and certifying what was measured."""

from dataclasses import replace
from fractions import Fraction

from protosphere.bounds import converse
from protosphere.code.certificate import FLOAT64_ROUNDING, TOLERANCE, Certificate, certificate
from protosphere.code.placement import Placement
from protosphere.errors import CertificateError
from protosphere.geometry.sphere import product_rounding
from protosphere.types import Cosine, Progress, ignore

QUICK_WORK = 1 << 30
"""Multiplications that loading a file may spend on measuring it again: a fraction of a second."""


def certified(
    placement: Placement,
    guarantee: Cosine | None,
    progress: Progress = ignore,
    rounding: float = FLOAT64_ROUNDING,
) -> Certificate:
    """The certificate of a placement: measured, compared with its guarantee and with the converse.

    A float above its theorem's by no more than rounding is its theorem's, and one next to a theorem's fraction is that.
    """
    max_cosine, method = placement.structure.largest_cosine(progress)
    if isinstance(max_cosine, float) and guarantee is not None:
        stray = product_rounding(placement.dim)
        below = stray if isinstance(guarantee, Fraction) else 0.0
        max_cosine = guarantee if -below < max_cosine - guarantee < stray else max_cosine
    return certificate(placement.count, placement.dim, max_cosine, guarantee, method, rounding)


def certified_again(placement: Placement, claim: Certificate, progress: Progress = ignore) -> Certificate:
    """The certificate of points that come with one, believing nothing of it but the rounding of their numbers.

    CertificateError where the points are not what their structure says, or not at the largest cosine of the claim.
    """
    placement.structure.check()
    found = certified(placement, claim.guarantee, progress, claim.rounding)
    if abs(float(found.max_cosine - claim.max_cosine)) > TOLERANCE:
        raise CertificateError(
            f"the claim is a max cosine of {claim.max_cosine}, measured is {found.max_cosine}; do not trust it"
        )
    return found


def certified_on_loading(placement: Placement, claim: Certificate) -> Certificate:
    """What a file claims, measured again where that is quick; else marked as a claim, the converse alone being ours."""
    if placement.structure.work <= QUICK_WORK:
        return certified_again(placement, claim)
    return replace(claim, converse=converse(placement.count, placement.dim), claimed=True)
