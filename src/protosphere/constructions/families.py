"""Families of codes whose sizes and maximum cosines are known by theorem; their points are built on request.

A member of a family is one of its codes.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial, wraps
from typing import Any

from protosphere.constructions.registry import InfeasibleReason, construction
from protosphere.constructions.traits import NO_TRAITS, Traits
from protosphere.errors import InvalidArgumentError, brief
from protosphere.spherical.placement import Placement
from protosphere.spherical.structures import Plain, Structure
from protosphere.types import Cosine, Points


@dataclass(frozen=True)
class Member:
    """One code of a family: its size, its maximum cosine, and a function that builds its points.

    Attributes:
        dim: Dimension n.
        size: Number of points.
        max_cosine: Maximum cosine of the code, known by a theorem; a Fraction if it is rational.
        id: Identifier of the code within its family. Files store it, so it never changes.
        description: Text that says what the code is, with its parameters.
        structure: Function that takes a count m and returns a `Structure` with the first m points of the code.
    """

    dim: int
    size: int
    max_cosine: Cosine
    id: str
    description: str
    structure: Callable[[int], Structure]

    def place(self, num_classes: int) -> Placement:
        """Return a `Placement` of the first `num_classes` points of the code, without a certificate."""
        return Placement(self.description, self.structure(num_classes))


def dense_member(
    dim: int,
    size: int,
    max_cosine: Cosine,
    id: str,
    description: str,
    points: Callable[[int], Points],
    step: Fraction | None = None,
) -> Member:
    """Return a member of a family whose points are stored as dense vectors.

    Args:
        dim: Dimension n.
        size: Number of points.
        max_cosine: Maximum cosine of the code, known by a theorem; a Fraction if it is rational.
        id: Identifier of the code within its family.
        description: Text that says what the code is.
        points: Function that takes a count m and returns the first m points of the code, as unit rows.
        step: Fraction such that all cosines are 1 - j * step for integers j; None if there is no such fraction.
    """

    def structure(count: int) -> Plain:
        return Plain(points(count), step)

    return Member(dim, size, max_cosine, id, description, structure)


Members = Callable[[int], Iterable[Member]]
"""Type of a function that takes a dimension and returns all members of a family up to this dimension."""


def _up_to_dim(generate: Callable[..., Iterable[Member]]) -> Members:
    # a function with a parameter is such a function already; a function without a parameter yields all members
    if inspect.signature(generate).parameters:
        return generate
    listed = cache(lambda: tuple(generate()))

    @wraps(generate)
    def members(largest_dim: int) -> Iterable[Member]:
        return (member for member in listed() if member.dim <= largest_dim)

    return members


def fitting_member(members: Members, num_classes: int, dim: int) -> Member | None:
    """Return the member of a family to use for K points in R^n, or None if no member fits.

    A member fits if its dimension is n and it has at least K points. Of all members that fit, the one with the lowest
    maximum cosine is returned. If several of them have this maximum cosine, the one with the fewest points is returned.

    Args:
        members: Function that takes a dimension and returns all members of the family up to this dimension.
        num_classes: Number K of points.
        dim: Dimension n.
    """
    fitting = [
        member
        for member in members(dim)
        if member.dim == dim and member.size >= num_classes
    ]
    return min(
        fitting, key=lambda member: (member.max_cosine, member.size), default=None
    )


def named_member(members: Members, dim: int, id: str) -> Member:
    """Return the member of a family that has the dimension `dim` and the identifier `id`.

    Args:
        members: Function that takes a dimension and returns all members of the family up to this dimension.
        dim: Dimension n.
        id: Identifier of the code within its family.

    Raises:
        InvalidArgumentError: If there is no such member.
    """
    for member in members(dim):
        if member.dim == dim and member.id == id:
            return member
    raise InvalidArgumentError(
        f"'member' must be the id of a code of dimension {dim}, got {brief(id)}"
    )


def family(
    *,
    summary: str,
    reference: str,
    named: Callable[[int, str], Member] | None = None,
    fitting: Callable[[int, int], Member | None] | None = None,
    infeasible_reason: InfeasibleReason | None = None,
    traits: Traits = NO_TRAITS,
) -> Callable[[Callable[..., Iterable[Member]]], Members]:
    """Register a family of codes as a construction; the decorated function yields the members of the family.

    The construction gets the name of the decorated function. This function either has no argument and yields all
    members, or its argument is the largest dimension, and it yields the members up to this dimension. Numerical
    searches also start from the members of all families.

    Args:
        summary: One line that describes the family in lists.
        reference: Publication of the family.
        named: Function that takes a dimension and an id and returns the member that has both. By default, this member
            is looked up among the members that the decorated function yields.
        fitting: Function that takes K and n and returns the member to use for K points in R^n, or None if no member
            fits. By default, it is the member of dimension n with at least K points that has the lowest maximum cosine
            and, among such members, the fewest points.
        infeasible_reason: Function that takes K and n. It returns None if K points in R^n are feasible. Otherwise it
            returns a text that says why they are infeasible and what would work. The default message names the nearest
            dimensions with a member of at least K points.
        traits: Properties of the construction that other parts of the package use, such as whether the points depend on
            a seed. By default, it has no special properties.

    Returns:
        A decorator. It replaces the decorated function by a function that takes the largest dimension and returns the
        members up to this dimension.
    """

    def register(generate: Callable[..., Iterable[Member]]) -> Members:
        members = _up_to_dim(generate)
        name = getattr(generate, "__name__", "family")
        find = named or partial(named_member, members)
        fit = fitting or partial(fitting_member, members)

        def why_not(num_classes: int, dim: int) -> str | None:
            if dim <= LARGEST_FAMILY_DIM and fit(num_classes, dim):
                return None
            return _no_member_reason(name, members, num_classes, dim)

        def guarantee(
            num_classes: int, dim: int, chosen: Mapping[str, Any] | None = None
        ) -> Cosine | None:
            member = find(dim, chosen["member"]) if chosen else fit(num_classes, dim)
            return member and member.max_cosine

        def choose(num_classes: int, dim: int) -> dict[str, str]:
            member = fit(num_classes, dim)
            assert member is not None, (
                "infeasible_reason has made sure that there is one"
            )
            return {"member": member.id}

        def build(num_classes: int, dim: int, chosen: Mapping[str, Any]) -> Placement:
            return find(dim, chosen["member"]).place(num_classes)

        build.__name__ = name
        build.__doc__ = members.__doc__
        register_build = construction(
            summary=summary,
            reference=reference,
            infeasible_reason=infeasible_reason or why_not,
            guarantee=guarantee,
            members=members,
            choose=choose,
            traits=traits,
        )
        register_build(build)
        return members

    return register


LARGEST_FAMILY_DIM = 4096
"""Largest dimension up to which members of families are listed."""


def _no_member_reason(name: str, members: Members, num_classes: int, dim: int) -> str:
    dims = {
        member.dim
        for member in members(min(LARGEST_FAMILY_DIM, 4 * dim + 64))
        if member.size >= num_classes
    }
    nearest = sorted(sorted(dims, key=lambda other: abs(other - dim))[:2])
    if nearest:
        where = f"nearest: {', '.join(map(str, nearest))}"
    else:
        where = f"no dim near {brief(dim)} holds so many"
    return f"'{name}' has no code of {brief(num_classes)} classes, got dim {brief(dim)}; {where}"
