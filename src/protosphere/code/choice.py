"""Why a code was chosen: a sentence, and what else was considered."""

from dataclasses import dataclass

from protosphere.types import Cosine


@dataclass(frozen=True)
class Considered:
    """One candidate: what its theorem promised (None: nothing), and what was measured (None: it was not built)."""

    scheme: str
    recipe: str
    promise: Cosine | None
    measured: Cosine | None


@dataclass(frozen=True)
class Choice:
    """The reason in a sentence, all candidates, the chosen one first, and whether Ctrl-C cut the search short."""

    reason: str
    considered: tuple[Considered, ...]
    interrupted: bool = False

    def table(self) -> str:
        """The reason, then a line a candidate.

        >>> print(Choice("It is the only one.", (Considered("simplex", "regular simplex", -0.25, -0.25),)).table())
        It is the only one.
          promised   measured  scheme
          -0.25000   -0.25000  simplex: regular simplex
        """
        lines = [self.reason, *(["  promised   measured  scheme"] if self.considered else [])]
        lines += [f"{_cell(c.promise)} {_cell(c.measured)}  {c.scheme}: {c.recipe}" for c in self.considered]
        return "\n".join(lines)


def _cell(value: Cosine | None) -> str:
    return f"{'-':>10s}" if value is None else f"{float(value):10.5f}"
