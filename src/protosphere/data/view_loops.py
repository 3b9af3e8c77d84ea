"""A compiled loop that writes views of images in one pass over their pixels.

A view is a transformed and normalized image.
"""

from __future__ import annotations

import numpy as np

from protosphere.compiled.decorators import compiled_exactly
from protosphere.types import Indices

Bytes = np.typing.NDArray[np.uint8]
Flags = np.typing.NDArray[np.bool_]
Floats = np.typing.NDArray[np.float32]
Float = float | np.float32


@compiled_exactly
def write_views(
    images: Bytes,
    rows: Indices,
    crops: Floats,
    mirrored: Flags,
    factors: Floats,
    matrices: Floats,
    levels: Floats,
    batch: Floats,
) -> None:
    """Crop, resize, mirror, recolor and normalize the images with the indices `rows`, and write them into `batch`.

    Args:
        images: N x C x H x W bytes.
        rows: Indices of the B images to use.
        crops: 4 x B array with the position of the left edge, the position of the top edge, the width and the height of
            each crop, in pixels.
        mirrored: B booleans: True if the view is mirrored left to right, otherwise False.
        factors: 2 x B array with two factors for each view. All pixels are multiplied by the first factor, the
            brightness. Then their differences from the mean brightness of the view are multiplied by the second factor,
            the contrast.
        matrices: B x 3 x 3 color matrices. If there are three channels, the color of each pixel, a vector of three
            numbers, is multiplied by the matrix of the view. Otherwise, the matrices are not used.
        levels: C x 256 table with the normalized value of each byte in each channel. The normalized value must be an
            affine function of the byte.
        batch: B x C x H x W array, which is overwritten with the views.
    """
    channels = batch.shape[1]
    zero = levels[:, 0].copy()
    step = ((levels[:, 255] - levels[:, 0]) / np.float32(255)).astype(np.float32)
    for b in range(len(rows)):
        view = batch[b]
        _resize(images[rows[b]], crops[:, b], mirrored[b], factors[0, b], view)
        _change_contrast(view, factors[1, b])
        if channels == 3:
            _recolor(view, matrices[b])
        for c in range(channels):
            for i in range(view.shape[1]):
                for j in range(view.shape[2]):
                    view[c, i, j] = zero[c] + step[c] * view[c, i, j]


@compiled_exactly
def _resize(
    image: Bytes, crop: Floats, mirrored: bool, brightness: Float, view: Floats
) -> None:
    # `crop` has the left edge, the top edge, the width and the height of the crop, in pixels.
    channels, height, width = view.shape
    left_columns = np.empty(width, np.int64)
    right_columns = np.empty(width, np.int64)
    right_shares = np.empty(width, np.float32)
    for j in range(width):
        column = width - 1 - j if mirrored else j
        left, right, share = _neighbors(crop[0], crop[2], column, width)
        left_columns[j] = left
        right_columns[j] = right
        right_shares[j] = share
    for i in range(height):
        upper, lower, lower_share = _neighbors(crop[1], crop[3], i, height)
        for c in range(channels):
            for j in range(width):
                share = right_shares[j]
                above = _between(
                    image[c, upper, left_columns[j]],
                    image[c, upper, right_columns[j]],
                    share,
                )
                below = _between(
                    image[c, lower, left_columns[j]],
                    image[c, lower, right_columns[j]],
                    share,
                )
                pixel = _between(above, below, lower_share) * brightness
                view[c, i, j] = _clipped(pixel)


@compiled_exactly
def _neighbors(start: Float, size: Float, k: int, count: int) -> tuple[int, int, Float]:
    # Along this axis, the crop begins at `start` and has the length `size`; image and resized crop have `count` pixels.
    # Pixel `k` of the resized crop lies between the pixels `first` and `second` of the image.
    position = start + size * np.float32((k + 0.5) / count) - np.float32(0.5)
    position = min(max(position, np.float32(0)), np.float32(count - 1))
    first = int(position)
    second = min(first + 1, count - 1)
    return first, second, np.float32(position - first)


@compiled_exactly
def _between(first: Float, second: Float, share: Float) -> Float:
    return np.float32(first) + (np.float32(second) - np.float32(first)) * share


@compiled_exactly
def _clipped(pixel: Float) -> Float:
    return min(max(pixel, np.float32(0)), np.float32(255))


@compiled_exactly
def _change_contrast(view: Floats, factor: Float) -> None:
    channels, height, width = view.shape
    total = 0.0
    for i in range(height):
        for j in range(width):
            if channels == 3:
                red = np.float32(0.299) * view[0, i, j]
                green = np.float32(0.587) * view[1, i, j]
                blue = np.float32(0.114) * view[2, i, j]
                total += red + green + blue
            else:
                for c in range(channels):
                    total += view[c, i, j] / channels
    mean = np.float32(total / (height * width))
    for c in range(channels):
        for i in range(height):
            for j in range(width):
                view[c, i, j] = _clipped(mean + (view[c, i, j] - mean) * factor)


@compiled_exactly
def _recolor(view: Floats, matrix: Floats) -> None:
    for i in range(view.shape[1]):
        for j in range(view.shape[2]):
            red = view[0, i, j]
            green = view[1, i, j]
            blue = view[2, i, j]
            for c in range(3):
                mixed = matrix[c, 0] * red + matrix[c, 1] * green + matrix[c, 2] * blue
                view[c, i, j] = _clipped(mixed)
