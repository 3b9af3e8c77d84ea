"""Points of one coset of a lattice: none are closer than its shortest vector, so one closest pair settles them all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.code.structures.content import Content
from protosphere.code.structures.grid import TOLERANCE, fraction_words, read_fraction
from protosphere.code.structures.plain import Plain
from protosphere.code.structures.structure import ALL_PAIRS_POINTS, structure
from protosphere.errors import InvalidArgumentError
from protosphere.geometry.gram import gram_blocks, point_rows
from protosphere.geometry.lattice_coset import LatticeCoset
from protosphere.types import Cosine, Progress


@structure("lattice")
@dataclass(frozen=True, eq=False)
class LatticePoints(Plain):
    """Dense points whose differences are vectors of a lattice."""

    lattice: LatticeCoset = field(kw_only=True)

    def largest_cosine(self, progress: Progress) -> tuple[Cosine, str]:
        """Many points: the lattice's ceiling, if they are of one coset and some pair of them attains it."""
        if self.count > ALL_PAIRS_POINTS and self.lattice.holds(self.points):
            ceiling = self.lattice.ceiling
            for _, gram in gram_blocks(point_rows(self.points), progress):
                if np.any(np.abs(gram - float(ceiling)) < TOLERANCE):
                    return ceiling, f"a pair at the least distance; the lattice allows no less ({self.lattice.theorem})"
        return super().largest_cosine(progress)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The rows, and the basis of the lattice."""
        return {"points": self.points, "basis": self.lattice.basis}

    def words(self) -> dict[str, Any]:
        """The grid, the least squared length and the theorem that gives it."""
        least = {"least": fraction_words(self.lattice.least), "theorem": self.lattice.theorem}
        return super().words() | {"lattice": least}

    @classmethod
    def read(cls, content: Content) -> LatticePoints:
        """Unit rows and a basis of a lattice in their space."""
        plain, words = Plain.read(content), content.record("lattice")
        least = read_fraction("least", words.get("least"))
        basis = content.array("basis", (None, None), np.float64)
        if least is None or not 0 < least <= 4:
            raise InvalidArgumentError(f"'least' should be a squared length from 0 to 4, is {least}")
        lattice = LatticeCoset(basis, least, str(words.get("theorem")))
        return LatticePoints(plain.points, plain.cosine_step, lattice=lattice)
