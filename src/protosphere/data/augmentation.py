"""Random crops of padded images, flips and rotations of whole batches of images that are stored as bytes.

The result is the same as if each image were transformed separately by the usual transforms: a crop, then a flip, then a
rotation about the center with nearest-pixel sampling. Pixels from outside the image are black. The transforms only move
pixels, so all three are done in one step: each pixel of the result is copied from a computed position in the original.
Random numbers are drawn on the CPU, so that every device gets the same images.

The function `moved` works on any device. The function `gather_augmented` works on the CPU only. It selects, transforms
and normalizes images in one compiled pass over their pixels. Its result is bit for bit the same as that of separate
operations, which need ten passes.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from protosphere.data.augmentation_settings import Augmentation

FRACTION_BITS = 15
"""Number of bits after the binary point of fixed-point sines and cosines.

Rotated coordinates are integers in units of 2**-16 pixels. Integer arithmetic is exact and fast, and gives the same
images on every device.
"""


@dataclass(frozen=True)
class Moves:
    """Transforms of a batch of B images.

    Each image is padded and cropped, then mirrored if its entry of `mirrored` is True, then rotated about its center.

    Attributes:
        down: First row of each of the B crops in the padded image, from 0 to 2 * pad. A crop has the size of the
            original image.
        right: First column of each of the B crops in the padded image, from 0 to 2 * pad.
        mirrored: B booleans: True if the image is mirrored left to right, otherwise False.
        degrees: B angles of counterclockwise rotations, in degrees.
        pad: Number of black pixels that are added on every side of an image.
    """

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
    """Draw independent random transforms of the images of a batch: crops, flips and rotations.

    The position of the crop and the angle are uniformly distributed. If images are flipped, each is flipped with
    probability 1/2.

    Args:
        augmentation: Width of the padding, whether images are flipped, and the largest angle.
        count: Number of images.
        generator: Generator of the random numbers, on the CPU.

    Returns:
        One transform for each image.
    """
    num_offsets = 2 * augmentation.pad + 1
    offsets = torch.randint(0, num_offsets, (2, count), generator=generator)
    flip_probability = 0.5 if augmentation.flip else 0.0
    mirrored = torch.rand(count, generator=generator) < flip_probability
    uniform = torch.rand(count, generator=generator, dtype=torch.float64)
    degrees = (2 * uniform - 1) * augmentation.rotation_degrees
    return Moves(offsets[0], offsets[1], mirrored, degrees, augmentation.pad)


def moved(images: Tensor, moves: Moves) -> Tensor:
    """Return the cropped, flipped and rotated images, with the shape and dtype of `images`.

    Args:
        images: B x C x H x W images of any dtype.
        moves: One transform (crop, flip and rotation) for each image.
    """
    count, channels, height, width = images.shape
    place, inside = _sources(moves, height, width, images.device)
    flat = images.reshape(count, channels, -1)
    places = place.view(count, 1, -1).expand(-1, channels, -1)
    pixels = flat.gather(2, places)
    return (pixels * inside.view(count, 1, -1)).view(images.shape)


def gather_augmented(
    images: Tensor, rows: Tensor, moves: Moves, levels: Tensor
) -> Tensor:
    """Select images, transform them and normalize them, in one compiled pass on the CPU.

    Args:
        images: N x C x H x W bytes.
        rows: B indices of the images to select.
        moves: One transform (crop, flip and rotation) for each of the B selected images.
        levels: C x 256 table with the normalized value of each byte in each channel.

    Returns:
        B x C x H x W normalized images in float32.
    """
    # Imported here because it loads the compiler.
    from protosphere.data.augmentation_loops import write_moved

    cosines, sines = fixed_point_turns(moves.degrees)
    starts = torch.stack([moves.down - moves.pad, moves.right - moves.pad])
    batch = torch.empty((len(rows), *images.shape[1:]), dtype=torch.float32)
    write_moved(
        images.numpy(),
        rows.numpy(),
        starts.numpy(),
        moves.mirrored.numpy(),
        cosines.long().numpy(),
        sines.long().numpy(),
        FRACTION_BITS,
        levels.numpy(),
        batch.numpy(),
    )
    return batch


def _sources(
    moves: Moves, height: int, width: int, device: torch.device
) -> tuple[Tensor, Tensor]:
    column, row = _rotated(moves.degrees, height, width, device)
    right = moves.right.to(device, torch.int32) - moves.pad
    down = moves.down.to(device, torch.int32) - moves.pad
    mirrored = moves.mirrored.to(device)
    # The column of the crop at which the original image begins; negative if it begins left of the crop.
    padding_columns = torch.where(mirrored, right, -right)
    has_column = _inside_both(column, padding_columns, width)
    has_row = _inside_both(row, -down, height)
    sign = torch.where(mirrored, -1, 1).to(torch.int32)
    first = torch.where(mirrored, width - 1 + right, right) + down * width
    signed_column = column.mul_(sign[:, None, None])
    place = row.mul_(width).add_(signed_column).add_(first[:, None, None])
    # a pixel without an original gets a valid index, too, but False in the mask
    last_pixel = height * width - 1
    return place.clamp_(0, last_pixel).long(), has_column & has_row


def _inside_both(position: Tensor, start: Tensor, size: int) -> Tensor:
    # For image b, the two ranges are [0, size) and [start[b], start[b] + size).
    low = start.clamp(min=0)[:, None, None]
    high = (start + size).clamp(max=size)[:, None, None]
    return (position >= low) & (position < high)


def _rotated(
    degrees: Tensor, height: int, width: int, device: torch.device
) -> tuple[Tensor, Tensor]:
    cosines, sines = fixed_point_turns(degrees)
    cosine = cosines.to(device)[:, None]
    sine = sines.to(device)[:, None]
    unit = 1 << FRACTION_BITS
    shift = FRACTION_BITS + 1
    # Centers of pixels in units of half a pixel.
    x = torch.arange(1 - width, width, 2, dtype=torch.int32, device=device)
    y = torch.arange(1 - height, height, 2, dtype=torch.int32, device=device)
    column = (cosine * x + width * unit)[:, None, :] - (sine * y)[:, :, None]
    row = (sine * x + height * unit)[:, None, :] + (cosine * y)[:, :, None]
    # the column and the row may be outside the image
    return column.bitwise_right_shift_(shift), row.bitwise_right_shift_(shift)


def fixed_point_turns(degrees: Tensor) -> tuple[Tensor, Tensor]:
    """Return the cosines and the sines of angles, as int32 in units of 2^-15.

    Args:
        degrees: The angles in degrees.
    """
    angle = degrees.double() * (math.pi / 180)
    unit = 1 << FRACTION_BITS
    cosine = (angle.cos() * unit).round()
    sine = (angle.sin() * unit).round()
    return cosine.to(torch.int32), sine.to(torch.int32)
