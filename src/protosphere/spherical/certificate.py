"""What is known of a code's largest cosine: promised, measured, and bounded from below."""

from dataclasses import dataclass, replace
from fractions import Fraction

from protosphere.bounds import Bound, converse
from protosphere.errors import CertificateError
from protosphere.geometry.gram import product_error, squared_norms
from protosphere.geometry.sphere import product_rounding
from protosphere.spherical.placement import Placement
from protosphere.spherical.structures import Structure
from protosphere.types import Cosine, Progress, UpperBound, ignore

TOLERANCE = 1e-9
"""How far floats may stray before theory and numbers are said to disagree."""

EPSILON = 2.0**-52
"""Machine epsilon of float64: the rounding of its numbers, relative to them."""

DIRECTION_ERROR = 8 * EPSILON
"""Bound on how far a cosine moves when both rows are converted to float64 and divided by their norms.

Each entry is rounded at most four times, by half an epsilon.
"""

QUICK_WORK = 1 << 30
"""Multiplications that loading a file may spend on measuring it again: a fraction of a second."""

BY_THEOREM = "the construction's theorem gives this value"
"""Why a value is exact that was measured next to what a construction guarantees."""

RELATIVE_SLACK, LARGEST_SLACK = 1e-12, 1e-5
"""Shares of 1 - converse: how near counts as meeting it, and how much of it rounding may blur."""


@dataclass(frozen=True)
class Certificate:
    """The largest cosine of K points in R^n between what theory promises and what theory allows.

    Attributes:
        num_classes, dim: K and n.
        max_cosine: the largest cosine of two points: a Fraction where it is exact, else a measured float.
        guarantee: what the construction's theorem promised before anything was built; None where none does.
        converse: the tightest proved lower bound for any K points in R^n.
        method: how the maximum was measured.
        reason: why it is exact; empty where it is not.
        error: bound on the distance of `max_cosine` from the true value for the points as they were given; 0.0 where it
            is exact.
        claimed: whether max_cosine is only what a file says, too much work to measure while loading: `ps.certify` does.
    """

    num_classes: int
    dim: int
    max_cosine: Cosine
    guarantee: Cosine | None
    converse: Bound
    method: str
    reason: str = ""
    error: float = 0.0
    claimed: bool = False

    @property
    def interval(self) -> tuple[Cosine, Cosine]:
        """The lowest and the highest value that the true largest cosine can have; the same number twice if exact.

        A value that is only claimed has no bounds but -1 and 1.
        """
        if self.claimed:
            return -1.0, 1.0
        if self.exact:
            return self.max_cosine, self.max_cosine
        return max(-1.0, float(self.max_cosine) - self.error), min(
            1.0, float(self.max_cosine) + self.error
        )

    @property
    def gap(self) -> float:
        """How far above the converse: 0.0 means that no arrangement is better."""
        return max(0.0, float(self.max_cosine - self.converse.value))

    @property
    def optimal(self) -> bool:
        """Whether the points provably meet the converse: exactly between fractions, else to within rounding.

        To within rounding means that the gap is at most 1e-12 of 1 - converse (half the squared distance at stake),
        or at most `error`, or at most eight epsilons of float64. Where that is more than 1e-5 of 1 - converse, rounding
        could hide what is missing, and the answer is no. It is also no for what a file merely claims. The number type
        that the points came in plays no part: the points are what their numbers say.
        """
        if self.claimed:
            return False
        if self.exact and isinstance(self.converse.value, Fraction):
            return self.max_cosine <= self.converse.value
        apart = 1 - float(self.converse.value)
        slack = max(RELATIVE_SLACK * apart, 8 * EPSILON, self.error)
        return self.gap <= slack <= LARGEST_SLACK * apart

    @property
    def exact(self) -> bool:
        """Whether the largest cosine is known exactly, as a fraction."""
        return isinstance(self.max_cosine, Fraction) and not self.claimed


