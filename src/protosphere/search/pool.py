"""The best codes of a search so far, best first, no two of them the same."""

from dataclasses import dataclass, field

from protosphere.search.budget import Budget
from protosphere.types import Points

MOST_CODES = 12

VALUE_TOLERANCE = 1e-6
"""Relative difference of values below which two codes count as one."""

NOTICED = 1e-4
"""How much larger 1 - cosine must become, relatively, to count as better."""


@dataclass(frozen=True, eq=False)
class ScreenedCode:
    """A code after a brief descent: its largest cosine, its points, and the kind of start it came from."""

    value: float
    points: Points
    kind: str
    finished: bool = False
    polished: bool = False


@dataclass
class CodePool:
    """Codes, best first."""

    budget: Budget  # of the search, which is told of the best value
    codes: list[ScreenedCode] = field(
        default_factory=list[ScreenedCode]
    )  # those of this epoch
    earlier: list[ScreenedCode] = field(
        default_factory=list[ScreenedCode]
    )  # the best of earlier ones, put aside
    noticed: float = float("inf")  # the value that was last better by more than nothing
    noticed_at: float = 0.0  # how much was spent by then

    def __bool__(self) -> bool:
        return bool(self.codes)

    @property
    def best(self) -> ScreenedCode:
        """The first one."""
        return self.codes[0]

    @property
    def unfinished(self) -> list[ScreenedCode]:
        """Those that a higher temperature may make better."""
        return [one for one in self.codes if not one.finished]

    def admit(self, found: ScreenedCode) -> None:
        """Put a code into the pool, unless the pool has one of the same value or is full of better ones."""
        rivals = [
            other
            for other in self.codes
            if abs(other.value - found.value)
            > VALUE_TOLERANCE * abs(found.value) + 1e-9
        ]
        same = [other for other in self.codes if other not in rivals]
        winner = min(
            [*same, found], key=lambda other: (not other.polished, other.value)
        )
        self.codes = sorted([*rivals, winner], key=lambda other: other.value)[
            :MOST_CODES
        ]
        if 1 - self.best.value > (1 + NOTICED) * (1 - self.noticed):
            self.noticed = self.best.value
            self.noticed_at = self.budget.spent
        self.budget.best = min(self.budget.best, found.value)

    def replace(self, old: ScreenedCode, new: ScreenedCode) -> None:
        """Put what became of a code in its place."""
        self.codes = [other for other in self.codes if other is not old]
        self.admit(new)

    def recall(self) -> None:
        """Put the codes of earlier epochs into the pool again."""
        for code in self.earlier:
            self.admit(code)
