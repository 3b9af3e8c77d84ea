"""The paper's three augmentations on whole batches of bytes: crops of the padded image, flips, rotations.

Each image gets what the usual transforms would give it one at a time (crop, then flip, then rotation to the nearest
pixel about the centre, black where nothing is). All three only move pixels, so together they are one lookup: the place
in the original that each pixel of the result comes from. Random numbers are drawn on the CPU, so that every device
sees the same images. There, `chosen_moved_normalised` gives in one compiled pass over their pixels the same numbers, to
the bit, as choosing images, moving and normalising them, which pass over them ten times.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from protosphere.data.augmentation_settings import Augmentation

FRACTION_BITS = 15
"""Rotated coordinates are integers in units of 2**-16 pixels: exact, the same on every device, and fast."""


@dataclass(frozen=True)
class Moves:
    """Of each image: where its crop begins, 0 ... 2 pad; whether it is mirrored; its degrees counter-clockwise."""

    down: Tensor
    right: Tensor
    mirrored: Tensor
    degrees: Tensor
    pad: int

    def __getitem__(self, part: slice) -> "Moves":
        return Moves(
            self.down[part],
            self.right[part],
            self.mirrored[part],
            self.degrees[part],
            self.pad,
        )


def random_moves(
    augmentation: Augmentation, count: int, generator: torch.Generator
) -> Moves:
    """Moves for `count` images, independent and uniform."""
    offsets = torch.randint(
        0, 2 * augmentation.pad + 1, (2, count), generator=generator
    )
    mirrored = torch.rand(count, generator=generator) < (
        0.5 if augmentation.flip else 0.0
    )
    degrees = (
        2 * torch.rand(count, generator=generator, dtype=torch.float64) - 1
    ) * augmentation.rotation_degrees
    return Moves(offsets[0], offsets[1], mirrored, degrees, augmentation.pad)


def moved(images: Tensor, moves: Moves) -> Tensor:
    """A batch of images (B x C x H x W, any type) after its moves."""
    count, channels, height, width = images.shape
    place, inside = _sources(moves, height, width, images.device)
    flat = images.reshape(count, channels, -1)
    pixels = flat.gather(2, place.view(count, 1, -1).expand(-1, channels, -1))
    return (pixels * inside.view(count, 1, -1)).view(images.shape)


def chosen_moved_normalised(
    images: Tensor, rows: Tensor, moves: Moves, levels: Tensor
) -> Tensor:
    """Of images (N x C x H x W, bytes) those in `rows` after their moves, each byte as `levels` (C x 256) say of it."""
    from protosphere.data.augmentation_loops import (
        write_moved,
    )  # which loads the compiler

    cosines, sines = (turn.long().numpy() for turn in fixed_point_turns(moves.degrees))
    starts = torch.stack([moves.down - moves.pad, moves.right - moves.pad]).numpy()
    batch = torch.empty((len(rows), *images.shape[1:]), dtype=torch.float32)
    told = (starts, moves.mirrored.numpy(), cosines, sines, FRACTION_BITS)
    write_moved(images.numpy(), rows.numpy(), *told, levels.numpy(), batch.numpy())
    return batch


def _sources(
    moves: Moves, height: int, width: int, device: torch.device
) -> tuple[Tensor, Tensor]:
    """For every pixel of every result: its place in the flat original, and whether there is one."""
    column, row = _rotated(moves.degrees, height, width, device)
    right = moves.right.to(device, torch.int32) - moves.pad
    down = moves.down.to(device, torch.int32) - moves.pad
    mirrored = moves.mirrored.to(device)
    left_out = torch.where(
        mirrored, right, -right
    )  # the columns of the crop that are padding, counted from its start
    seen = _between(column, left_out, width) & _between(row, -down, height)
    sign = torch.where(mirrored, -1, 1).to(torch.int32)
    first = torch.where(mirrored, width - 1 + right, right) + down * width
    place = (
        row.mul_(width)
        .add_(column.mul_(sign[:, None, None]))
        .add_(first[:, None, None])
    )
    return place.clamp_(0, height * width - 1).long(), seen


def _between(position: Tensor, start: Tensor, size: int) -> Tensor:
    """Whether the position is inside the crop, [0, size), and inside the original, [start, start + size)."""
    low = start.clamp(min=0)[:, None, None]
    high = (start + size).clamp(max=size)[:, None, None]
    return (position >= low) & (position < high)


def _rotated(
    degrees: Tensor, height: int, width: int, device: torch.device
) -> tuple[Tensor, Tensor]:
    """Column and row (B x H x W, int32) of the pixel that each pixel of the rotated image comes from."""
    cosine, sine = (turn.to(device)[:, None] for turn in fixed_point_turns(degrees))
    unit = 1 << FRACTION_BITS
    x = torch.arange(
        1 - width, width, 2, dtype=torch.int32, device=device
    )  # centres of pixels, in halves
    y = torch.arange(1 - height, height, 2, dtype=torch.int32, device=device)
    column = (cosine * x + width * unit)[:, None, :] - (sine * y)[:, :, None]
    row = (sine * x + height * unit)[:, None, :] + (cosine * y)[:, :, None]
    return column.bitwise_right_shift_(FRACTION_BITS + 1), row.bitwise_right_shift_(
        FRACTION_BITS + 1
    )


def fixed_point_turns(degrees: Tensor) -> tuple[Tensor, Tensor]:
    """Cosine and sine of each angle (int32), in units of 2**-15."""
    angle = degrees.double() * (math.pi / 180)
    cosine, sine = (
        (turn * (1 << FRACTION_BITS)).round().to(torch.int32)
        for turn in (angle.cos(), angle.sin())
    )
    return cosine, sine
