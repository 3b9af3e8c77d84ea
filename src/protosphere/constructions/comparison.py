"""Comparison of the maximum cosines of schemes with the bounds, over several dimensions.

These are the data of the separation figures of Lindström et al. (2024).

- A scheme, also called a construction, is infeasible at a dimension n if it has no code of K points in R^n.
- An achievable bound is a proved upper bound on the maximum cosine of the best K points in R^n.
- A converse is a proved lower bound on the maximum cosine of any K points in R^n.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from protosphere import bounds
from protosphere.bounds import Bound
from protosphere.constructions.best.selection import LARGEST_COMPARED
from protosphere.constructions.construct import construct
from protosphere.constructions.registry import (
    Construction,
    constructions_with,
    describe,
)
from protosphere.errors import (
    InfeasibleError,
    InvalidArgumentError,
    as_flag,
    as_integer,
)
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.statistics import code_statistics, confident_scale
from protosphere.types import Cosine, Progress, ignore

PRODUCTS_A_UNIT = 10**8
"""Number of multiplications per unit of progress of a comparison."""


def compared_schemes() -> tuple[str, ...]:
    """Return the names of the schemes that are compared by default: those of Lindström et al. (2024), and 'best'."""
    return constructions_with(lambda traits: traits.in_paper or traits.chooses)


@dataclass(frozen=True)
class Cell:
    """Result of one scheme at one dimension.

    Attributes:
        scheme: Name of the construction, such as 'simplex'.
        dim: Dimension n.
        max_cosine: Maximum cosine of the code; None if the scheme is infeasible at this dimension.
        infeasible_reason: Why the scheme is infeasible at this dimension, or None if the scheme is feasible.
        energy: Mean over classes i of the sum over classes j != i of exp(s (cos(i, j) - 1)), where cos(i, j) is the
            cosine of their points. Lower means more uniform points. The scale s is computed from K and from a proved
            lower bound on the maximum cosine of any K points in R^n, the converse. The converse depends on n, so only
            energies at the same dimension can be compared. The energy is None if the scheme is infeasible, if there are
            more than 5,000 prototypes, or if the converse is 1.
        mean_square: Mean squared cosine of all pairs of prototypes; None in the same cases as `energy`.

    Example:
        >>> compare(10, [9], schemes=["simplex"]).cells[0].dim
        9
    """

    scheme: str
    dim: int
    max_cosine: Cosine | None
    infeasible_reason: str | None
    energy: float | None = field(default=None, repr=False)
    mean_square: Cosine | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Limits:
    """Bounds on the maximum cosine of K points in R^n.

    Attributes:
        dim: Dimension n.
        achievable: Lowest achievable bound: some code has at most this maximum cosine. None if no theorem gives such a
            bound, for example because 2**n < K.
        converse: Highest proved lower bound on the maximum cosine of any K points.
        paper_converse: The lower bound -1/(K-1), which Lindström et al. (2024) draw at every dimension. It is attained
            only for K <= n + 1.

    Example:
        >>> compare(10, [9], schemes=["simplex"]).limits[0].converse
        Bound(value=-1/9, theorem='rankin_simplex')
    """

    dim: int
    achievable: Bound | None
    converse: Bound
    paper_converse: Bound


@dataclass(frozen=True)
class Comparison:
    """Comparison for K classes: the results of schemes at several dimensions, and the bounds at each dimension.

    Attributes:
        num_classes: Number K of classes.
        dims: All dimensions, in ascending order.
        schemes: Names of the schemes, each of them once.
        cells: One result for each compared pair of a scheme and a dimension.
        limits: Bounds at each dimension, in the order of `dims`.

    Example:
        >>> compare(10, [9], schemes=["simplex"]).of("simplex")[0].max_cosine
        Fraction(-1, 9)
    """

    num_classes: int
    dims: tuple[int, ...]
    schemes: tuple[str, ...]
    cells: tuple[Cell, ...]
    limits: tuple[Limits, ...]

    def of(self, scheme: str) -> tuple[Cell, ...]:
        """Return the results of one scheme, without the dimensions at which the scheme is infeasible."""
        return tuple(
            cell
            for cell in self.cells
            if cell.scheme == scheme and cell.max_cosine is not None
        )

    def records(self) -> list[dict[str, Any]]:
        """Return all results and bounds as rows, for example for `pandas.DataFrame`.

        A row is a dict, and all rows have the same keys. Entries that do not apply to a row are None.

        - "kind" is "scheme" for the result of a scheme at a dimension, and "bound" for a bound at a dimension.
        - "scheme" is the name of the scheme, or the kind of bound: "achievable", "converse" or "paper_converse".
        - "num_classes" is K, and "dim" is n.
        - "max_cosine" is the maximum cosine of the code, or the value of the bound, as a float.
        - "exact" is the same number as the text of a fraction, or None if it is not known as a fraction.
        - "theorem" is the name of the theorem of a bound.
        - "infeasible_reason" says why a scheme has no code. "energy" and "mean_square" are the energy and the mean
          squared cosine of the code of a scheme.
        """
        cells = [
            _record(
                "scheme",
                c.scheme,
                self.num_classes,
                c.dim,
                c.max_cosine,
                infeasible_reason=c.infeasible_reason,
            )
            | {
                "energy": c.energy,
                "mean_square": None if c.mean_square is None else float(c.mean_square),
            }
            for c in self.cells
        ]
        return cells + limit_records(self.num_classes, self.limits)


def compare(
    num_classes: int,
    dims: int | Iterable[int],
    *,
    schemes: Sequence[str] | None = None,
    seed: int = 0,
    modify: bool = False,
    progress: Progress = ignore,
) -> Comparison:
    """Construct every scheme at every dimension and compare the maximum cosines with the bounds.

    Args:
        num_classes: Number K of classes.
        dims: One dimension or several; `characteristic_dims` returns a useful choice.
        schemes: Names of constructions; by default the nine of Lindström et al. (2024), and 'best'.
        seed: Seed of stochastic schemes.
        modify: If True, codes may be shortened, punctured and extended to reach other dimensions. If False, they are
            not changed. The value is passed to the schemes that have an option `modify`.
        progress: Function that is called after each scheme and dimension, and during descents, with a text, the number
            of finished steps and the number of all steps.

    Returns:
        The result of each scheme at each dimension, and the bounds.

    Raises:
        InvalidArgumentError: If a scheme or a dimension is not valid.

    Example:
        >>> compare(10, [9], schemes=["simplex", "reed_muller"]).cells[0]
        Cell(scheme='simplex', dim=9, max_cosine=Fraction(-1, 9), infeasible_reason=None)
    """
    several = dims if isinstance(dims, Iterable) else [dims]
    lengths = sorted({as_integer("dims", dim, minimum=1) for dim in several})
    if schemes is None:
        names = compared_schemes()
    else:
        names = tuple(dict.fromkeys(schemes))
    requests = [(name, dim) for name in names for dim in lengths]
    return compare_at(
        num_classes, requests, seed=seed, modify=modify, progress=progress
    )


def compare_at(
    num_classes: int,
    requests: Sequence[tuple[str, int]],
    *,
    seed: int = 0,
    modify: bool = False,
    progress: Progress = ignore,
    build: Callable[..., SphericalCode] = construct,
) -> Comparison:
    """Construct the codes of given pairs of scheme and dimension, and compare their maximum cosines with the bounds.

    Args:
        num_classes: Number K of classes.
        requests: Pairs of the name of a scheme and a dimension.
        seed: Seed of stochastic schemes.
        modify: If True, codes may be shortened, punctured and extended to reach other dimensions. If False, they are
            not changed. The value is passed to the schemes that have an option `modify`.
        progress: Function that is called after each pair, and during descents, with a text, the number of finished
            steps and the number of all steps.
        build: Function that is called in place of `construct` with the same arguments, for example to cache codes.

    Returns:
        The results of the given pairs, and the bounds at each dimension.
    """
    K = as_integer("num_classes", num_classes, minimum=2)
    as_flag("modify", modify)
    if not requests:
        raise InvalidArgumentError(
            "a comparison needs at least one scheme and one dimension, got none"
        )
    entries = [
        (describe(name), as_integer("dims", dim, minimum=1)) for name, dim in requests
    ]
    total = sum(_units_of_progress(entry, K, dim) for entry, dim in entries)
    done = 0
    cells: list[Cell] = []
    for entry, dim in entries:
        weight = _units_of_progress(entry, K, dim)
        told = partial(
            build, seed=seed, progress=_descent_progress(progress, done, weight, total)
        )
        cells.append(_cell(entry, K, dim, modify, told))
        done += weight
        progress("comparing", done, total)
    dims = tuple(sorted({cell.dim for cell in cells}))
    schemes = tuple(dict.fromkeys(cell.scheme for cell in cells))
    return Comparison(
        K, dims, schemes, tuple(cells), tuple(limits(K, dim) for dim in dims)
    )


def limits(num_classes: int, dim: int) -> Limits:
    """Return three bounds on the maximum cosine of K points in R^n: achievable, converse and converse of the paper.

    The achievable bound is an upper bound for the best points. The converse is the highest proved lower bound for any
    points. The converse of the paper is the lower bound -1/(K-1) of Lindström et al. (2024).

    Args:
        num_classes: Number K of points.
        dim: Dimension n.
    """
    try:
        achievable = bounds.achievable(num_classes, dim)
    except InfeasibleError:
        achievable = None
    return Limits(
        dim,
        achievable,
        bounds.converse(num_classes, dim),
        bounds.paper_converse(num_classes, dim),
    )


def limit_records(num_classes: int, rows: Iterable[Limits]) -> list[dict[str, Any]]:
    """Return one row, as a dict, for each bound on the maximum cosine at each dimension.

    A missing achievable bound has no row. The rows have these entries:

    - "kind" is "bound".
    - "scheme" is the kind of bound: "achievable", "converse" or "paper_converse".
    - "num_classes" is K, and "dim" is n.
    - "max_cosine" is the value of the bound as a float.
    - "exact" is the value as the text of a fraction, or None if it is not known as a fraction.
    - "theorem" is the name of the theorem.
    - "infeasible_reason", "energy" and "mean_square" are None, so that the rows have the same keys as the rows of
      `Comparison.records`.

    Args:
        num_classes: Number K of points.
        rows: Bounds at each dimension.
    """
    return [
        _record("bound", name, num_classes, row.dim, bound.value, theorem=bound.theorem)
        for row in rows
        for name in ("achievable", "converse", "paper_converse")
        if (bound := getattr(row, name)) is not None
    ]


def characteristic_dims(num_classes: int, low: int, high: int) -> tuple[int, ...]:
    """Return the dimensions from `low` to `high` at which schemes or bounds change.

    These dimensions are 2^m and 2^m - 1 for all integers m, K/2 rounded up, K - 1, and K.

    Args:
        num_classes: Number K of classes.
        low: Smallest dimension.
        high: Largest dimension.

    Returns:
        The dimensions, in ascending order.

    Example:
        >>> characteristic_dims(10, 4, 16)
        (4, 5, 7, 8, 9, 10, 15, 16)
    """
    K = as_integer("num_classes", num_classes, minimum=2)
    first = as_integer("low", low, minimum=1)
    last = as_integer("high", high, minimum=first)
    lengths = {
        length
        for m in range(last.bit_length() + 1)
        for length in (1 << m, (1 << m) - 1)
    }
    return tuple(
        sorted(dim for dim in lengths | {-(-K // 2), K - 1, K} if first <= dim <= last)
    )


def _cell(
    entry: Construction,
    K: int,
    dim: int,
    modify: bool,
    build: Callable[..., SphericalCode],
) -> Cell:
    options = dict(entry.traits.quick_options)
    if "modify" in entry.options:
        options["modify"] = modify
    try:
        code = build(entry.name, num_classes=K, dim=dim, **options)
    except InfeasibleError as error:
        return Cell(entry.name, dim, None, str(error))
    lowest = float(code.certificate.converse)
    looked_at = K <= LARGEST_COMPARED and lowest < 1
    spread = code_statistics(code, confident_scale(K, lowest)) if looked_at else None
    return Cell(
        entry.name,
        dim,
        code.max_cosine,
        None,
        spread and spread.energy,
        spread and spread.mean_square,
    )


def _units_of_progress(entry: Construction, K: int, dim: int) -> int:
    # each step of a descent computes a K x K matrix of cosines
    return 1 + K * K * dim * int(entry.options.get("steps", 1)) // PRODUCTS_A_UNIT


def _descent_progress(
    progress: Progress, done: int, weight: int, total: int
) -> Progress:
    # of all `total` units of progress, `done` precede the descent, which has `weight` units
    def within(stage: str, step: int, steps: int) -> None:
        if stage == "optimizing":
            progress("comparing", done + weight * step // max(1, steps), total)

    return within


def _record(
    kind: str, name: str, K: int, dim: int, value: Cosine | None, **more: object
) -> dict[str, Any]:
    exact = str(value) if isinstance(value, Fraction) else None
    cell = {"kind": kind, "scheme": name, "num_classes": K, "dim": dim}
    known = {"max_cosine": None if value is None else float(value), "exact": exact}
    return (
        cell
        | known
        | {
            "theorem": None,
            "infeasible_reason": None,
            "energy": None,
            "mean_square": None,
        }
        | more
    )
