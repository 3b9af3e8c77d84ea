"""Choosing, moving and normalising images on a processor in one pass over their pixels, compiled.

The same numbers, to the bit, as `augmentation.moved` and a normalisation after it, which pass over them ten times.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from protosphere.compiled import compiled_exactly
from protosphere.data.augmentation import FRACTION_BITS, Moves, fixed_point_turns
from protosphere.types import Indices

Bytes = np.typing.NDArray[np.uint8]
Flags = np.typing.NDArray[np.bool_]
Levels = np.typing.NDArray[np.float32]


def chosen_moved_normalised(images: Tensor, rows: Tensor, moves: Moves, levels: Tensor) -> Tensor:
    """Of images (N x C x H x W, bytes) those in `rows` after their moves, every byte replaced by its channel's level.

    Args:
        images: all of them, on the processor.
        rows: which, one for each move.
        moves: what happens to each.
        levels: C x 256, what the bytes of each channel become.
    """
    cosines, sines = (turn.long().numpy() for turn in fixed_point_turns(moves.degrees))
    starts = torch.stack([moves.down - moves.pad, moves.right - moves.pad]).numpy()
    batch = torch.empty((len(rows), *images.shape[1:]), dtype=torch.float32)
    _write(images.numpy(), rows.numpy(), starts, moves.mirrored.numpy(), cosines, sines, levels.numpy(), batch.numpy())
    return batch


@compiled_exactly
def _write(
    images: Bytes,
    rows: Indices,
    starts: Indices,
    mirrored: Flags,
    cosines: Indices,
    sines: Indices,
    levels: Levels,
    batch: Levels,
) -> None:
    count, channels, height, width = batch.shape
    places = np.empty(width, np.int64)
    for b in range(count):
        image, first, sign = images[rows[b]].reshape(channels, -1), starts[1, b], 1
        if mirrored[b]:
            first, sign = first + width - 1, -1
        for i in range(height):
            _find_row(i, height, width, cosines[b], sines[b], starts[0, b], first, sign, places)
            for c in range(channels):
                for j in range(width):
                    place = places[j]
                    batch[b, c, i, j] = levels[c, image[c, place] if place >= 0 else 0]


@compiled_exactly
def _find_row(
    i: int, height: int, width: int, cosine: int, sine: int, down: int, first: int, sign: int, places: Indices
) -> None:
    """Where the pixels of row i of the result lie in the flat original; -1 for nowhere."""
    unit, shift, y = 1 << FRACTION_BITS, FRACTION_BITS + 1, 2 * i + 1 - height
    across, along = width * unit - sine * y, height * unit + cosine * y
    for j in range(width):
        x = 2 * j + 1 - width
        column, row = (across + cosine * x) >> shift, (along + sine * x) >> shift
        from_column, from_row = first + sign * column, row + down
        cropped = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        within = (from_column >= 0) & (from_column < width) & (from_row >= 0) & (from_row < height)
        places[j] = from_row * width + from_column if cropped & within else -1
