"""Registry of the bounds on the maximum cosine of K points in R^n. The decorator `bound` adds a function to it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from protosphere.bounds.bound import Bound
from protosphere.errors import InfeasibleError, as_choice, as_integer
from protosphere.registry import Registry

KINDS = ("converse", "achievable")
"""Kinds of bounds on the maximum cosine of K points in R^n.

Every set of K points has at least the maximum cosine of a converse. Some set of K points has at most the maximum cosine
of an achievable bound.
"""

Theorem = Callable[[int, int], Bound]
InfeasibleReason = Callable[[int, int], str | None]


@dataclass(frozen=True)
class RegisteredBound:
    """Registry entry of a theorem that bounds the maximum cosine of K points in R^n.

    Attributes:
        name: Name of the function in `protosphere.bounds`.
        function: Function of K and n that returns the Bound. It raises InfeasibleError if the theorem does not apply to
            K and n.
        title: Common name of the theorem.
        kind: 'converse' (every set of K points has at least this maximum cosine) or 'achievable' (some set of K points
            has at most this maximum cosine).
        summary: One line that describes the theorem in lists.
        reference: Publication of the theorem.
        infeasible_reason: Function of K and n. If the theorem does not apply to K and n, it returns a text with the
            reason. Otherwise it returns None.
        numerical: True if the bound is numerical (not proved) and slow, False if it is proved. The function `converse`
            uses a numerical bound only if its argument `linear_programming` is True.
        superseded: True if another bound of the same kind is at least as tight for all K and n, otherwise False. The
            functions `converse` and `achievable` ignore a superseded bound.
    """

    name: str
    function: Theorem
    title: str
    kind: str
    summary: str
    reference: str
    infeasible_reason: InfeasibleReason
    numerical: bool = False
    superseded: bool = False


BOUNDS: Registry[RegisteredBound] = Registry("bound")
"""All bounds by name. If several bounds have the same value, `converse` and `achievable` return the first one."""


def checked_size(num_classes: int, dim: int) -> tuple[int, int]:
    """Return K and n after checking that K is an integer of at least 2 and n is an integer of at least 1.

    Args:
        num_classes: Number K of points.
        dim: Dimension n.

    Raises:
        InvalidArgumentError: If K or n is not such an integer.
    """
    K = as_integer("num_classes", num_classes, minimum=2)
    n = as_integer("dim", dim, minimum=1)
    return K, n


def bound(
    title: str,
    *,
    kind: str,
    summary: str,
    reference: str,
    infeasible_reason: InfeasibleReason = lambda _K, _n: None,
    numerical: bool = False,
    superseded: bool = False,
) -> Callable[[Theorem], Theorem]:
    """Return a decorator for a function of K and n that computes the bound of a theorem.

    The decorator adds the bound to the registry under the name of the function. It returns a new function, which first
    checks that K is at least 2, that n is at least 1, and that the theorem applies to K and n. Then it calls the
    decorated function.

    Args:
        title: Common name of the theorem.
        kind: 'converse' (every set of K points has at least this maximum cosine) or 'achievable' (some set of K points
            has at most this maximum cosine).
        summary: One line that describes the theorem in lists.
        reference: Publication of the theorem.
        infeasible_reason: Function of K and n. If the theorem does not apply to K and n, it returns a text with the
            reason. Otherwise it returns None. By default, the theorem applies to all K and n.
        numerical: True if the bound is numerical (not proved) and slow, False if it is proved.
        superseded: True if another bound of the same kind is at least as tight for all K and n, otherwise False.

    Returns:
        The decorator.

    Raises:
        InvalidArgumentError: If `kind` is unknown, or if a bound of the same name is already registered when the
            decorator is used.
    """
    as_choice("kind", kind, KINDS)

    def register(theorem: Theorem) -> Theorem:
        @wraps(theorem)
        def checked(num_classes: int, dim: int) -> Bound:
            K, n = checked_size(num_classes, dim)
            why_not = infeasible_reason(K, n)
            if why_not is not None:
                raise InfeasibleError(why_not)
            return theorem(K, n)

        entry = RegisteredBound(
            name=theorem.__name__,
            function=checked,
            title=title,
            kind=kind,
            summary=summary,
            reference=reference,
            infeasible_reason=infeasible_reason,
            numerical=numerical,
            superseded=superseded,
        )
        BOUNDS.add(entry.name, entry)
        return checked

    return register


def title_of(theorem: str) -> str:
    """Return the common name of a theorem, given the attribute `theorem` of a Bound.

    For example, the common name of 'rankin_orthoplex' is the title of the registered bound `rankin`. If the argument
    does not begin with the name of a registered bound, it is returned unchanged.

    Args:
        theorem: Name of a theorem, as the attribute `theorem` of a Bound has it.

    >>> title_of("rankin_orthoplex")
    'Rankin'
    """
    for entry in BOUNDS.values():
        if theorem.startswith(entry.name):
            return entry.title
    return theorem
