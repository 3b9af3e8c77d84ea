"""Choose the prototypes of a head that may add classes later.

Such a head reserves a larger code, which has a point for each class that it may ever have, and uses only the first
points of this code at the beginning, so the first points should be well separated among themselves. Nested codes have
this property, so their order is not changed. For example, the first 2^j codewords of a linear code are a linear code,
and a Kerdock code begins with a first-order Reed-Muller code. Other codes of K points in R^n are reordered, unless K^2
n exceeds 2^34.
"""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from protosphere.constructions.build import NESTED, after
from protosphere.constructions.construct import construct
from protosphere.constructions.nested import nested_order
from protosphere.constructions.registry import describe
from protosphere.errors import InvalidArgumentError, ManyClassesWarning, as_integer
from protosphere.spherical.certificate import BY_THEOREM, Certificate, certified
from protosphere.spherical.crowding import crowding_advice, is_crowded
from protosphere.spherical.provenance import FIRST, Step
from protosphere.spherical.spherical_code import SphericalCode

LARGEST_ORDERED = 1 << 34
"""Largest value of K^2 n for which a code of K points in R^n is reordered; larger codes keep their order.

At this limit, the reordering takes some seconds.
"""

MEANINGFUL = frozenset({"similarity", "tree"})
"""Options of schemes by which a user says which classes are similar."""

_WARNED: list[bool] = []
"""List that is empty until `warn_once` has given its warning in this process."""

LARGEST_DEFAULT_DIM = 512
"""Largest default dimension of a head. If K - 1, the dimension of a simplex, is smaller, then K - 1 is the default."""


def in_nested_order(code: SphericalCode, num_first: int) -> SphericalCode:
    """Return a code with the same points, ordered so that the first `num_first` points are well separated.

    A nested code, whose first points are well separated anyway, is returned unchanged. A code of K points in R^n is
    also returned unchanged if K^2 n exceeds 2^34, because the reordering would take too long.

    Args:
        code: The code.
        num_first: Number of classes that are in use at the beginning.
    """
    if (
        code.placement.structure.is_nested
        or code.num_classes**2 * code.dim > LARGEST_ORDERED
    ):
        return code
    step = Step(
        f"{NESTED}{num_first}",
        numbers=tuple(nested_order(code.points, num_first).tolist()),
    )
    provenance = code.provenance and code.provenance.then(step)
    return replace(code, placement=after(code.placement, step), provenance=provenance)


def first_classes(code: SphericalCode, num_classes: int) -> SphericalCode:
    """Return the code of the first `num_classes` points of a code, with a certificate of its own.

    The certificate contains the maximum cosine of these points and the converse, which is a lower bound on the maximum
    cosine of any `num_classes` points in R^n.

    Args:
        code: The larger code.
        num_classes: Number of points to keep, at least 2.

    Returns:
        The smaller code. Its provenance records how the larger code was built, and `num_classes`.

    Raises:
        InvalidArgumentError: If `num_classes` is below 2, or `code` has fewer than `num_classes` points.

    Example:
        >>> import protosphere as ps
        >>> from protosphere.nn import first_classes
        >>> first_classes(ps.construct("kerdock", num_classes=200, dim=16), 32)
        SphericalCode(kerdock, K=32, n=16, max cosine 0 = converse (rankin_orthoplex))
    """
    K = as_integer("num_classes", num_classes, minimum=2)
    if code.num_classes == K:
        return code
    if code.num_classes < K:
        raise InvalidArgumentError(
            f"'num_classes' must be at most the {code.num_classes} in reserve, got {K}"
        )
    step = Step(FIRST, K)
    placement = after(code.placement, step)
    if code.certificate.unverified:  # loaded from a file too large to check
        placement.structure.check()
    provenance = code.provenance and code.provenance.then(step)
    proved = code.certificate.reason == BY_THEOREM
    proof = certified(placement, code.certificate.guarantee, proved=proved)
    return SphericalCode(placement, proof, provenance)


def nested_certificates(code: SphericalCode) -> tuple[Certificate, ...]:
    """Return the certificates of the first 2, 4, 8, ... classes of a code, and of all classes.

    A certificate contains the maximum cosine of the points of these classes, together with proved bounds on it.

    Args:
        code: The code.

    Returns:
        The certificates, in ascending order of the number of classes.

    Example:
        >>> import protosphere as ps
        >>> from protosphere.nn import nested_certificates
        >>> code = ps.construct("kerdock", num_classes=200, dim=16)
        >>> [(c.num_classes, str(c.max_cosine)) for c in nested_certificates(code)]
        [(2, '-1'), (4, '0'), (8, '0'), (16, '0'), (32, '0'), (64, '1/4'), (128, '1/4'), (200, '1/4')]
    """
    counts = [
        1 << bits
        for bits in range(1, code.num_classes.bit_length())
        if 1 << bits < code.num_classes
    ]
    return tuple(
        first_classes(code, count).certificate for count in [*counts, code.num_classes]
    )


