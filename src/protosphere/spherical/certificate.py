"""Certificates: the largest cosine of a code between what theory promises and what theory allows."""

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
"""Largest difference of two floats at which theory and numbers still agree."""

EPSILON = 2.0**-52
"""Machine epsilon of float64: the rounding of its numbers, relative to them."""

DIRECTION_ERROR = 8 * EPSILON
"""Bound on how far a cosine moves when both rows are converted to float64 and divided by their norms.

Each entry is rounded at most four times, by half an epsilon.
"""

QUICK_WORK = 1 << 30
"""Multiplications that loading a file may spend on measuring it again: a fraction of a second."""

BY_THEOREM = "the construction's theorem gives this value"
"""Reason of a certificate whose measured value is replaced by an exact guarantee."""

RELATIVE_SLACK = 1e-12
"""Share of 1 - converse: a gap up to this counts as meeting the converse."""

LARGEST_SLACK = 1e-5
"""Share of 1 - converse: rounding above this could hide a gap."""


@dataclass(frozen=True)
class Certificate:
    """The largest cosine of K points in R^n between what theory promises and what theory allows.

    Attributes:
        num_classes: Number K of points.
        dim: Dimension n.
        max_cosine: Largest cosine of two points: a Fraction where it is exact, else a measured float.
        guarantee: Largest cosine that the construction's theorem promised before anything was built; None without one.
        converse: Tightest proved lower bound for any K points in R^n.
        method: How the maximum was measured.
        reason: Why it is exact; empty where it is not.
        error: Bound on the distance of `max_cosine` from the true value for the points as they were given; 0.0 where it
            is exact.
        unverified: Whether `max_cosine` is only what a file says, because measuring it while loading would take too
            long. `ps.certify` measures it.
    """

    num_classes: int
    dim: int
    max_cosine: Cosine
    guarantee: Cosine | None
    converse: Bound
    method: str
    reason: str = ""
    error: float = 0.0
    unverified: bool = False

    @property
    def interval(self) -> tuple[Cosine, Cosine]:
        """Lowest and highest value that the true largest cosine can have; the same number twice if it is exact.

        The interval of an unverified value is [-1, 1].
        """
        if self.unverified:
            return -1.0, 1.0
        if self.exact:
            return self.max_cosine, self.max_cosine
        measured = float(self.max_cosine)
        lowest = max(-1.0, measured - self.error)
        highest = min(1.0, measured + self.error)
        return lowest, highest

    @property
    def gap(self) -> float:
        """Distance above the converse; 0.0 means that no arrangement is better."""
        return max(0.0, float(self.max_cosine - self.converse.value))

    @property
    def optimal(self) -> bool:
        """Whether the points provably meet the converse: exactly between fractions, else to within rounding.

        To within rounding means that the gap is at most 1e-12 of 1 - converse (half the squared distance at stake),
        or at most `error`, or at most eight epsilons of float64. Where that is more than 1e-5 of 1 - converse, rounding
        could hide a gap, and the answer is no. It is also no for an unverified value. The number type that the points
        came in plays no part: the points are what their numbers say.
        """
        if self.unverified:
            return False
        if self.exact and isinstance(self.converse.value, Fraction):
            return self.max_cosine <= self.converse.value
        apart = 1 - float(self.converse.value)
        slack = max(RELATIVE_SLACK * apart, 8 * EPSILON, self.error)
        return self.gap <= slack <= LARGEST_SLACK * apart

    @property
    def exact(self) -> bool:
        """Whether the largest cosine is known exactly, as a fraction."""
        return isinstance(self.max_cosine, Fraction) and not self.unverified


@dataclass(frozen=True)
class Measurement:
    """The largest cosine of the points of a structure, as it was measured, without regard to any theorem.

    Attributes:
        num_classes: Number K of points.
        dim: Dimension n.
        max_cosine: The measured value, exact if it is a Fraction.
        method: How it was measured.
        reason: Why it is exact; empty where it is not.
        error: Bound on its distance from the true value.
        attained: Whether two points have this cosine; if not, it is only an upper bound.
    """

    num_classes: int
    dim: int
    max_cosine: Cosine
    method: str
    reason: str = ""
    error: float = 0.0
    attained: bool = True


def measure(
    structure: Structure, progress: Progress = ignore, *, verify: bool = False
) -> Measurement:
    """Measure the largest cosine of a structure, looking at every pair at most once.

    Args:
        structure: Points to measure.
        progress: Called while pairs are measured.
        verify: Whether to check, in the same pass, that the points are what the structure says they are.

    Returns:
        The measured value with a bound on its error.

    Raises:
        CertificateError: If `verify` is set and the points are not what the structure says.
    """
    if verify:
        found, method = structure.verified_cosine(progress)
    else:
        found, method = structure.largest_cosine(progress)
    if isinstance(found, Fraction):
        reason = _exact_reason(structure)
        return Measurement(structure.count, structure.dim, found, method, reason)
    error = measurement_error(structure)
    attained = not isinstance(found, UpperBound)
    if not attained:  # the true value is between the converse and this bound
        lowest = float(converse(structure.count, structure.dim).value)
        error += max(0.0, found - lowest)
    return Measurement(
        structure.count,
        structure.dim,
        float(found),
        method,
        error=error,
        attained=attained,
    )


