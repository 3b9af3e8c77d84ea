"""Candidates for K points in R^n, compared by their guaranteed maximum cosines before anything is built.

- A scheme, also called a construction, is a named method that makes codes.
- A family is a scheme that consists of a list of codes. These codes are its members.
- A candidate is a code with at least K points in at most n dimensions, from which K points can be taken.
- A search is a scheme that finds its points by numerical optimization.
- The provenance of points is the record of how they are built: the scheme, its options and the parameters that it
  chose.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from protosphere.constructions.build import with_choice
from protosphere.constructions.families import LARGEST_FAMILY_DIM, Member
from protosphere.constructions.limits import dense_points_fit, size_infeasible_reason
from protosphere.constructions.registry import available, constructions_with, describe
from protosphere.geometry.closest_pair import DEEPEST
from protosphere.spherical.provenance import ZEROS, Provenance, Step
from protosphere.types import Cosine
from protosphere.version import __version__

RUNNERS_UP = 8
"""Largest number of families that give a candidate.

It is also the largest number of unbuilt candidates that the record of a choice of `best` lists.
"""

LARGEST_PAIRWISE = 20_000
"""Largest number of points of which all pairs are compared. For more points, the comparison takes minutes."""

NEIGHBORS = 16
"""Number of dimensions just below n in which a construction is asked for a code.

