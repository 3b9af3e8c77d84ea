"""Provenance: what was requested and chosen, so that the same points can be rebuilt by any later version."""

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
    """An operation on all points, named by `what`.

    'first' keeps the first `count` points, and 'zeros' appends `count` zero coordinates. Any other name, such as
    'subset' or 'nested from 10', means a selection: class i becomes the earlier point numbers[i].
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
    """The request for a code, the choices made where it left something open, and the steps applied since.

    `constructions.build.rebuild` makes the same points from it, independently of rankings that later versions may
    change. Points found by a search cannot be rebuilt, so such codes store them.

    Attributes:
        construction, num_classes, dim, options, seed, mapping: The request, as in `ps.construct`.
        version: Version of the package that built the code.
        chosen: Parameters that the request left open and the construction chose: a member of a family, a field, a glue
            vector.
        resolved: If the scheme chooses among others, the provenance of the chosen one; `chosen` is then empty.
        steps: Steps applied to the points afterwards, in order.

    Example:
        >>> Provenance("simplex", 10, 9, {}, 0, "fixed", "1.0").scheme
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
        """Name of the construction that placed the points, preceded by the one that chose it, if any.

        >>> simplex = Provenance("simplex", 10, 9, {}, 0, "fixed", "1.0")
        >>> Provenance("best", 10, 9, {}, 0, "fixed", "1.0", resolved=simplex).scheme
        'best: simplex'
        """
        if self.resolved is None:
            return self.construction
        return f"{self.construction}: {self.resolved.scheme}"

    @property
    def placed_by(self) -> Provenance:
        """Provenance of the construction that placed the points, after all choices."""
        return self if self.resolved is None else self.resolved.placed_by

    def agrees(self, other: Provenance) -> bool:
        """Return whether both have the same request and the same steps.

        Versions and choices may differ, and so may options that only one of them has.
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
        """Return all fields as JSON, for `from_json`."""
        return json.loads(json.dumps(asdict(self)))

    @classmethod
    def from_json(cls, header: Mapping[str, Any]) -> Provenance:
        """Read the output of `to_json`.

        Raises:
            InvalidArgumentError: If a field is not one that protosphere writes.
        """
        return cls(**header)

    def then(self, *steps: Step) -> Provenance:
        """Return the provenance with further steps."""
        return replace(self, steps=(*self.steps, *steps))


@dataclass(frozen=True)
class Considered:
    """A candidate, with its guarantee and its measured maximum cosine.

    The guarantee `promise` is None if there is none, and `measured` is None if the candidate was not built.
    """

    scheme: str
    description: str
    promise: Cosine | None
    measured: Cosine | None


@dataclass(frozen=True)
class Choice:
    """Why a code was chosen: a sentence, all candidates (the chosen one first), and whether Ctrl-C ended the search."""

    reason: str
    considered: tuple[Considered, ...]
    interrupted: bool = False

    def table(self) -> str:
        """Return the sentence, followed by one line per candidate.

        >>> print(Choice("It is the only one.", (Considered("simplex", "regular simplex", -0.25, -0.25),)).table())
        It is the only one.
          promised   measured  scheme
          -0.25000   -0.25000  simplex: regular simplex
        """
        lines = [
            self.reason,
            *(["  promised   measured  scheme"] if self.considered else []),
        ]
        lines += [
            f"{_cell(c.promise)} {_cell(c.measured)}  {c.scheme}: {c.description}"
            for c in self.considered
        ]
        return "\n".join(lines)


def _cell(value: Cosine | None) -> str:
    return f"{'-':>10s}" if value is None else f"{float(value):10.5f}"


def _read(kind: Any, header: Any) -> Any:
    """Return `header` as an object of class `kind`; `header` may be such an object, or the JSON object of a file."""
    if isinstance(header, kind):
        return header
    _require("provenance", isinstance(header, Mapping), header)
    return kind(**header)


def _are(kind: type[Any], *values: object) -> bool:
    """Return whether all values are instances of `kind`; values from a file may have any type."""
    return all(isinstance(value, kind) for value in values)


def _require(name: str, fits: bool, got: object) -> None:
    if not fits:
        raise InvalidArgumentError(
            f"'{name}' must be what protosphere writes, got {brief(got)}"
        )
