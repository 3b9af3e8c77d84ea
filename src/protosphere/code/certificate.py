"""What is known of a code's largest cosine: promised, measured, and bounded from below."""

from dataclasses import dataclass, replace
from fractions import Fraction

from protosphere.bounds import Bound, converse
from protosphere.code.placement import Placement
from protosphere.errors import CertificateError
from protosphere.geometry.sphere import product_rounding
from protosphere.types import Cosine, Progress, ignore

TOLERANCE = 1e-9
"""How far floats may stray before theory and numbers are said to disagree."""

EPSILON = 2.0**-52
"""Machine epsilon of float64: the rounding of its numbers, relative to them."""

QUICK_WORK = 1 << 30
"""Multiplications that loading a file may spend on measuring it again: a fraction of a second."""

RELATIVE_SLACK, LARGEST_SLACK = 1e-12, 1e-5
"""Shares of 1 - converse: how near counts as meeting it, and how much of it rounding may blur."""


@dataclass(frozen=True)
class Certificate:
    """The largest cosine of K points in R^n between what theory promises and what theory allows.

    Attributes:
        num_classes, dim: K and n.
        max_cosine: measured over all pairs; an exact Fraction where the points are algebraic, else a float.
        guarantee: what the construction's theorem promised before anything was built; None where none does.
        converse: the tightest proved lower bound for any K points in R^n.
        method: how the maximum was measured.
        rounding: that of the numbers the points came in.
        claimed: whether max_cosine is only what a file says, too much work to measure while loading: `ps.certify` does.
    """

    num_classes: int
    dim: int
    max_cosine: Cosine
    guarantee: Cosine | None
    converse: Bound
    method: str
    rounding: float = EPSILON
    claimed: bool = False

    @property
    def gap(self) -> float:
        """How far above the converse: 0.0 means that no arrangement is better."""
        return max(0.0, float(self.max_cosine - self.converse.value))

    @property
    def optimal(self) -> bool:
        """Whether the points provably meet the converse: exactly between fractions, else to within rounding.

        Rounding is weighed against 1 - converse, half the squared distance at stake: where points are so close that it
        could hide what is missing, and for what a file merely claims, the answer is no.
        """
        if self.claimed:
            return False
        if self.exact and isinstance(self.converse.value, Fraction):
            return self.max_cosine <= self.converse.value
        apart = 1 - float(self.converse.value)
        slack = max(RELATIVE_SLACK * apart, 8 * self.rounding)
        return self.gap <= slack <= LARGEST_SLACK * apart

    @property
    def exact(self) -> bool:
        """Whether the measured maximum is an exact fraction."""
        return isinstance(self.max_cosine, Fraction) and not self.claimed


def certificate(
    num_classes: int, dim: int, max_cosine: Cosine, guarantee: Cosine | None, method: str, rounding: float = EPSILON
) -> Certificate:
    """The certificate of a measured maximum; CertificateError where it contradicts a theorem."""
    bound, measured = converse(num_classes, dim), f"measured max cosine {max_cosine}"
    if guarantee is not None and _exceeds(max_cosine, guarantee):
        raise CertificateError(f"{measured} is above the guarantee {guarantee}")
    if _exceeds(bound.value, max_cosine, 4 * rounding):
        raise CertificateError(f"{measured} is below the converse {bound.value} ({bound.theorem})")
    return Certificate(num_classes, dim, max_cosine, guarantee, bound, method, rounding)


def _exceeds(value: Cosine, limit: Cosine, rounding: float = 0.0) -> bool:
    if isinstance(value, Fraction) and isinstance(limit, Fraction):
        return value > limit
    return float(value) > float(limit) + max(TOLERANCE, rounding)


def certified(
    placement: Placement, guarantee: Cosine | None, progress: Progress = ignore, rounding: float = EPSILON
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
    claimed, measured = claim.max_cosine, found.max_cosine
    if abs(float(measured - claimed)) > TOLERANCE:
        raise CertificateError(f"the claim is a max cosine of {claimed}, measured is {measured}; do not trust it")
    return found


def certified_on_loading(placement: Placement, claim: Certificate) -> Certificate:
    """What a file claims, measured again where that is quick; else marked as a claim, the converse alone being ours."""
    if placement.structure.work <= QUICK_WORK:
        return certified_again(placement, claim)
    return replace(claim, converse=converse(placement.count, placement.dim), claimed=True)
