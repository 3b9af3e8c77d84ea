"""Find the member of a family of codes that `ps.construct` uses for each number of classes K.

A family is a scheme that consists of a list of codes. These codes are its members.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from protosphere.constructions.best.candidates import (
    LARGEST_PAIRWISE,
    certified_quickly,
)
from protosphere.constructions.families import Member
from protosphere.constructions.registry import Construction

MOST_CLASSES = 1_000_000
"""Largest number of classes on the page of the atlas."""

LARGEST_PAGE_DIM = 1024
"""Largest dimension on the page of the atlas."""


@dataclass(frozen=True)
class Serving:
    """A member of a family of codes, with the numbers of classes for which `ps.construct` uses this member.

    Attributes:
        member: The member.
        first: Smallest number of classes for which the member is used.
        last: Largest number of classes for which the member is used.
    """

    member: Member
    first: int
    last: int


def serving_members(family: Construction) -> Iterator[Serving]:
    """Yield the members of a family of codes that `ps.construct` uses for at least one number of classes K.

    For K points in n dimensions, `ps.construct` uses a member of dimension n with at least K points. Among these
    members, it uses the one with the lowest maximum cosine. Therefore a member is left out if another member of the
    same dimension has at least as many points and a lower maximum cosine. Only K up to 1,000,000 and n up to 1024 are
    considered, and only K for which a code can be certified in seconds. The members are yielded in the order of their
    dimensions n, and for each n in the order of the numbers of classes.

    Args:
        family: Record of the family in the registry of constructions. If it is not a family, nothing is yielded.
    """
    if family.members is None:
        return
    members: list[Member] = sorted(
        family.members(LARGEST_PAGE_DIM),
        key=lambda one: (one.dim, one.max_cosine, one.size),
    )
    for dim, group in groupby(members, key=attrgetter("dim")):
        quick = certified_quickly(family.name, LARGEST_PAIRWISE + 1, dim)
        most = MOST_CLASSES if quick else LARGEST_PAIRWISE
        served = 1
        for member in group:
            last = min(member.size, most)
            if last > served:
                yield Serving(member, served + 1, last)
                served = last