def _exact_reason(structure: Structure) -> str:
    """Why the largest cosine of a structure that gives a fraction is exact."""
    if structure.points is None:
        return "the inner products are integers"
    if structure.cosine_step is None:
        return "the lattice of the points has this minimum distance"
    return "cosines of such points differ by multiples of a known fraction"


def measurement_error(structure: Structure) -> float:
    """Bound on how far a cosine that was measured in float64 lies from that of the points as they were given.

    It adds up the rounding of inner products, what the norms of the rows are off by, and the rounding of the rows.
    """
    products = product_error(structure.dim)
    if structure.points is None:  # signs and glue vectors, unit vectors to within this
        norms = product_rounding(structure.dim)
    else:
        norms = float(abs(squared_norms(structure.points) - 1).max()) + products
    return products + norms + DIRECTION_ERROR


def certificate_of(
    measured: Measurement, guarantee: Cosine | None, *, proved: bool
) -> Certificate:
    """Compare a measured value with its guarantee and with the converse.

    A float above its guarantee by no more than rounding is replaced by it. A float next to a guarantee that is a
    fraction is that fraction where the guarantee is `proved`.

    Args:
        measured: What `measure` returned.
        guarantee: What a theorem promises for these points, or None.
        proved: Whether the guarantee is that of the construction that made just these points.

    Returns:
        The certificate.

    Raises:
        CertificateError: If the measured value is above the guarantee or below the converse.
    """
    max_cosine = measured.max_cosine
    reason = measured.reason
    error = measured.error
    if isinstance(max_cosine, float) and guarantee is not None:
        above = float(max_cosine - guarantee)
        rounding = product_rounding(measured.dim)
        theorem = proved and measured.attained and isinstance(guarantee, Fraction)
        if theorem and abs(above) < rounding:
            max_cosine = guarantee
            error = 0.0
            reason = BY_THEOREM
        elif isinstance(guarantee, float) and 0 < above < rounding:
            max_cosine = guarantee
            error += above
    bound = converse(measured.num_classes, measured.dim)
    _require_between(max_cosine, guarantee, bound)
    return Certificate(
        num_classes=measured.num_classes,
        dim=measured.dim,
        max_cosine=max_cosine,
        guarantee=guarantee,
        converse=bound,
        method=measured.method,
        reason=reason,
        error=error,
    )


def _require_between(
    max_cosine: Cosine, guarantee: Cosine | None, bound: Bound
) -> None:
    """Raise CertificateError where a measured value contradicts a theorem."""
    measured = f"measured max cosine {max_cosine}"
    if guarantee is not None and _exceeds(max_cosine, guarantee):
        raise CertificateError(f"{measured} is above the guarantee {guarantee}")
    if _exceeds(bound.value, max_cosine):
        raise CertificateError(
            f"{measured} is below the converse {bound.value} ({bound.theorem})"
        )


def _exceeds(value: Cosine, limit: Cosine) -> bool:
    if isinstance(value, Fraction) and isinstance(limit, Fraction):
        return value > limit
    return float(value) > float(limit) + TOLERANCE


def certified(
    placement: Placement,
    guarantee: Cosine | None,
    progress: Progress = ignore,
    *,
    proved: bool = True,
) -> Certificate:
    """Measure a placement and compare it with its guarantee and with the converse.

    Args:
        placement: Points to certify.
        guarantee: What a theorem promises for them, or None.
        progress: Called while pairs are measured.
        proved: Whether the guarantee is that of the construction that made just these points.

    Returns:
        The certificate.

    Raises:
        CertificateError: If the measured value is above the guarantee or below the converse.
    """
    measured = measure(placement.structure, progress)
    return certificate_of(measured, guarantee, proved=proved)


def confirmed(measured: Measurement, claim: Certificate) -> Certificate:
    """The certificate of points that come with one, nothing of which is believed.

    Args:
        measured: What was measured of the points.
        claim: The certificate that came with them.

    Returns:
        A certificate that rests on the measurement alone.

    Raises:
        CertificateError: If the points do not have the largest cosine of the claim.
    """
    found = certificate_of(measured, claim.guarantee, proved=False)
    if abs(float(found.max_cosine - claim.max_cosine)) > TOLERANCE:
        raise CertificateError(
            f"the claim is a max cosine of {claim.max_cosine}, measured is {found.max_cosine}; do not trust it"
        )
    return found


def unverified(claim: Certificate) -> Certificate:
    """The certificate that a file contains, marked as unverified; only the converse is computed anew."""
    bound = converse(claim.num_classes, claim.dim)
    return replace(claim, converse=bound, reason="", error=0.0, unverified=True)
