"""Everything known for (K, n), by guarantee alone: nothing is built until one is chosen."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

from protosphere.code.placement import Placement
from protosphere.constructions.families import LARGEST_DIM, Member
from protosphere.constructions.registry import available, describe
from protosphere.types import Cosine


@dataclass(frozen=True)
class Candidate:
    """A way to place K points in R^n: what it promises, whose it is, and how to do it."""

    max_cosine: Cosine
    scheme: str
    recipe: str
    size: int
    place: Callable[[int], Placement]

    @property
    def promise(self) -> float:
        """The guarantee as a float, to sort by."""
        return float(self.max_cosine)


@lru_cache(maxsize=4)
def _members(largest_dim: int) -> tuple[tuple[str, Member], ...]:
    """Every member of every family up to a dimension, by name of its family."""
    records = [describe(name) for name in available()]
    return tuple((r.name, member) for r in records if r.members is not None for member in r.members(largest_dim))


@lru_cache(maxsize=64)
def _frontier(dim: int) -> tuple[tuple[int, ...], tuple[tuple[str, Member], ...]]:
    """The members of R^dim and below that no other beats in both size and cosine, by ascending size."""
    below = [item for item in _members(_next_power(dim)) if item[1].dim <= dim]
    below.sort(key=lambda item: (float(item[1].max_cosine), -item[1].size))
    kept: list[tuple[str, Member]] = []
    for item in below:
        if not kept or item[1].size > kept[-1][1].size:
            kept.append(item)
    return tuple(member.size for _, member in kept), tuple(kept)


def _next_power(dim: int) -> int:
    return min(LARGEST_DIM, 1 << max(4, (dim - 1).bit_length()))


def near_members(largest_dim: int) -> Iterator[Member]:
    """Every member of every family in dimensions up to `largest_dim`."""
    return (member for _, member in _members(_next_power(largest_dim)) if member.dim <= largest_dim)


def best_member(num_classes: int, dim: int) -> Candidate | None:
    """The family member with room for K in R^n and the lowest max cosine."""
    sizes, items = _frontier(min(dim, LARGEST_DIM))
    position = bisect_left(sizes, num_classes)
    return _candidate(*items[position], dim) if position < len(items) else None


def member_candidates(num_classes: int, dim: int, most: int) -> Iterator[Candidate]:
    """The best family members for (K, n), a family at a time, at most `most` of them."""
    best: dict[str, Member] = {}
    for name, member in _members(_next_power(dim)):
        if member.dim <= dim and member.size >= num_classes:
            known = best.get(name)
            if known is None or (float(member.max_cosine), member.size) < (float(known.max_cosine), known.size):
                best[name] = member
    ranked = sorted(best.items(), key=lambda item: float(item[1].max_cosine))
    return (_candidate(name, member, dim) for name, member in ranked[:most])


def _candidate(name: str, member: Member, dim: int) -> Candidate:
    recipe = member.recipe if member.dim == dim else f"{member.recipe}, {dim - member.dim} zero coordinates added"
    return Candidate(member.max_cosine, name, recipe, member.size, partial(_placed, member, dim, recipe))


def _placed(member: Member, dim: int, recipe: str, num_classes: int) -> Placement:
    return member.place(num_classes).padded(dim, recipe)
