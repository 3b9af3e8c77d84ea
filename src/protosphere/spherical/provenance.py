"""Provenance of a code: the request and the choices from which later versions can rebuild the same points.

A request consists of the arguments of `ps.construct`. A construction, also called scheme, is a method that builds
points. A step is an operation that was applied to the points after they were built.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from protosphere.errors import InvalidArgumentError, brief
from protosphere.types import Cosine

FIRST = "first"
ZEROS = "zeros"


@dataclass(frozen=True)
class Step:
    """An operation that was applied to the points of a code after they were built.

    Attributes:
        what: Name of the operation. 'first' keeps the first `count` points, and 'zeros' appends `count` zero
            coordinates. Any other name, such as 'subset' or 'nested from 10', selects and reorders points by `numbers`.
        count: For 'first', how many points are kept. For 'zeros', how many zero coordinates are appended. For other
            names, it is 0.
        numbers: Indices of the points that the operation selects: point i after the operation is point numbers[i]
            before it. For 'first' and 'zeros', this tuple is empty.
    """

    what: str
    count: int = 0
    numbers: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _require("steps", _are(str, self.what) and _are(int, self.count), self.what)
        object.__setattr__(
            self, "numbers", tuple(int(number) for number in self.numbers)
        )


@dataclass(frozen=True)
class Provenance:
    """Record of how a code was built: the request, the choices that were made, and later operations on the points.

    The function `constructions.build.rebuild` builds the same points from a provenance in every later version, even if
    that version would choose another code for the same request. Points that a search found cannot be rebuilt; files
    store them.

    Attributes:
        construction: Name of the construction, also called scheme. This attribute and the next five are arguments of
            `ps.construct`.
        num_classes: Number K of points.
        dim: Dimension n.
        options: Options of the construction.
        seed: Seed of random choices.
        mapping: Order of the points: 'fixed' for the order of the construction, or 'random' for a random order that
            depends on `seed`.
        version: Version of the package that built the code.
        chosen: Values that the construction chose for parameters that the request does not specify, such as which code
            of a family is used.
        resolved: If the construction chooses another construction (as 'best' does), this is the provenance of the
            chosen one, and `chosen` is empty. For other constructions, it is None.
        steps: Operations that were applied to the points later, in order.

    Example:
        >>> import protosphere as ps
        >>> ps.construct("simplex", num_classes=10, dim=9).provenance.construction
        'simplex'
    """

    construction: str
    num_classes: int
    dim: int
    options: Mapping[str, Any]
    seed: int
    mapping: str
    version: str
    chosen: Mapping[str, Any] = field(default_factory=dict[str, Any])
    resolved: Provenance | None = None
    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        _require("options", _are(Mapping, self.options, self.chosen), self.options)
        object.__setattr__(
            self, "steps", tuple(_read(Step, step) for step in self.steps)
        )
        object.__setattr__(
            self,
            "resolved",
            None if self.resolved is None else _read(Provenance, self.resolved),
        )

    @property
    def scheme(self) -> str:
        """Name of the construction that built the points.

        If `construction` chose another construction, the text consists of both names, such as 'best: simplex'.

        >>> simplex = Provenance("simplex", 10, 9, {}, 0, "fixed", "1.0")
        >>> Provenance("best", 10, 9, {}, 0, "fixed", "1.0", resolved=simplex).scheme
        'best: simplex'
        """
        if self.resolved is None:
            return self.construction
        return f"{self.construction}: {self.resolved.scheme}"

    @property
    def placed_by(self) -> Provenance:
        """Provenance of the construction that built the points.

        This is the provenance itself, unless its construction chose another construction (as 'best' does). Then it is
        the provenance of the construction that was chosen last.
        """
        return self if self.resolved is None else self.resolved.placed_by

    def agrees(self, other: Provenance) -> bool:
        """Return whether two provenances, this one and `other`, have the same request and the same steps.

        The comparison ignores versions, choices, the attribute `numbers` of steps, and options that only one of them
        has.
        """
        asked = [
            (p.construction, p.num_classes, p.dim, p.seed, p.mapping)
            for p in (self, other)
        ]
        since = [[(step.what, step.count) for step in p.steps] for p in (self, other)]
        same = all(
            self.options[name] == other.options[name]
            for name in self.options.keys() & other.options.keys()
        )
        return asked[0] == asked[1] and since[0] == since[1] and same

    def to_json(self) -> dict[str, Any]:
        """Return all fields as a dictionary that can be written as JSON and read by `from_json`."""
        return json.loads(json.dumps(asdict(self)))

    @classmethod
    def from_json(cls, header: Mapping[str, Any]) -> Provenance:
        """Return the provenance that `to_json` converted to the dictionary `header`.

        Raises:
            InvalidArgumentError: If the header was not written by protosphere. A malformed field may also raise a
                built-in exception such as TypeError.
        """
        return cls(**header)

    def then(self, *steps: Step) -> Provenance:
        """Return a copy of this provenance with `steps` appended to its own steps."""
        return replace(self, steps=(*self.steps, *steps))


@dataclass(frozen=True)
class Considered:
    """A candidate that `ps.best` compared.

    Attributes:
        scheme: Name of the scheme.
        description: Text that says what the candidate is.
        promise: Guaranteed upper bound on the maximum cosine; None if there is no guarantee.
        measured: Measured maximum cosine; None if the candidate was not built.
    """

    scheme: str
    description: str
    promise: Cosine | None
    measured: Cosine | None


@dataclass(frozen=True)
class Choice:
    """Record of why `ps.best` chose a code, or why `ps.assign` chose an order of its points.

    Attributes:
        reason: Reason for the choice, one sentence.
        considered: The candidates, with the chosen candidate first.
        interrupted: True if Ctrl-C ended the search of `ps.best` early, otherwise False.
    """

    reason: str
    considered: tuple[Considered, ...]
    interrupted: bool = False

    def table(self) -> str:
        """Return the reason, followed by a table with one line for each candidate.

        The line of a candidate has the guaranteed upper bound on its maximum cosine, its measured maximum cosine, its
        scheme and its description. In the example, the scheme is 'simplex', and the description is 'regular simplex'.

        >>> from protosphere.spherical.provenance import Choice, Considered
        >>> print(Choice("It is the only one.", (Considered("simplex", "regular simplex", -0.25, -0.25),)).table())
        It is the only one.
         guarantee   measured  scheme
          -0.25000   -0.25000  simplex: regular simplex
        """
        lines = [
            self.reason,
            *([" guarantee   measured  scheme"] if self.considered else []),
        ]
        lines += [
            f"{_cell(c.promise)} {_cell(c.measured)}  {c.scheme}: {c.description}"
            for c in self.considered
        ]
        return "\n".join(lines)


def _cell(value: Cosine | None) -> str:
    return f"{'-':>10s}" if value is None else f"{float(value):10.5f}"


def _read(kind: Any, header: Any) -> Any:
    if isinstance(header, kind):
        return header
    _require("provenance", isinstance(header, Mapping), header)
    return kind(**header)


def _are(kind: type[Any], *values: object) -> bool:
    return all(isinstance(value, kind) for value in values)


def _require(name: str, fits: bool, got: object) -> None:
    if not fits:
        raise InvalidArgumentError(
            f"'{name}' must be what protosphere writes, got {brief(got)}"
        )
