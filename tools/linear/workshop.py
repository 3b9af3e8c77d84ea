"""A table of linear codes while it is made: each cell keeps the best code so far, and what follows from it at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from protosphere.coding.derivations import Bits, generator_matrix
from protosphere.coding.linear import codewords, pack, weights
from protosphere.tables.linear_codes import (
    CELL,
    LARGEST_DIMENSION,
    LARGEST_LENGTH,
    LinearCodeRow,
    LinearCodes,
)
from protosphere.types import Indices

LONGEST, MOST_ROWS = LARGEST_LENGTH + 8, LARGEST_DIMENSION + 7
"""Codes somewhat longer and larger than the table are kept while it is made, to be shortened and punctured."""


@dataclass(frozen=True)
class Found:
    """An [n, k, d] code: the steps after the codes it begins with."""

    n: int
    k: int
    d: int
    steps: str
    begin: tuple[Found, ...] = ()

    @property
    def derivation(self) -> str:
        """Written out."""
        return ", ".join([*(code.derivation for code in self.begin), self.steps])

    @property
    def bits(self) -> Bits:
        """Its generator."""
        return generator_matrix(self.derivation)

    def then(self, n: int, k: int, d: int, steps: str) -> Found:
        """What follows from it alone."""
        return Found(n, k, d, steps, (self,))


def word_weights(bits: Bits) -> Indices:
    """The weight of every word, by its message."""
    return weights(codewords(pack(bits), 1 << len(bits)))


def distance(bits: Bits) -> int:
    """The least weight."""
    return int(word_weights(bits)[1:].min())


@dataclass
class Workshop:
    """The best codes so far, by length and dimension."""

    best: dict[tuple[int, int], Found] = field(
        default_factory=dict[tuple[int, int], Found]
    )

    def d(self, n: int, k: int) -> int:
        """The largest distance so far; 0 where there is no code."""
        found = self.best.get((n, k))
        return found.d if found else 0

    def add(self, code: Found) -> bool:
        """Keep a code with everything that follows from it step by step; whether it was better than what was there."""
        new = [code]
        kept = 0
        while new:
            one = new.pop()
            if (
                1 <= one.k <= min(one.n, MOST_ROWS)
                and one.n <= LONGEST
                and one.d > self.d(one.n, one.k)
            ):
                self.best[one.n, one.k] = one
                new += _neighbors(one)
                kept += 1
        return kept > 0

    def combine(self) -> None:
        """Add what follows from two codes: side by side, and (u | u + v), until nothing is better."""
        while sum(self.add(code) for code in [*self._joined(), *self._doubled()]):
            pass

    def _joined(self) -> Iterator[Found]:
        for k in range(1, MOST_ROWS + 1):
            column = np.array([self.d(n, k) for n in range(LONGEST + 1)])
            for n in range(2, LONGEST + 1):
                sums = np.where(
                    (column[1:n] > 0) & (column[n - 1 : 0 : -1] > 0),
                    column[1:n] + column[n - 1 : 0 : -1],
                    0,
                )
                first = int(sums.argmax()) + 1
                if sums[first - 1] > self.d(n, k):
                    yield Found(
                        n,
                        k,
                        int(sums[first - 1]),
                        "join",
                        (self.best[first, k], self.best[n - first, k]),
                    )

    def _doubled(self) -> Iterator[Found]:
        for (n, k), u in list(self.best.items()):
            for more in range(1, min(n, MOST_ROWS - k) + 1):
                v = self.best.get((n, more))
                if (
                    v
                    and 2 * n <= LONGEST
                    and min(2 * u.d, v.d) > self.d(2 * n, k + more)
                ):
                    yield Found(2 * n, k + more, min(2 * u.d, v.d), "double", (u, v))

    def behind(self, targets: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
        """The cells below their targets."""
        cells = [
            (n, k)
            for k in range(1, LARGEST_DIMENSION + 1)
            for n in range(k, LARGEST_LENGTH + 1)
        ]
        return [cell for cell in cells if self.d(*cell) < targets.get(cell, 0)]

    def rows(self) -> list[LinearCodeRow]:
        """The table, each code below those of its cells that it begins with."""
        done: dict[tuple[int, int], LinearCodeRow] = {}

        def write(code: Found) -> str:
            if (
                self.best.get((code.n, code.k)) is code
                and code.n <= LARGEST_LENGTH
                and code.k <= LARGEST_DIMENSION
            ):
                if (code.n, code.k) not in done:
                    steps = ", ".join([*(write(one) for one in code.begin), code.steps])
                    done[code.n, code.k] = LinearCodeRow(code.n, code.k, code.d, steps)
                return f"{CELL} {code.n} {code.k}"
            return ", ".join([*(write(one) for one in code.begin), code.steps])

        for cell in sorted(self.best):
            if cell[0] <= LARGEST_LENGTH and cell[1] <= LARGEST_DIMENSION:
                write(self.best[cell])
        return list(done.values())


def _neighbors(code: Found) -> Iterator[Found]:
    """What follows from a code by one step."""
    n = code.n
    k = code.k
    d = code.d
    yield (
        code.then(n + 1, k, d + 1, "extend")
        if d % 2
        else code.then(n + 1, k, d, "repeat 1")
    )
    if d > 1:
        yield _again(code, "puncture", n - 1, k, d - 1)
    if k > 1:
        yield _again(code, "shorten", n - 1, k - 1, d)
        yield code.then(n, k - 1, d, f"first_rows {k - 1}")


def _again(code: Found, name: str, n: int, k: int, d: int) -> Found:
    """The step once more: counted where it was the last."""
    before, _, count = code.steps.rpartition(" ")
    if before == name and code.begin:
        return Found(n, k, d, f"{name} {int(count) + 1}", code.begin)
    return code.then(n, k, d, f"{name} 1")


def trivial_codes() -> Iterator[Found]:
    """Repetition, all words, and all words of even weight."""
    for n in range(1, LONGEST + 1):
        yield Found(n, 1, n, f"orbits 3 {'.'.join(['1'] * n)}")
        if n <= MOST_ROWS:
            units = [f"{1 << i:x}" for i in range(n)]
            yield Found(n, n, 1, f"orbits {'.'.join(['3'] * n)} {'.'.join(units)}")


def workshop_of(table: LinearCodes | None, more: Iterable[Found] = ()) -> Workshop:
    """A workshop with the codes of a table, and more."""
    made = Workshop()
    for cell, row in table.rows.items() if table else ():
        own = [step for step in row.steps if not step.startswith(CELL)]
        begin = tuple(made.best[other] for other in row.cells)
        if row.steps[len(begin) :] != own:  # a cell after a step: written out
            own = [table.derivation(*cell)]
            begin = ()
        made.best[cell] = Found(*cell, row.distance, ", ".join(own), begin)
    for code in [*trivial_codes(), *more]:
        made.add(code)
    made.combine()
    return made
