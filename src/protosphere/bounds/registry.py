"""The list of bounds: one frozen record each, made by decorating the function that states the theorem."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from protosphere.bounds.bound import Bound
from protosphere.errors import InfeasibleError, as_choice, as_integer
from protosphere.registry import Registry

KINDS = ("converse", "achievable")
"""No arrangement has a lower max cosine than a converse; some arrangement certainly has an achievable one."""

Theorem = Callable[[int, int], Bound]
InfeasibleReason = Callable[[int, int], str | None]


@dataclass(frozen=True)
class RegisteredBound:
    """One theorem on the max cosine of K points in R^n.

    Attributes:
        name: as the function of `protosphere.bounds` is called.
        function: from K and n to the Bound; it checks both, and raises InfeasibleError if the theorem is silent.
        title: the name people know it by.
        kind: 'converse' or 'achievable'.
        summary: one line for lists.
        reference: where it comes from.
        infeasible_reason: from K and n to None, or one sentence: why the theorem does not speak of them.
        numerical: whether it is computed, not proved, and slow: used only where it is asked for.
    """

    name: str
    function: Theorem
    title: str
    kind: str
    summary: str
    reference: str
    infeasible_reason: InfeasibleReason
    numerical: bool = False


BOUNDS: Registry[RegisteredBound] = Registry("bound")
"""Every bound by its name; of equal bounds the first one is named."""


def checked_size(num_classes: int, dim: int) -> tuple[int, int]:
    """K and n, an integer of at least 2 and one of at least 1."""
    return as_integer("num_classes", num_classes, minimum=2), as_integer(
        "dim", dim, minimum=1
    )


def bound(
    title: str,
    *,
    kind: str,
    infeasible_reason: InfeasibleReason = lambda _K, _n: None,
    **record: Any,
) -> Callable[[Theorem], Theorem]:
    """Register the decorated theorem under its own name; a second one of the same name is an error.

    `record` is the rest of its `RegisteredBound`: summary, reference, and whether it is numerical. The theorem is given
    a K of at least 2 and an n of at least 1 without an infeasible_reason: checking them is done here.
    """
    as_choice("kind", kind, KINDS)

    def register(theorem: Theorem) -> Theorem:
        @wraps(theorem)
        def checked(num_classes: int, dim: int) -> Bound:
            K, n = checked_size(num_classes, dim)
            if (why_not := infeasible_reason(K, n)) is not None:
                raise InfeasibleError(why_not)
            return theorem(K, n)

        name = theorem.__name__
        BOUNDS.add(
            name,
            RegisteredBound(
                name,
                checked,
                title,
                kind,
                infeasible_reason=infeasible_reason,
                **record,
            ),
        )
        return checked

    return register


def title_of(theorem: str) -> str:
    """The name people know the theorem of a Bound by.

    >>> title_of("rankin_orthoplex")
    'Rankin'
    """
    return next(
        (bound.title for bound in BOUNDS.values() if theorem.startswith(bound.name)),
        theorem,
    )
