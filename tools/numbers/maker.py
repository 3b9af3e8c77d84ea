"""What a maker is: a command, what pages show of its answer, and how far the answer may move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from tools.numbers.defaults import Probe
from tools.numbers.run import Answer

CHEAP, SLOW, STUDY = "cheap", "slow", "study"
"""Run again by the tests; by `make numbers` only; computed from a table in results/ whose runs took hours."""


@dataclass(frozen=True)
class Tolerance:
    """How far a number may move before it counts as moved: `absolute` plus `relative` of what it was."""

    absolute: float = 0.0
    relative: float = 0.0

    def allows(self, before: float, after: float) -> bool:
        """Return whether `after` is near enough to `before`."""
        return abs(after - before) <= self.absolute + self.relative * abs(before)


EXACT = Tolerance(absolute=1e-9, relative=1e-6)


def as_printed(answer: Answer) -> Answer:
    """Return the whole answer."""
    return answer


@dataclass(frozen=True)
class Maker:
    """A command and the numbers that pages show of its answer.

    Attributes:
        name: Its file is results/numbers/NAME.json, and its numbers are called NAME.SOMETHING.
        command: What a reader types; it stands on every page that shows one of the numbers.
        measure: Returns the answer: runs the command with --json, or reads the table that the command wrote.
        shown: By name, the text that pages show of an answer.
        cost: CHEAP, SLOW or STUDY.
        spot_check: A command that makes a part of the answer in a few seconds, for the tests; only of CHEAP makers.
        selected: Returns what is kept of what the command printed.
        tolerances: By pattern of the path in the answer ("*.learned.*"), how far numbers may move; the first that
            matches counts, and `EXACT` where none does.
        depends_on: Defaults of the package that the answer depends on.
        tables: Files in results/ that a STUDY is computed from.
        seeds: Seeds of the command's runs.
        timed: Whether the answer has times, which are worth something only on an idle machine.
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
        """Return how far the number at `path` of the answer may move."""
        for pattern, tolerance in self.tolerances.items():
            if fnmatchcase(path, pattern):
                return tolerance
        return EXACT

    def texts(self, answer: Answer) -> dict[str, str]:
        """Return by its full name the text of every number of `answer`."""
        return {
            f"{self.name}.{name}": render(answer) for name, render in self.shown.items()
        }

    def moves(self, before: Answer, after: Answer) -> list[str]:
        """Return the paths of `after` whose value is not that of `before`, within the tolerance.

        Parts of `before` that `after` does not have are not compared: a spot check makes a part.
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
    """Return whether `value` is an int or a float, and no bool."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def leaves(answer: Answer, path: str = "") -> list[tuple[str, Any]]:
    """Return every value of an answer with its path.

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