Zeros extend such a code to n dimensions.
"""

SAME_DIGITS = 12
"""Maximum cosines that agree after rounding to this number of digits count as equal."""


@dataclass(frozen=True)
class Candidate:
    """A code with at least K points, from which K points in R^n can be taken. The points are not built yet.

    Attributes:
        max_cosine: Guaranteed upper bound on the maximum cosine of the code.
        description: Text that says what the code is.
        size: Number of points of the code.
        provenance: Record from which the points can be built.
    """

    max_cosine: Cosine
    description: str
    size: int
    provenance: Provenance

    @property
    def scheme(self) -> str:
        """Name of the scheme that makes the code, such as 'simplex'."""
        return self.provenance.construction

    def dense_bytes(self, num_classes: int, dim: int) -> int:
        """Return the number of bytes that K points of the code need as dense vectors.

        A coordinate needs 8 bytes. If the code has fewer than n dimensions, zero coordinates are appended to its
        points. Then the points without and with these coordinates are in memory together, and both are counted.

        Args:
            num_classes: Number K of points.
            dim: Dimension n of the points, after zero coordinates are appended.
        """
        own = self.provenance.dim
        return 8 * num_classes * (own if own == dim else own + dim)

    def first(self, num_classes: int) -> Provenance:
        """Return the provenance of the first `num_classes` points of the code.

        The provenance contains the parameters that the scheme chooses, such as the member of a family.
        """
        return with_choice(replace(self.provenance, num_classes=num_classes))


def rank(scheme: str, max_cosine: Cosine) -> tuple[float, int]:
    """Return the sort key of a code; of several codes, the one with the smallest key is preferred.

    The key has two entries: the maximum cosine, rounded to 12 decimal places, and the rank of the scheme. Each scheme
    has its own rank. The schemes are ranked from 0, group after group, in this order:

    - schemes whose points have the lowest frame potential (mean squared cosine) of all codes with their maximum cosine
    - other schemes for which a head computes logits fastest
    - all other schemes except searches
    - searches

    Within each of these groups, the schemes are in the order in which they were registered.

    Args:
        scheme: Name of the scheme, such as 'simplex'.
        max_cosine: Maximum cosine of the code.
    """
    return round(float(max_cosine), SAME_DIGITS), tie_order()[scheme]


def tie_order() -> dict[str, int]:
    """Return the rank of each scheme among codes of equal maximum cosine; the lowest rank is preferred.

    Each scheme has its own rank. The schemes are ranked from 0, group after group, in this order:

    - schemes whose points have the lowest frame potential (mean squared cosine) of all codes with their maximum cosine
    - other schemes for which a head computes logits fastest
    - all other schemes except searches
    - searches

    Within each of these groups, the schemes are in the order in which they were registered.

    Returns:
        A mapping from the name of a scheme to its rank.
    """

    def key(scheme: str) -> tuple[bool, bool, bool]:
        traits = describe(scheme).traits
        return (
            traits.searched,
            not traits.low_frame_potential,
            not traits.fast_projection,
        )

    schemes = sorted(available(), key=key)
    return {scheme: position for position, scheme in enumerate(schemes)}


def certified_quickly(scheme: str, num_classes: int, dim: int) -> bool:
    """Return whether the points of a scheme can be certified in seconds.

    The result is True if at least one of these conditions holds:

    - There are at most 20,000 points, or the points have at most 7 dimensions.
    - The points are packed codewords.
    - The points are computed from their indices, so their maximum cosine is known without measuring pairs of points.
    - The scheme states that all its codes are certified in seconds (the trait `quick_certificate`), as schemes based on
      lattices do.

    Args:
        scheme: Name of the scheme, such as 'simplex'.
        num_classes: Number K of points.
        dim: Dimension n.
    """
    few = num_classes <= LARGEST_PAIRWISE or dim <= DEEPEST
    traits = describe(scheme).traits
    return few or traits.packed or traits.numbered or traits.quick_certificate


def fits_memory(candidate: Candidate, num_classes: int, dim: int) -> bool:
    """Return whether there is enough memory to build K points of a candidate.

    Args:
        candidate: The candidate.
        num_classes: Number K of points that are taken from the candidate.
        dim: Dimension n of these points, after zero coordinates are appended.
    """
    entry = describe(candidate.scheme)
    if entry.traits.packed or entry.traits.numbered:
        return size_infeasible_reason(entry, num_classes, dim) is None
    return dense_points_fit(candidate.dense_bytes(num_classes, dim))


def candidates(num_classes: int, dim: int) -> list[Candidate]:
    """Return codes from which K points in R^n can be taken, in ascending order of their guaranteed maximum cosine.

    Each family gives at most one candidate: of its members with at least K points in at most n dimensions, the one with
    the lowest guaranteed maximum cosine. Only the 8 families with the lowest of these cosines give a candidate. Each
    scheme that is not a family and whose guarantee is computed by a formula also gives at most one candidate. Schemes
    without a guarantee give none. The points are not built. A candidate in fewer than n dimensions is extended by
    zeros.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
    """
    found = _member_candidates(num_classes, dim)
    for name in constructions_with(lambda traits: traits.quick_guarantee):
        asked = list(_candidates_of(name, num_classes, dim))
        if asked:
            found.append(min(asked, key=lambda one: float(one.max_cosine)))
    return sorted(found, key=lambda one: rank(one.scheme, one.max_cosine))


def _member_candidates(num_classes: int, dim: int) -> list[Candidate]:
    best: dict[str, Member] = {}
    for name, member in named_members(dim):
        if member.size < num_classes:
            continue
        if name not in best or _cosine_then_size(member) < _cosine_then_size(
            best[name]
        ):
            best[name] = member
    ordered = sorted(best.items(), key=lambda item: float(item[1].max_cosine))
    return [_candidate(name, member, dim) for name, member in ordered[:RUNNERS_UP]]


def _cosine_then_size(member: Member) -> tuple[float, int]:
    return float(member.max_cosine), member.size


def _dims_below(dim: int) -> list[int]:
    # the dimensions just below `dim`, and 2^m and 2^m - 1, because many codes have these lengths
    lengths = {2}
    lengths.update(range(max(2, dim - NEIGHBORS), dim))
    for m in range(2, dim.bit_length() + 1):
        lengths.update(((1 << m) - 1, 1 << m))
    below = [length for length in lengths if length < dim]
    return [dim, *sorted(below, reverse=True)]


def _candidates_of(name: str, K: int, dim: int) -> Iterator[Candidate]:
    entry = describe(name)
    resolved = entry.resolved({"modify": True} if "modify" in entry.options else {})
    for own in _dims_below(dim):
        if entry.infeasible_reason(K, own, **resolved):
            continue
        promise = entry.guarantee(K, own, **resolved)
        if promise is None or promise >= 1 or not certified_quickly(name, K, own):
            continue
        description = entry.summary
        if own != dim:
            description += f"; {dim - own} zero coordinates added"
        provenance = made_of(name, K, own, dim, resolved, {})
        yield Candidate(promise, description, K, provenance)


@lru_cache(maxsize=4)
def _members(
    largest_dim: int, schemes: tuple[str, ...]
) -> tuple[tuple[str, Member], ...]:
    found: list[tuple[str, Member]] = []
    for name in schemes:
        members = describe(name).members
        if members is not None:
            found.extend((name, member) for member in members(largest_dim))
    return tuple(found)


def named_members(largest_dim: int) -> Iterator[tuple[str, Member]]:
    """Yield pairs (name of the family, member) for the members of all families in at most `largest_dim` dimensions.

    Members in more than 4,096 dimensions are left out in any case.
    """
    next_power = 1 << max(4, (largest_dim - 1).bit_length())
    for name, member in _members(min(LARGEST_FAMILY_DIM, next_power), available()):
        if member.dim <= largest_dim:
            yield name, member


@lru_cache(maxsize=64)
def _frontier(dim: int, schemes: tuple[str, ...]) -> list[tuple[str, Member]]:
    # A member beats another one if it has at least as many points and its maximum cosine is no higher. `schemes` is a
    # key of the cache: if a scheme is added, the result is computed again.
    del schemes  # whose members they are
    kept: list[tuple[str, Member]] = []
    largest = 0
    for name, member in sorted(named_members(dim), key=_cosine_then_negative_size):
        if member.size > largest:
            kept.append((name, member))
            largest = member.size
    return kept


def _cosine_then_negative_size(item: tuple[str, Member]) -> tuple[float, int]:
    member = item[1]
    return float(member.max_cosine), -member.size


def best_member(num_classes: int, dim: int) -> Candidate | None:
    """Return the best member of all families for K points in R^n as a candidate, or None if no member fits.

    A member fits if it has at least K points in at most n dimensions. Of all members that fit, the best one has the
    lowest maximum cosine.

    Args:
        num_classes: Number K of points.
        dim: Dimension n. Members of fewer dimensions are extended by zeros.

    Returns:
        The candidate, or None if no member fits.
    """
    found = _frontier(min(dim, LARGEST_FAMILY_DIM), available())
    position = bisect_left(found, num_classes, key=lambda item: item[1].size)
    if position == len(found):
        return None
    name, member = found[position]
    return _candidate(name, member, dim)


def _candidate(name: str, member: Member, dim: int) -> Candidate:
    named = made_of(name, member.size, member.dim, dim, {}, {"member": member.id})
    zeros = "" if member.dim == dim else f", {dim - member.dim} zero coordinates added"
    return Candidate(member.max_cosine, member.description + zeros, member.size, named)


def made_of(
    scheme: str,
    count: int,
    own: int,
    dim: int,
    options: dict[str, Any],
    chosen: dict[str, Any],
) -> Provenance:
    """Return the provenance of points of a scheme in R^own, with zeros appended up to R^dim.

    Args:
        scheme: Name of the scheme, such as 'simplex'.
        count: Number of points.
        own: Dimension before zeros are appended.
        dim: Dimension n after zeros are appended.
        options: Values of the options of the scheme, by name.
        chosen: Parameters that the scheme chose, by name, such as the member of a family.
    """
    named = Provenance(scheme, count, own, options, 0, "fixed", __version__, chosen)
    return named if own == dim else named.then(Step(ZEROS, dim - own))