def require_room(
    reserve: SphericalCode, in_use: int, num_classes: int, *, own_code: bool
) -> None:
    """Raise an error if a head cannot grow to a number of classes.

    Args:
        reserve: Code of all classes, including those reserved for later.
        in_use: Number of classes in use.
        num_classes: Requested number of classes.
        own_code: True if the user made the head from a code, False if from numbers of classes. The flag only changes
            the error message.

    Raises:
        InvalidArgumentError: If `num_classes` is not an integer, or is less than `in_use` or more than the number of
            classes of `reserve`.
    """
    if as_integer("num_classes", num_classes, minimum=2) < in_use:
        raise InvalidArgumentError(
            f"'num_classes' must be at least the {in_use} of now, got {num_classes}"
        )
    if num_classes > reserve.num_classes and own_code:
        raise InvalidArgumentError(
            f"'num_classes' must be at most {reserve.num_classes}, as the code of this head has no more points, "
            f"got {num_classes}; a new PrototypeHead({in_use}, reserve=code) from a code of {num_classes} points has "
            "room, but its prototypes differ unless that code begins with the points of this head"
        )
    if num_classes > reserve.num_classes:
        raise InvalidArgumentError(
            f"'num_classes' must be at most {reserve.num_classes}, all that this head was made for, got {num_classes}; "
            f"a new PrototypeHead({in_use}, dim={reserve.dim}, reserve={num_classes}) can grow so far, but its "
            "prototypes differ from those of this head; to keep them, make a new head from ps.from_points(rows), "
            "where the first rows are head.code.points"
        )


def warn_once(num_classes: int, dim: int) -> None:
    """Warn that the dimension is too small for the number of classes, but only at the first call in a process.

    Args:
        num_classes: Number of classes K.
        dim: Dimension n.
    """
    if _WARNED:
        return
    _WARNED.append(True)
    warnings.warn(
        crowding_advice(num_classes, dim),
        ManyClassesWarning,
        stacklevel=4,
    )


def reserved(
    given: SphericalCode | int,
    dim: int | None,
    reserve: int | SphericalCode | None,
    scheme: str,
    seed: int,
    options: Mapping[str, Any],
) -> tuple[SphericalCode, int]:
    """Return the code of a head, including reserved classes, and the number of classes in use.

    The reserved classes are not in use yet; `PrototypeHead.grow` adds them. If `reserve` is a number above `given`, the
    points are ordered so that the points of the classes in use are well separated, unless the code is so large that
    this would take too long.

    Args:
        given: Number K of classes in use, or a code. All classes of a given code are in use.
        dim: Dimension n. If it is None, n is the dimension of the given code or, if only numbers of classes are given,
            the smaller of 512 and the number of all classes minus one.
        reserve: Number of all classes, including those that can be added later. It may also be a code with one point
            for each of these classes; the head first uses the first `given` points of this code. None means that no
            classes are reserved. If `given` is a code, `reserve` must be None.
        scheme: Name of the scheme that builds the code, if neither `given` nor `reserve` is a code. If `options` does
            not contain 'budget', the scheme also gets options with which it takes about a second at most; for example,
            some schemes then skip a search.
        seed: Seed of the scheme, if the scheme is random.
        options: Keyword options of the scheme.

    Returns:
        A tuple of the code of all classes and the number of classes in use. The first points of the code belong to the
        classes in use.

    Raises:
        InvalidArgumentError: If an argument is not valid, or if arguments contradict each other.
        InfeasibleError: If the scheme has no code for K and n.
    """
    if isinstance(given, SphericalCode):
        if dim not in (None, given.dim) or reserve is not None:
            raise InvalidArgumentError(
                "'dim' and 'reserve' go with a number of classes, got a code, which has them"
            )
        return given, given.num_classes
    for name, value in (("num_classes", given), ("reserve", reserve)):
        if isinstance(value, list | tuple) or getattr(value, "ndim", 0):
            raise InvalidArgumentError(
                f"'{name}' must be a number of classes or a code, got an array or a list; "
                "ps.from_points(points) makes a code of unit rows"
            )
    K = as_integer("num_classes", given, minimum=2)
    if isinstance(reserve, SphericalCode):
        if dim not in (None, reserve.dim):
            raise InvalidArgumentError(
                f"'dim' must be the reserve's, {reserve.dim}, or left out, got {dim}"
            )
        return reserve, K
    room = K if reserve is None else as_integer("reserve", reserve, minimum=K)
    if dim is None:
        n = min(room - 1, LARGEST_DEFAULT_DIM)
    else:
        n = as_integer("dim", dim, minimum=1)
    quick: Mapping[str, Any] = {}
    if "budget" not in options:
        quick = describe(scheme).traits.quick_options
    if is_crowded(room, n) and not MEANINGFUL.intersection(options):
        warn_once(room, n)
    code = construct(scheme, num_classes=room, dim=n, seed=seed, **{**quick, **options})
    return (in_nested_order(code, K) if room > K else code), K
