"""A table of linear codes that is being made: the best code so far for each length and dimension."""

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

LONGEST = LARGEST_LENGTH + 8
"""Largest length of a code that is kept while the table is made, to be shortened or punctured."""

MOST_ROWS = LARGEST_DIMENSION + 7
"""Largest dimension of such a code."""


@dataclass(frozen=True)
class Found:
    """A linear code, given by the steps that derive it.

    Attributes:
        n: Length.
        k: Dimension.
        d: Minimum distance.
        steps: Steps of the derivation that follow those of the codes in `begin`.
        begin: Codes from which the steps make this code.
    """

    n: int
    k: int
    d: int
    steps: str
    begin: tuple[Found, ...] = ()

    @property
    def derivation(self) -> str:
        """All steps of the derivation, beginning with the derivations of the codes in `begin`."""
        before = [code.derivation for code in self.begin]
        return ", ".join([*before, self.steps])

    @property
    def bits(self) -> Bits:
        """Generator matrix of the code. Its k rows are a basis of the code."""
        return generator_matrix(self.derivation)

    def then(self, n: int, k: int, d: int, steps: str) -> Found:
        """Return the code of length n, dimension k and minimum distance d that the steps make from this code."""
        return Found(n, k, d, steps, (self,))


def word_weights(bits: Bits) -> Indices:
    """Return the weights of all codewords of a generator matrix.

    Entry i belongs to the codeword that is the sum of the rows selected by the bits of i.
    """
    return weights(codewords(pack(bits), 1 << len(bits)))


def distance(bits: Bits) -> int:
    """Return the minimum distance of the code of a generator matrix."""
    return int(word_weights(bits)[1:].min())


@dataclass
class Workshop:
    """The best linear codes so far, by length n and dimension k."""

    best: dict[tuple[int, int], Found] = field(
        default_factory=dict[tuple[int, int], Found]
    )

    def d(self, n: int, k: int) -> int:
        """Return the largest minimum distance so far for length n and dimension k; 0 if there is no code."""
        found = self.best.get((n, k))
        return found.d if found else 0

    def add(self, code: Found) -> bool:
        """Add a code if it is better than the best so far; then add derived codes that are better, and so on.

        The result says whether the code was better.
        """
        pending = [code]
        is_better = False
        while pending:
            candidate = pending.pop()
            if self._improves(candidate):
                self.best[candidate.n, candidate.k] = candidate
                pending += _neighbors(candidate)
                is_better = True
        return is_better

    def _improves(self, code: Found) -> bool:
        """Return whether the code is within the limits of the table and better than the best code so far."""
        if not 1 <= code.k <= min(code.n, MOST_ROWS):
            return False
        return code.n <= LONGEST and code.d > self.d(code.n, code.k)

    def combine(self) -> None:
        """Add codes made from two codes, until there are no more improvements.

        The new codes have two codes of the same dimension side by side, or have the form (u | u + v) (see `_doubled`).
        """
        is_better = True
        while is_better:
            candidates = [*self._joined(), *self._doubled()]
            added = [self.add(code) for code in candidates]
            is_better = any(added)

    def _joined(self) -> Iterator[Found]:
        """Yield codes made of two codes of the same dimension side by side, if they are better than the best so far."""
        for k in range(1, MOST_ROWS + 1):
            distances = np.array([self.d(n, k) for n in range(LONGEST + 1)])
            for n in range(2, LONGEST + 1):
                left = distances[1:n]
                right = distances[n - 1 : 0 : -1]
                sums = np.where((left > 0) & (right > 0), left + right, 0)
                best = int(sums.argmax())
                if sums[best] > self.d(n, k):
                    first = best + 1
                    begin = (self.best[first, k], self.best[n - first, k])
                    yield Found(n, k, int(sums[best]), "join", begin)

    def _doubled(self) -> Iterator[Found]:
        """Yield codes with codewords (u | u + v), for u and v in two codes of the same length.

        Only codes that are better than the best so far are yielded.
        """
        for (n, k), u in list(self.best.items()):
            if 2 * n > LONGEST:
                continue
            for more in range(1, min(n, MOST_ROWS - k) + 1):
                v = self.best.get((n, more))
                if v is None:
                    continue
                distance = min(2 * u.d, v.d)
                if distance > self.d(2 * n, k + more):
                    yield Found(2 * n, k + more, distance, "double", (u, v))

    def behind(self, targets: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
        """Return the pairs (n, k) for which the best minimum distance so far is below the target."""
        found: list[tuple[int, int]] = []
        for k in range(1, LARGEST_DIMENSION + 1):
            for n in range(k, LARGEST_LENGTH + 1):
                if self.d(n, k) < targets.get((n, k), 0):
                    found.append((n, k))
        return found

    def rows(self) -> list[LinearCodeRow]:
        """Return the rows of the table. The row of a code comes after the rows of the codes from which it is made."""
        done: dict[tuple[int, int], LinearCodeRow] = {}

        def steps_of(code: Found) -> str:
            before = [reference(one) for one in code.begin]
            return ", ".join([*before, code.steps])

        def reference(code: Found) -> str:
            is_best = self.best.get((code.n, code.k)) is code
            if not is_best or not _in_table(code.n, code.k):
                return steps_of(code)
            if (code.n, code.k) not in done:
                steps = steps_of(code)
                done[code.n, code.k] = LinearCodeRow(code.n, code.k, code.d, steps)
            return f"{CELL} {code.n} {code.k}"

        for n, k in sorted(self.best):
            if _in_table(n, k):
                reference(self.best[n, k])
        return list(done.values())


def _in_table(n: int, k: int) -> bool:
    return n <= LARGEST_LENGTH and k <= LARGEST_DIMENSION


def _neighbors(code: Found) -> Iterator[Found]:
    """Yield the codes that one step derives from a code, such as extending, puncturing or shortening."""
    n = code.n
    k = code.k
    d = code.d
    if d % 2:
        yield code.then(n + 1, k, d + 1, "extend")
    else:
        yield code.then(n + 1, k, d, "repeat 1")
    if d > 1:
        yield _again(code, "puncture", n - 1, k, d - 1)
    if k > 1:
        yield _again(code, "shorten", n - 1, k - 1, d)
        yield code.then(n, k - 1, d, f"first_rows {k - 1}")


def _again(code: Found, name: str, n: int, k: int, d: int) -> Found:
    """Return the code after one more step of the kind `name`.

    If the last step was of the same kind, its count is raised instead: "puncture 1" becomes "puncture 2".
    """
    before, _, count = code.steps.rpartition(" ")
    if before == name and code.begin:
        return Found(n, k, d, f"{name} {int(count) + 1}", code.begin)
    return code.then(n, k, d, f"{name} 1")


def trivial_codes() -> Iterator[Found]:
    """Yield the repetition code of each length, and the codes of all binary words of short lengths."""
    for n in range(1, LONGEST + 1):
        ones = ".".join(["1"] * n)
        yield Found(n, 1, n, f"orbits 3 {ones}")
        if n <= MOST_ROWS:
            moduli = ".".join(["3"] * n)
            units = ".".join(f"{1 << i:x}" for i in range(n))
            yield Found(n, n, 1, f"orbits {moduli} {units}")


def workshop_of(table: LinearCodes | None, more: Iterable[Found] = ()) -> Workshop:
    """Return a workshop with the codes of a table, the codes in `more`, trivial codes, and derived codes."""
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
