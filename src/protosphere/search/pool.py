"""The pool of the best codes of a search, in ascending order of the maximum cosine, without duplicates."""

from dataclasses import dataclass, field

from protosphere.search.budget import Budget
from protosphere.types import Points

MAX_POOL_CODES = 12

SAME_VALUE = 1e-6
"""Relative difference of maximum cosines below which two codes count as equal."""

NOTICEABLE_GAIN = 1e-4
"""Relative increase of 1 - cosine above which a new best code counts as an improvement."""


@dataclass(frozen=True, eq=False)
class ScreenedCode:
    """A code after a short descent.

    Attributes:
        value: Its maximum cosine.
        points: Its (K, n) points.
        initialization: The initialization from which it came.
        finished: Whether it was annealed to the highest inverse temperature.
        polished: Whether Newton's method was applied to it.
    """

    value: float
    points: Points
    initialization: str
    finished: bool = False
    polished: bool = False


@dataclass
class CodePool:
    """The best codes found so far.

    Attributes:
        budget: The budget of the search. The pool reports the best value to it.
        codes: Codes of the current epoch, best first.
        earlier: The best code of each earlier epoch.
        improved_value: The best value after the last noticeable improvement.
        improved_at: The evaluations spent at that improvement.
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
        """The code with the lowest maximum cosine."""
        return self.codes[0]

    @property
    def unfinished(self) -> list[ScreenedCode]:
        """Codes that were not annealed to the highest inverse temperature and may still improve."""
        return [code for code in self.codes if not code.finished]

    def admit(self, found: ScreenedCode) -> None:
        """Add a code, unless the pool has an equally good code or is full of better codes."""
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
        """Record when the best code last improved noticeably."""
        distance = 1 - self.best.value
        noticeable = (1 + NOTICEABLE_GAIN) * (1 - self.improved_value)
        if distance > noticeable:
            self.improved_value = self.best.value
            self.improved_at = self.budget.spent

    def replace(self, old: ScreenedCode, new: ScreenedCode) -> None:
        """Replace a code of the pool.

        Args:
            old: The code to remove.
            new: The code to admit.
        """
        self.codes = [code for code in self.codes if code is not old]
        self.admit(new)

    def recall(self) -> None:
        """Add the best codes of earlier epochs to the pool again."""
        for code in self.earlier:
            self.admit(code)
