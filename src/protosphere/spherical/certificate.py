"""Certificates: the maximum cosine of a code, compared with two proved bounds.

The maximum cosine is the largest cosine of two different points. The guarantee is an upper bound on the maximum cosine
by the theorem of the construction, if there is one. The converse is a lower bound on the maximum cosine of any K points
in R^n. A cosine is a Fraction if it is exact, otherwise a float. A certificate is unverified if its maximum cosine was
read from a file and not measured.
"""

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
"""Largest difference of two floats, such as a measured cosine and a proved bound, that counts as rounding."""

EPSILON = 2.0**-52
"""Machine epsilon of float64: the distance from 1 to the next larger number."""

DIRECTION_ERROR = 8 * EPSILON
"""Bound on the change of a cosine when both rows are converted to float64 and divided by their norms.

Each entry is rounded at most four times, each time by at most half an epsilon (relative to the entry).
"""

QUICK_WORK = 1 << 30
"""Largest number of multiplications for which loading a file measures the code again: a fraction of a second."""

BY_THEOREM = "the construction's theorem gives this value"
"""The `reason` of a certificate whose measured cosine was replaced by an exact guarantee."""

RELATIVE_SLACK = 1e-12
"""Largest gap, as a fraction of 1 - converse, with which a code counts as meeting the converse."""

LARGEST_MEASUREMENT_ERROR = 1e-4
"""Upper bound on the error of a measured maximum cosine that two points attain.

It also holds for points from files, whose norms may differ from 1 by up to 1e-5.
"""

LARGEST_SLACK = 1e-5
"""Largest tolerance, as a fraction of 1 - converse, with which a code is called optimal; a larger one can hide gaps."""


@dataclass(frozen=True)
class Certificate:
    """Maximum cosine of K points in R^n, together with proved bounds on it.

    Attributes:
        num_classes: Number K of points.
        dim: Dimension n.
        max_cosine: Largest cosine of two different points: a Fraction if it is exact, otherwise a measured float.
        guarantee: Upper bound on the maximum cosine by the theorem of the construction. None if there is no theorem.
        converse: Best proved lower bound on the maximum cosine of any K points in R^n.
        method: Text that says how the maximum cosine was measured.
        reason: Text that says why the maximum cosine is exact; empty if it is not exact.
        error: Upper bound on the distance of `max_cosine` from the true maximum cosine of the points as they were
            given, before they were converted to float64 unit vectors. It is 0.0 if `max_cosine` is exact or unverified.
        unverified: True if `max_cosine` was read from a file and not measured, because measuring it while loading would
            take too long. `ps.certify` measures it. False if it was measured or proved.

    Example:
        >>> import protosphere as ps
        >>> certificate = ps.construct("simplex", num_classes=10, dim=9).certificate
        >>> certificate.max_cosine, certificate.optimal
        (Fraction(-1, 9), True)
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
        """Smallest and largest possible value of the true maximum cosine.

        - If `unverified` is True, the values are -1 and 1.
        - If `exact` is True, both values are `max_cosine`.
        - Otherwise, they are `max_cosine` minus `error` and `max_cosine` plus `error`, but at least -1 and at most 1.
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
    def is_upper_bound(self) -> bool:
        """Whether `max_cosine` is only an upper bound, and no two points are known to have this cosine."""
        return self.error > LARGEST_MEASUREMENT_ERROR

    @property
    def gap(self) -> float:
        """Maximum cosine minus the converse, but 0.0 if this difference is negative.

        If the gap is 0.0, no K points in R^n have a lower maximum cosine.
        """
        return max(0.0, float(self.max_cosine - self.converse.value))

    @property
    def optimal(self) -> bool:
        """Whether the maximum cosine equals the converse, so that no K points in R^n have a lower one.

        - If `max_cosine` is unverified, the value is False.
        - If `max_cosine` and the converse are Fractions, they are compared exactly.
        - Otherwise, the value is True if the gap is at most a tolerance, and the tolerance is at most 1e-5 times (1 -
          converse). The tolerance is the largest of three numbers: 1e-12 times (1 - converse), `error`, and eight times
          the machine epsilon of float64.
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
        """Whether the maximum cosine is known exactly, as a Fraction. False if `unverified` is True."""
        return isinstance(self.max_cosine, Fraction) and not self.unverified


@dataclass(frozen=True)
class Measurement:
    """Measured maximum cosine of points, before it is compared with any theorem.

    Attributes:
        num_classes: Number K of points.
        dim: Dimension n.
        max_cosine: Measured maximum cosine, exact if it is a Fraction.
        method: Text that says how the cosine was measured.
        reason: Text that says why `max_cosine` is exact; empty if it is not exact.
        error: Upper bound on the distance of `max_cosine` from the true maximum cosine.
        attained: True if two points have the cosine `max_cosine`, up to `error`. False if `max_cosine` is only an upper
            bound.
        separated: True if any two different cosines that pairs of these points may have differ by more than the
            rounding errors of a measurement. A proved value that equals the measured value up to rounding is then the
            true value. False if this is not known.
    """

    num_classes: int
    dim: int
    max_cosine: Cosine
    method: str
    reason: str = ""
    error: float = 0.0
    attained: bool = True
    separated: bool = True


def measure(
    structure: Structure, progress: Progress = ignore, *, verify: bool = False
) -> Measurement:
    """Measure the maximum cosine of points.

    Args:
        structure: The points, in the form in which they are stored.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps, while pairs of points are measured.
        verify: If True, it is also checked that the points have the properties that the structure states. For example,
            all cosines must be 1 minus an integer multiple of a stated fraction. If False, this is not checked.

    Returns:
        The measured maximum cosine with a bound on its error.

    Raises:
        CertificateError: If `verify` is True and the points do not have the stated properties.
    """
    if verify:
        found, method = structure.verified_cosine(progress)
    else:
        found, method = structure.largest_cosine(progress)
    if isinstance(found, Fraction):
        reason = structure.exact_reason
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
        separated=structure.separated_cosines,
    )


def measurement_error(structure: Structure) -> float:
    """Return an upper bound on the error of a cosine of two points that was measured in float64.

    The bound is the sum of three errors: the rounding error of inner products, the deviation of the norms from 1, and
    the change of cosines when the given points are converted to float64 unit vectors.

    Args:
        structure: The points, in the form in which they are stored.
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
    """Return the certificate of a measured maximum cosine, after comparing this cosine with two proved bounds.

    The bounds are the guarantee of the construction and the converse, a lower bound for any K points in R^n. The
    certificate has the guarantee as its maximum cosine in two cases, otherwise the measured value:

    - The guarantee is a Fraction, the measured value is a float, and the two agree up to rounding. In addition,
      `proved`, `measured.attained` and `measured.separated` are True. The certificate is then exact.
    - The guarantee and the measured value are floats, and the measured value is above the guarantee, but only by
      rounding errors.

    Args:
        measured: The measured maximum cosine, a result of `measure`.
        guarantee: Upper bound on the maximum cosine by a theorem. None if there is no theorem.
        proved: True if the guarantee is from the construction that made exactly these points. False if it is from a
            file.

    Returns:
        The certificate.

    Raises:
        CertificateError: If the measured value is above the guarantee or below the converse by more than rounding
            errors.
    """
    max_cosine = measured.max_cosine
    reason = measured.reason
    error = measured.error
    if isinstance(max_cosine, float) and guarantee is not None:
        above = float(max_cosine - guarantee)
        rounding = product_rounding(measured.dim)
        found = measured.attained and measured.separated
        theorem = proved and found and isinstance(guarantee, Fraction)
        if theorem and abs(above) < rounding:
            max_cosine = guarantee
            error = 0.0
            reason = BY_THEOREM
        elif isinstance(guarantee, float) and 0 < above < rounding:
            max_cosine = guarantee
            error += above
    bound = converse(measured.num_classes, measured.dim)
    _require_between(max_cosine, guarantee, bound, product_rounding(measured.dim))
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
    max_cosine: Cosine, guarantee: Cosine | None, bound: Bound, rounding: float
) -> None:
    measured = f"measured max cosine {max_cosine}"
    if guarantee is not None and _exceeds(max_cosine, guarantee, rounding):
        raise CertificateError(f"{measured} is above the guarantee {guarantee}")
    if _exceeds(bound.value, max_cosine, TOLERANCE):
        raise CertificateError(
            f"{measured} is below the converse {bound.value} ({bound.theorem})"
        )


