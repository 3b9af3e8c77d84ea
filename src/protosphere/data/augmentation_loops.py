"""A compiled loop that transforms and normalizes images in one pass over their pixels."""

from __future__ import annotations

import numpy as np

from protosphere.compiled.decorators import compiled_exactly
from protosphere.types import Indices

Bytes = np.typing.NDArray[np.uint8]
Flags = np.typing.NDArray[np.bool_]
Levels = np.typing.NDArray[np.float32]


@compiled_exactly
def write_moved(
    images: Bytes,
    rows: Indices,
    starts: Indices,
    mirrored: Flags,
    cosines: Indices,
    sines: Indices,
    fraction_bits: int,
    levels: Levels,
    batch: Levels,
) -> None:
    """Crop, mirror, rotate and normalize the images with the indices `rows`, and write them into `batch`.

    An image is cropped, then mirrored, then rotated about its center. Pixels that come from outside the original image
    are black, with the byte 0. Each byte v of channel c is then replaced by levels[c, v].

    Args:
        images: N x C x H x W bytes.
        rows: Indices in `images` of the B images to transform.
        starts: 2 x B array. Image b of the batch is cropped to the H x W pixels that begin at row starts[0, b] and
            column starts[1, b] of the original image. A number is negative if the crop begins in the padding before the
            image.
        mirrored: B booleans: True if the image is mirrored left to right, otherwise False.
        cosines: For each of the B images, the cosine of the angle of its rotation, times 2**fraction_bits.
        sines: For each of the B images, the sine of the angle of its rotation, times 2**fraction_bits.
        fraction_bits: Number of bits after the binary point of `cosines` and `sines`.
        levels: C x 256 table with the normalized value of each byte in each of the C channels.
        batch: B x C x H x W array, which is overwritten with the result.
    """
    count, channels, height, width = batch.shape
    places = np.empty(width, np.int64)
    for b in range(count):
        image = images[rows[b]].reshape(channels, -1)
        first = starts[1, b]
        sign = 1
        if mirrored[b]:
            first = first + width - 1
            sign = -1
        for i in range(height):
            turn = (cosines[b], sines[b], fraction_bits)
            _find_row(i, height, width, turn, starts[0, b], first, sign, places)
            for c in range(channels):
                for j in range(width):
                    place = places[j]
                    batch[b, c, i, j] = levels[c, image[c, place] if place >= 0 else 0]


@compiled_exactly
def _find_row(
    i: int,
    height: int,
    width: int,
    turn: tuple[int, int, int],
    down: int,
    first: int,
    sign: int,
    places: Indices,
) -> None:
    # row r of the crop is row r + `down` of the original, and column c of the crop is its column `first` + `sign` * c
    cosine, sine, fraction_bits = turn
    unit = 1 << fraction_bits
    shift = fraction_bits + 1
    y = 2 * i + 1 - height
    across = width * unit - sine * y
    along = height * unit + cosine * y
    for j in range(width):
        x = 2 * j + 1 - width
        column = (across + cosine * x) >> shift
        row = (along + sine * x) >> shift
        from_column = first + sign * column
        from_row = row + down
        cropped = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        within = (
            (from_column >= 0)
            & (from_column < width)
            & (from_row >= 0)
            & (from_row < height)
        )
        # the index of the original of pixel j in the flattened image, or -1 if the pixel is black
        places[j] = from_row * width + from_column if cropped & within else -1
