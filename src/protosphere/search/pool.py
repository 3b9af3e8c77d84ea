"""The pool of a search: its best codes, in ascending order of the maximum cosine, without duplicates.

A search may consist of several epochs. Each epoch begins with an empty list of codes. A code is finished if descents
have minimized a function that is very close to the maximum cosine, the smooth maximum cosine with the highest inverse
temperature. A code of K points that the caller gave counts as finished, too.
"""

from dataclasses import dataclass, field

from protosphere.search.budget import Budget
from protosphere.types import Points

MAX_POOL_CODES = 12

SAME_VALUE = 1e-6
"""Two codes count as equal if their maximum cosines differ by at most this fraction of the maximum cosine."""

NOTICEABLE_GAIN = 1e-4
"""An improvement is noticeable if 1 - maximum cosine of the best code grows by more than this fraction."""


@dataclass(frozen=True, eq=False)
class ScreenedCode:
    """A code of K points in R^n that a search has found or that the caller gave.

    Attributes:
        value: The maximum cosine of the code.
        points: The (K, n) points of the code.
        initialization: Text that says where the code comes from, such as "random" for random initial points or "given"
            for a code that the caller gave.
        finished: True if the caller gave the code, if descents have minimized the smooth maximum cosine with the
            highest inverse temperature of the search, or if Newton's method was applied. Otherwise False.
        polished: True if Newton's method was applied to the code, otherwise False.
    """

    value: float
    points: Points
    initialization: str
    finished: bool = False
    polished: bool = False


@dataclass
class CodePool:
    """The best codes that a search has found so far: those with the lowest maximum cosines.

    A search may consist of several epochs. Each epoch begins with an empty list of codes. Let c be the lowest maximum
    cosine of the current epoch. An improvement is noticeable if 1 - c becomes more than 0.01% larger than it was after
    the previous noticeable improvement.

    Attributes:
        budget: The budget of the search. The pool writes the lowest maximum cosine found so far into it, for progress
            messages.
        codes: The best codes of the current epoch, at most 12, in ascending order of the maximum cosine.
        earlier: The best code of each earlier epoch.
        improved_value: The lowest maximum cosine after the last noticeable improvement, or infinity before the first.
        improved_at: The count of evaluations that the search had made at the last noticeable improvement, or 0 before
            the first.
    """

    budget: Budget
    codes: list[ScreenedCode] = field(default_factory=list[ScreenedCode])
    earlier: list[ScreenedCode] = field(default_factory=list[ScreenedCode])
    improved_value: float = float("inf")
    improved_at: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.codes)

    @property
    def best(self) -> ScreenedCode:
        """The code of the current epoch with the lowest maximum cosine."""
        return self.codes[0]

    @property
    def unfinished(self) -> list[ScreenedCode]:
        """The codes of the current epoch whose attribute `finished` is False.

        They are in ascending order of the maximum cosine.
        """
        return [code for code in self.codes if not code.finished]

    def admit(self, found: ScreenedCode) -> None:
        """Add a code, and keep only the 12 codes with the lowest maximum cosines.

        Two codes count as equal if their maximum cosines differ by a relative 1e-6 or less. Of the new code and all
        codes of the pool that are equal to it, only one is kept. If some of them were refined by Newton's method, it is
        the one of these with the lowest maximum cosine. Otherwise, it is the one of them with the lowest maximum
        cosine.

        Args:
            found: The code to add.
        """
        tolerance = SAME_VALUE * abs(found.value) + 1e-9
        same: list[ScreenedCode] = []
        different: list[ScreenedCode] = []
        for code in self.codes:
            is_same = abs(code.value - found.value) <= tolerance
            (same if is_same else different).append(code)
        same.append(found)
        winner = min(same, key=lambda code: (not code.polished, code.value))
        ranked = sorted([*different, winner], key=lambda code: code.value)
        self.codes = ranked[:MAX_POOL_CODES]
        self._note_improvement()
        self.budget.best = min(self.budget.best, found.value)

    def _note_improvement(self) -> None:
        distance = 1 - self.best.value
        noticeable = (1 + NOTICEABLE_GAIN) * (1 - self.improved_value)
        if distance > noticeable:
            self.improved_value = self.best.value
            self.improved_at = self.budget.spent

    def replace(self, old: ScreenedCode, new: ScreenedCode) -> None:
        """Remove a code from the pool, and then add another code by the method `admit`.

        Args:
            old: The code to remove.
            new: The code to add.
        """
        self.codes = [code for code in self.codes if code is not old]
        self.admit(new)

    def recall(self) -> None:
        """Add the best code of each earlier epoch to the codes of the current epoch.

        Of all these codes, at most 12 are kept: those with the lowest maximum cosines.
        """
        for code in self.earlier:
            self.admit(code)