def _exceeds(value: Cosine, limit: Cosine, tolerance: float) -> bool:
    if isinstance(value, Fraction) and isinstance(limit, Fraction):
        return value > limit
    return float(value) > float(limit) + tolerance


def certified(
    placement: Placement,
    guarantee: Cosine | None,
    progress: Progress = ignore,
    *,
    proved: bool = True,
) -> Certificate:
    """Measure the maximum cosine of the points of a placement, and return their certificate.

    If the measured maximum cosine equals the guarantee up to rounding, the certificate may have the guarantee as its
    maximum cosine. The function `certificate_of` lists the conditions.

    Args:
        placement: Points to certify.
        guarantee: Upper bound on the maximum cosine by a theorem. None if there is no theorem.
        progress: Function that is called with the name of the current stage, the number of finished steps and the
            number of all steps, while pairs of points are measured.
        proved: True if the guarantee is from the construction that made exactly these points. False if it is from a
            file. A guarantee from a file never makes a measured value exact.

    Returns:
        The certificate.

    Raises:
        CertificateError: If the measured value is above the guarantee or below the converse by more than rounding
            errors.
    """
    measured = measure(placement.structure, progress)
    return certificate_of(measured, guarantee, proved=proved)


def confirmed(measured: Measurement, claim: Certificate) -> Certificate:
    """Return a new certificate for points from a file, after comparing it with the certificate in this file.

    Args:
        measured: The measured maximum cosine of the points.
        claim: Certificate in the file.

    Returns:
        A certificate with the measured maximum cosine and the guarantee of `claim`.

    Raises:
        CertificateError: If the measured maximum cosine, up to rounding, differs from the one in `claim`, is above the
            guarantee in `claim`, or is below the converse.
    """
    found = certificate_of(measured, claim.guarantee, proved=False)
    if abs(float(found.max_cosine - claim.max_cosine)) > TOLERANCE:
        raise CertificateError(
            f"the claim is a max cosine of {claim.max_cosine}, measured is {found.max_cosine}; do not trust it"
        )
    return found


def unverified(claim: Certificate) -> Certificate:
    """Return a copy of a certificate from a file, with the attribute `unverified` set to True.

    The converse is computed again. The attribute `reason` of the copy is empty, and `error` is 0.

    Args:
        claim: Certificate in the file.
    """
    bound = converse(claim.num_classes, claim.dim)
    return replace(claim, converse=bound, reason="", error=0.0, unverified=True)
