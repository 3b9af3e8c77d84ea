"""The class `Maker`: a command, the numbers that pages show of its answer, and how far these numbers may change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from tools.numbers.defaults import Probe
from tools.numbers.run import Answer

CHEAP, SLOW, STUDY = "cheap", "slow", "study"
"""Costs of a maker. The tests run a CHEAP maker again, and only `make numbers` runs a SLOW maker.

The answer of a STUDY is computed from a table in results/. The runs in this table took hours.
"""


@dataclass(frozen=True)
class Tolerance:
    """Largest change of a number that is ignored: `absolute` plus `relative` times the previous value."""

    absolute: float = 0.0
    relative: float = 0.0

    def allows(self, before: float, after: float) -> bool:
        """Return whether the change from `before` to `after` is ignored."""
        return abs(after - before) <= self.absolute + self.relative * abs(before)


EXACT = Tolerance(absolute=1e-9, relative=1e-6)


def as_printed(answer: Answer) -> Answer:
    """Return `answer` unchanged."""
    return answer


@dataclass(frozen=True)
class Maker:
    """A command, and the numbers that pages show of its answer.

    Attributes:
        name: Name of the maker. Its record is results/numbers/NAME.json, and the full names of its numbers begin with
            NAME and a dot.
        command: The command as a reader types it. It stands on every page that shows one of the numbers.
        measure: Function that returns the answer. It runs the command with --json, or reads the table that the command
            wrote.
        shown: For the name of each number, the function that returns its text on a page, given the answer.
        cost: CHEAP, SLOW or STUDY.
        spot_check: Command that makes a part of the answer in a few seconds. The tests run this command. Only CHEAP
            makers have one.
        selected: Function that returns the part of the answer to keep.
        tolerances: For patterns such as "*.learned.*", how far the numbers may change whose path in the answer matches
            the pattern. The first pattern that matches counts. If none matches, the tolerance is `EXACT`.
        depends_on: Probes of the defaults on which the answer depends.
        tables: Files in results/ from which the answer of a STUDY is computed.
        seeds: Seeds of the runs of the command.
        timed: Whether the answer has times. Times should be measured on an idle machine.
    """

    name: str
    command: str
    measure: Callable[[], Answer]
    shown: Mapping[str, Callable[[Answer], str]]
    cost: str = CHEAP
    spot_check: str | None = None
    selected: Callable[[Answer], Answer] = as_printed
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    depends_on: tuple[Probe, ...] = ()
    tables: tuple[str, ...] = ()
    seeds: tuple[int, ...] = (0,)
    timed: bool = False

    def tolerance_of(self, path: str) -> Tolerance:
        """Return the tolerance of the number at `path` in the answer."""
        for pattern, tolerance in self.tolerances.items():
            if fnmatchcase(path, pattern):
                return tolerance
        return EXACT

    def texts(self, answer: Answer) -> dict[str, str]:
        """Return the text of every number of the maker for this answer, by the full name of the number."""
        return {
            f"{self.name}.{name}": render(answer) for name, render in self.shown.items()
        }

    def moves(self, before: Answer, after: Answer) -> list[str]:
        """Return the paths in `after` whose value differs from that in `before` by more than the tolerance.

        Paths that are only in `after` are included. Paths that are only in `before` are not compared, because a spot
        check makes only a part of the answer.
        """
        known = dict(leaves(before))
        return [
            path
            for path, value in leaves(after)
            if path not in known or self._moved(path, known[path], value)
        ]

    def _moved(self, path: str, before: Any, after: Any) -> bool:
        if is_number(before) and is_number(after):
            return not self.tolerance_of(path).allows(before, after)
        return before != after


def is_number(value: Any) -> bool:
    """Return whether `value` is an int or a float, but not a bool."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def leaves(answer: Answer, path: str = "") -> list[tuple[str, Any]]:
    """Return a pair (path, value) for every value in the nested dicts and lists of an answer.

    A path consists of the keys and indices on the way to the value, joined by dots.

    >>> leaves({"a": [1, {"b": 2}]})
    [('a.0', 1), ('a.1.b', 2)]
    """
    if isinstance(answer, dict):
        parts = list(answer.items())
    elif isinstance(answer, list):
        parts = list(enumerate(answer))
    else:
        return [(path, answer)]
    prefix = f"{path}." if path else ""
    return [leaf for key, value in parts for leaf in leaves(value, f"{prefix}{key}")]