def certificate(
    num_classes: int,
    dim: int,
    max_cosine: Cosine,
    guarantee: Cosine | None,
    method: str,
    *,
    reason: str = "",
    error: float = 0.0,
) -> Certificate:
    """The certificate of a measured maximum; CertificateError where it contradicts a theorem."""
    bound = converse(num_classes, dim)
    measured = f"measured max cosine {max_cosine}"
    if guarantee is not None and _exceeds(max_cosine, guarantee):
        raise CertificateError(f"{measured} is above the guarantee {guarantee}")
    if _exceeds(bound.value, max_cosine):
        raise CertificateError(
            f"{measured} is below the converse {bound.value} ({bound.theorem})"
        )
    return Certificate(
        num_classes, dim, max_cosine, guarantee, bound, method, reason, error
    )


def _exceeds(value: Cosine, limit: Cosine) -> bool:
    if isinstance(value, Fraction) and isinstance(limit, Fraction):
        return value > limit
    return float(value) > float(limit) + TOLERANCE


def measurement_error(structure: Structure) -> float:
    """Bound on how far a cosine that was measured in float64 lies from that of the points as they were given.

    It adds up the rounding of inner products, what the norms of the rows are off by, and the rounding of the rows.
    """
    products = product_error(structure.dim)
    if structure.points is None:  # words and tails, each unit vectors to within this
        norms = product_rounding(structure.dim)
    else:
        norms = float(abs(squared_norms(structure.points) - 1).max()) + products
    return products + norms + DIRECTION_ERROR


def certified(
    placement: Placement,
    guarantee: Cosine | None,
    progress: Progress = ignore,
    *,
    proved: bool = True,
) -> Certificate:
    """The certificate of a placement: measured, compared with its guarantee and with the converse.

    A float above its guarantee by no more than rounding is replaced by it. A float next to a guarantee that is a
    fraction is that fraction where the guarantee is `proved`, by the theorem of a construction that made the points.
    """
    max_cosine, method = placement.structure.largest_cosine(progress)
    reason = ""
    error = 0.0
    if isinstance(max_cosine, Fraction):
        reason = _exact_reason(placement.structure)
    else:
        error = measurement_error(placement.structure)
    if isinstance(
        max_cosine, UpperBound
    ):  # the true value is between the converse and this bound
        error += max(
            0.0, max_cosine - float(converse(placement.count, placement.dim).value)
        )
        max_cosine = float(max_cosine)
        proved = False
    if isinstance(max_cosine, float) and guarantee is not None:
        above = float(max_cosine - guarantee)
        stray = product_rounding(placement.dim)
        if isinstance(guarantee, Fraction) and proved and abs(above) < stray:
            max_cosine = guarantee
            error = 0.0
            reason = BY_THEOREM
        elif isinstance(guarantee, float) and 0 < above < stray:
            max_cosine = guarantee
            error = error + above
    return certificate(
        placement.count,
        placement.dim,
        max_cosine,
        guarantee,
        method,
        reason=reason,
        error=error,
    )


def _exact_reason(structure: Structure) -> str:
    """Why the largest cosine of a structure that gives a fraction is exact."""
    if structure.points is None:
        return "the inner products are integers"
    if structure.cosine_step is None:
        return "the lattice of the points has this least distance"
    return "cosines of such points differ by multiples of a known fraction"


def certified_again(
    placement: Placement, claim: Certificate, progress: Progress = ignore
) -> Certificate:
    """The certificate of points that come with one, nothing of which is believed.

    CertificateError where the points are not what their structure says, or not at the largest cosine of the claim.
    """
    placement.structure.check()
    found = certified(placement, claim.guarantee, progress, proved=False)
    claimed = claim.max_cosine
    measured = found.max_cosine
    if abs(float(measured - claimed)) > TOLERANCE:
        raise CertificateError(
            f"the claim is a max cosine of {claimed}, measured is {measured}; do not trust it"
        )
    return found


def certified_on_loading(placement: Placement, claim: Certificate) -> Certificate:
    """What a file claims, measured again where that is quick; else marked as a claim, the converse alone being ours."""
    if placement.structure.work <= QUICK_WORK:
        return certified_again(placement, claim)
    return replace(
        claim,
        converse=converse(placement.count, placement.dim),
        error=0.0,
        claimed=True,
    )
