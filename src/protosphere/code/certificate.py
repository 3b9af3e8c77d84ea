"""What is known of a code's largest cosine: promised, measured, and bounded from below."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from protosphere.bounds import Bound, converse
from protosphere.code.structures.grid import TOLERANCE
from protosphere.errors import CertificateError
from protosphere.types import Cosine


@dataclass(frozen=True)
class Certificate:
    """The largest cosine of K points in R^n between what theory promises and what theory allows.

    Attributes:
        num_classes, dim: K and n.
        max_cosine: measured over all pairs; an exact Fraction where the points are algebraic, else a float.
        guarantee: what the construction's theorem promised before anything was built; None where none does.
        converse: the tightest proved lower bound for any K points in R^n.
        method: how the maximum was measured.
    """

    num_classes: int
    dim: int
    max_cosine: Cosine
    guarantee: Cosine | None
    converse: Bound
    method: str

    @property
    def gap(self) -> float:
        """How far above the converse: 0.0 means that no arrangement is better."""
        return max(0.0, float(self.max_cosine - self.converse.value))

    @property
    def optimal(self) -> bool:
        """Whether the points provably (floats: to within rounding, 1e-12) meet the converse."""
        return self.gap <= (0 if self.exact and isinstance(self.converse.value, Fraction) else 1e-12)

    @property
    def exact(self) -> bool:
        """Whether the measured maximum is an exact fraction."""
        return isinstance(self.max_cosine, Fraction)


def certificate(num_classes: int, dim: int, max_cosine: Cosine, guarantee: Cosine | None, method: str) -> Certificate:
    """The certificate of a measured maximum; CertificateError where it contradicts a theorem."""
    bound = converse(num_classes, dim)
    if guarantee is not None and _exceeds(max_cosine, guarantee):
        raise CertificateError(f"measured max cosine {max_cosine} is above the guarantee {guarantee}")
    if _exceeds(bound.value, max_cosine):
        raise CertificateError(
            f"measured max cosine {max_cosine} is below the converse {bound.value} ({bound.theorem})"
        )
    return Certificate(num_classes, dim, max_cosine, guarantee, bound, method)


def _exceeds(value: Cosine, limit: Cosine) -> bool:
    if isinstance(value, Fraction) and isinstance(limit, Fraction):
        return value > limit
    return float(value) > float(limit) + TOLERANCE
