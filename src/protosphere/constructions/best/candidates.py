"""Everything known for (K, n), by guarantee alone: nothing is built until one is chosen."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
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
"""How many candidates are shown beside the best."""

LARGEST_PAIRWISE = 20_000
"""More dense points than this, of no lattice, would take minutes to measure."""

NEIGHBORS = 16
"""How many dimensions below are asked for a code to be padded."""

SAME_DIGITS = 12
"""Max cosines that agree so far are the same."""


@dataclass(frozen=True)
class Candidate:
    """A way to place K points in R^n: what it promises, in words what it is, how many there are, and their name."""

    max_cosine: Cosine
    description: str
    size: int
    provenance: Provenance

    @property
    def scheme(self) -> str:
        """Whose it is."""
        return self.provenance.construction

    def dense_bytes(self, num_classes: int, dim: int) -> int:
        """How much memory so many dense points take while they are built and padded to R^dim."""
        own = self.provenance.dim
        return 8 * num_classes * (own if own == dim else own + dim)

    def first(self, num_classes: int) -> Provenance:
        """What the first so many points are, nothing left open."""
        return with_choice(replace(self.provenance, num_classes=num_classes))


def rank(scheme: str, max_cosine: Cosine) -> tuple[float, int]:
    """Return the sort key of a code: its max cosine, then the position of its scheme among equal ones."""
    return round(float(max_cosine), SAME_DIGITS), tie_order()[scheme]


def tie_order() -> dict[str, int]:
    """Return the position of each scheme among codes of equal max cosine.

    Low frame potential comes first, then a fast projection, then the order of the registry, then searches.
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
    """Whether so many points of a scheme can be certified in seconds: by words, a lattice or nearest neighbors."""
    few = num_classes <= LARGEST_PAIRWISE or dim <= DEEPEST
    traits = describe(scheme).traits
    return few or traits.packed or traits.numbered or traits.quick_certificate


def fits_memory(candidate: Candidate, num_classes: int, dim: int) -> bool:
    """Whether so many points of a candidate are built within four gigabytes."""
    entry = describe(candidate.scheme)
    if entry.traits.packed or entry.traits.numbered:
        return size_infeasible_reason(entry, num_classes, dim) is None
    return dense_points_fit(candidate.dense_bytes(num_classes, dim))


def candidates(num_classes: int, dim: int) -> list[Candidate]:
    """Everything with a guarantee for (K, n), the most promising first, nothing of it built."""
    found = _member_candidates(num_classes, dim)
    for name in constructions_with(lambda traits: traits.quick_guarantee):
        found += sorted(
            _asked_candidates(name, num_classes, dim),
            key=lambda one: float(one.max_cosine),
        )[:1]
    return sorted(found, key=lambda one: rank(one.scheme, one.max_cosine))


def _member_candidates(num_classes: int, dim: int) -> list[Candidate]:
    """The best member for (K, n) of each family, of the most promising families."""
    fitting = (item for item in named_members(dim) if item[1].size >= num_classes)
    families = [list(group) for _, group in groupby(fitting, key=lambda item: item[0])]
    best = [
        min(items, key=lambda item: (float(item[1].max_cosine), item[1].size))
        for items in families
    ]
    best.sort(key=lambda item: float(item[1].max_cosine))
    return [_candidate(*item, dim) for item in best[:RUNNERS_UP]]


def _dims_below(dim: int) -> list[int]:
    """Dimensions worth asking a code for, to be padded to `dim`: just below it, and where codes are at home."""
    homes = {
        length
        for m in range(2, dim.bit_length() + 1)
        for length in ((1 << m) - 1, 1 << m)
    }
    near = range(max(2, dim - NEIGHBORS), dim)
    return [
        dim,
        *sorted(
            {length for length in (2, *near, *homes) if 2 <= length < dim}, reverse=True
        ),
    ]


def _asked_candidates(name: str, K: int, dim: int) -> Iterator[Candidate]:
    """What a construction promises in as many dimensions or fewer, zeros appended up to `dim`."""
    entry = describe(name)
    resolved = entry.resolved({"modify": True} if "modify" in entry.options else {})
    for own in _dims_below(dim):
        if entry.infeasible_reason(K, own, **resolved):
            promise = None
        else:
            promise = entry.guarantee(K, own, **resolved)
        if promise is not None and promise < 1 and certified_quickly(name, K, own):
            if own == dim:
                description = entry.summary
            else:
                description = f"{entry.summary}; {dim - own} zero coordinates added"
            yield Candidate(
                promise, description, K, made_of(name, K, own, dim, resolved, {})
            )


@lru_cache(maxsize=4)
def _members(
    largest_dim: int, schemes: tuple[str, ...]
) -> tuple[tuple[str, Member], ...]:
    """Every member of every family up to a dimension, by name of its family."""
    records = [describe(name) for name in schemes]
    return tuple(
        (r.name, member)
        for r in records
        if r.members is not None
        for member in r.members(largest_dim)
    )


def named_members(largest_dim: int) -> Iterator[tuple[str, Member]]:
    """Every member of every family in dimensions up to `largest_dim`, after the name of its family."""
    next_power = min(LARGEST_FAMILY_DIM, 1 << max(4, (largest_dim - 1).bit_length()))
    return (
        item for item in _members(next_power, available()) if item[1].dim <= largest_dim
    )


@lru_cache(maxsize=64)
def _frontier(dim: int, schemes: tuple[str, ...]) -> list[tuple[str, Member]]:
    """The members of R^dim and below that no other beats in both size and cosine, by ascending size."""
    del schemes  # whose members they are
    kept: list[tuple[str, Member]] = []
    for item in sorted(
        named_members(dim), key=lambda item: (float(item[1].max_cosine), -item[1].size)
    ):
        if not kept or item[1].size > kept[-1][1].size:
            kept.append(item)
    return kept


def best_member(num_classes: int, dim: int) -> Candidate | None:
    """The member with room for K in R^n and the lowest max cosine."""
    found = _frontier(min(dim, LARGEST_FAMILY_DIM), available())
    position = bisect_left(found, num_classes, key=lambda item: item[1].size)
    return _candidate(*found[position], dim) if position < len(found) else None


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
    """So many points of a scheme in R^own, zeros appended up to R^dim."""
    named = Provenance(scheme, count, own, options, 0, "fixed", __version__, chosen)
    return named if own == dim else named.then(Step(ZEROS, dim - own))
