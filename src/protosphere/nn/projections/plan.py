"""What a projection is to be made of, before anything is made: a shard makes its share of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from protosphere.code.spherical_code import SphericalCode
from protosphere.types import Indices

CHUNK_ROWS = 1 << 14


@dataclass(frozen=True, eq=False)
class Piece:
    """Words of one sort: `build(first, last)` makes the part with the units first to last - 1, `unit` words each."""

    units: int
    unit: int
    build: Callable[[int, int], nn.Module]


@dataclass(frozen=True, eq=False)
class Plan:
    """The pieces, one after the other; class i is word position[i] of them, word i without `position`."""

    kind: str
    pieces: tuple[Piece, ...]
    position: Tensor | None = None

    def shares(self, rank: int, world: int) -> Iterator[tuple[nn.Module, int]]:
        """The parts of process `rank` of `world`, and the number of the first word of each."""
        start = 0
        for piece in self.pieces:
            first, last = piece.units * rank // world, piece.units * (rank + 1) // world
            if first < last:
                yield piece.build(first, last), start + first * piece.unit
            start += piece.units * piece.unit


def position_of(classes: Indices) -> Tensor | None:
    """From the class of each word the word of each class; None where they are the same."""
    if np.array_equal(classes, np.arange(len(classes))):
        return None
    return torch.from_numpy(np.argsort(classes))  # pyright: ignore[reportUnknownMemberType]


def matrix(code: SphericalCode, classes: Indices, dtype: torch.dtype) -> Tensor:
    """The points of these classes, in rising order, as rows; never more than a chunk of them in float64."""
    weight = torch.empty(len(classes), code.dim, dtype=dtype)
    for start in range(0, len(classes), CHUNK_ROWS):
        chunk = classes[start : start + CHUNK_ROWS]
        first, last = int(chunk[0]), int(chunk[-1]) + 1
        apart = last - first > 4 * CHUNK_ROWS
        rows = np.stack([code[int(c)] for c in chunk]) if apart else code.rows(first, last)[chunk - first]
        weight[start : start + len(chunk)] = torch.from_numpy(rows)  # pyright: ignore[reportUnknownMemberType]
    return weight
