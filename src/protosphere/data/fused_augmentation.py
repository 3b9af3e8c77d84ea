"""Choosing, moving and normalising images on a processor in one pass over their pixels, compiled.

The same numbers, to the bit, as `augmentation.moved` and a normalisation after it, which pass over them ten times.
"""

import torch
from torch import Tensor

from protosphere.data.augmentation import FRACTION_BITS, Moves, fixed_point_turns
from protosphere.data.augmentation_loops import write_moved


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
    told = (starts, moves.mirrored.numpy(), cosines, sines, FRACTION_BITS)
    write_moved(images.numpy(), rows.numpy(), *told, levels.numpy(), batch.numpy())
    return batch
