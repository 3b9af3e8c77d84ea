"""Everything known for (K, n), by guarantee alone: nothing is built until one is chosen."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from protosphere.code.placement import Placement
from protosphere.code.provenance import ZEROS, Provenance, Step
from protosphere.constructions.families import LARGEST_DIM, Member
from protosphere.constructions.rebuild import placement_of
from protosphere.constructions.registry import available, describe
from protosphere.types import Cosine
from protosphere.version import __version__

SAME_DIGITS = 12
"""Max cosines that agree so far are the same."""

EVEN = frozenset({"orthogonal_simplices"})
"""Most even of their max cosine."""

FAST = frozenset({"kerdock", "delsarte_goethals", "gold", "shortened_cosets", "construction_x"})
"""Words in cosets of RM(1, m): of codes that are equally good, a head runs these fastest."""


@dataclass(frozen=True)
class Candidate:
    """A way to place K points in R^n: what it promises, in words what it is, how many there are, and their name."""

    max_cosine: Cosine
    recipe: str
    size: int
    provenance: Provenance

    @property
    def scheme(self) -> str:
        """Whose it is."""
        return self.provenance.construction

    @property
    def promise(self) -> float:
        """The guarantee as a float, to sort by."""
        return float(self.max_cosine)

    def rank(self, max_cosine: Cosine) -> tuple[float, bool, bool]:
        """What candidates with such max cosines are sorted by: the lowest first, of equal ones the even, the fast."""
        return round(float(max_cosine), SAME_DIGITS), self.scheme not in EVEN, self.scheme not in FAST

    def first(self, num_classes: int) -> Provenance:
        """What the first so many points are, nothing left open."""
        asked = self.provenance
        chosen = asked.chosen or describe(asked.construction).chosen(num_classes, asked.dim, asked.options)
        return replace(asked, num_classes=num_classes, chosen=chosen)

    def place(self, num_classes: int) -> Placement:
        """The first so many points."""
        return placement_of(self.first(num_classes))


@lru_cache(maxsize=4)
def _members(largest_dim: int, schemes: tuple[str, ...]) -> tuple[tuple[str, Member], ...]:
    """Every member of every family up to a dimension, by name of its family."""
    records = [describe(name) for name in schemes]
    return tuple((r.name, member) for r in records if r.members is not None for member in r.members(largest_dim))


@lru_cache(maxsize=64)
def _frontier(dim: int, schemes: tuple[str, ...]) -> tuple[tuple[int, ...], tuple[tuple[str, Member], ...]]:
    """The members of R^dim and below that no other beats in both size and cosine, by ascending size."""
    below = [item for item in _members(_next_power(dim), schemes) if item[1].dim <= dim]
    below.sort(key=lambda item: (float(item[1].max_cosine), -item[1].size))
    kept: list[tuple[str, Member]] = []
    for item in below:
        if not kept or item[1].size > kept[-1][1].size:
            kept.append(item)
    return tuple(member.size for _, member in kept), tuple(kept)


def _next_power(dim: int) -> int:
    return min(LARGEST_DIM, 1 << max(4, (dim - 1).bit_length()))


def named_members(largest_dim: int) -> Iterator[tuple[str, Member]]:
    """Every member of every family in dimensions up to `largest_dim`, after the name of its family."""
    return (item for item in _members(_next_power(largest_dim), available()) if item[1].dim <= largest_dim)


def leading_member(num_classes: int, dim: int) -> tuple[str, Member] | None:
    """The member with room for K in R^n and the lowest max cosine, after the name of its family."""
    sizes, items = _frontier(min(dim, LARGEST_DIM), available())
    position = bisect_left(sizes, num_classes)
    return items[position] if position < len(items) else None


def best_member(num_classes: int, dim: int) -> Candidate | None:
    """The same as a candidate."""
    found = leading_member(num_classes, dim)
    return found and _candidate(*found, dim)


def member_candidates(num_classes: int, dim: int, most: int) -> Iterator[Candidate]:
    """The best family members for (K, n), a family at a time, at most `most` of them."""
    best: dict[str, Member] = {}
    for name, member in _members(_next_power(dim), available()):
        if member.dim <= dim and member.size >= num_classes:
            known = best.get(name)
            if known is None or (float(member.max_cosine), member.size) < (float(known.max_cosine), known.size):
                best[name] = member
    ranked = sorted(best.items(), key=lambda item: float(item[1].max_cosine))
    return (_candidate(name, member, dim) for name, member in ranked[:most])


def _candidate(name: str, member: Member, dim: int) -> Candidate:
    named = made_of(name, member.size, member.dim, dim, {}, {"member": member.recipe})
    zeros = "" if member.dim == dim else f", {dim - member.dim} zero coordinates added"
    return Candidate(member.max_cosine, member.recipe + zeros, member.size, named)


def made_of(
    scheme: str, num_classes: int, own: int, dim: int, options: dict[str, object], chosen: dict[str, object]
) -> Provenance:
    """So many points of a scheme in R^own, zeros appended up to R^dim."""
    named = Provenance(scheme, num_classes, own, options, 0, "fixed", __version__, chosen)
    return named if own == dim else named.then(Step(ZEROS, dim - own))
