"""Random views of whole batches of images. A view is an image after random crops, flips and changes of color.

Self-supervised objectives compare two views of the same image, which are drawn independently. A crop of random area and
aspect ratio is resized to the size of the image by bilinear interpolation. At random, the resized crop is also
mirrored, changed in brightness, contrast, saturation and hue, or converted to gray. Random numbers are drawn on the
CPU, so that every device gets the same transforms.

The function `transformed` works on any device. The function `gather_views` works on the CPU only. It selects,
transforms and normalizes images in one compiled pass over their pixels.

The transforms come from T. Chen et al., A simple framework for contrastive learning of visual representations, ICML
2020. Their blur is left out.
"""

import math
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import grid_sample

from protosphere.data.view_settings import ViewSettings

LARGEST_ASPECT = 4 / 3
"""Largest ratio of width to height of a crop in a square image; the smallest ratio is its reciprocal."""

JITTERED_SHARE = 0.8
"""Fraction of the views whose brightness, contrast, saturation and hue are changed."""

HUE_SHARE = 0.25
"""Ratio of the largest hue change, in turns of the color circle, to the setting `jitter`."""

LUMA = (0.299, 0.587, 0.114)
"""Weights of red, green and blue in the brightness of a pixel (ITU-R BT.601)."""


YIQ = (LUMA, (0.596, -0.274, -0.322), (0.211, -0.523, 0.312))
"""Weights of red, green and blue in the brightness and in the two color axes of the NTSC standard, one row for each."""


@dataclass(frozen=True)
class Views:
    """Random transforms of a batch of B images. Each attribute is a vector of B entries, one for each image.

    Attributes:
        left, top: Column and row at which the crop begins, in pixels. The numbers need not be integers.
        width, height: Size of the crop in pixels. The numbers need not be integers.
        mirrored: True if the view is mirrored left to right, otherwise False.
        brightness: Factor of the brightness. 1 means no change.
        contrast: Factor of the contrast. 1 means no change.
        saturation: Factor of the saturation. 1 means no change.
        hue: Rotation of the hue in radians.
        gray: True if the view is converted to gray, otherwise False.
    """

    left: Tensor
    top: Tensor
    width: Tensor
    height: Tensor
    mirrored: Tensor
    brightness: Tensor
    contrast: Tensor
    saturation: Tensor
    hue: Tensor
    gray: Tensor

    def __getitem__(self, part: slice) -> "Views":
        return Views(*(getattr(self, each.name)[part] for each in fields(self)))


def random_views(
    settings: ViewSettings,
    count: int,
    height: int,
    width: int,
    generator: torch.Generator,
) -> Views:
    """Draw independent random transforms for a batch of images.

    Args:
        settings: Ranges and probabilities of the transforms.
        count: Number of images.
        height: Height of an image in pixels.
        width: Width of an image in pixels.
        generator: Random generator on the CPU.

    Returns:
        A `Views` object with one transform for each image.
    """
    uniform = torch.rand(10, count, generator=generator)
    area = settings.crop_area + (1 - settings.crop_area) * uniform[0]
    log_aspect = math.log(LARGEST_ASPECT) * (2 * uniform[1] - 1)
    if settings.crop_area == 1:
        log_aspect = torch.zeros(count)
    aspect = log_aspect.mul(0.5).exp()
    side = area.sqrt()
    crop_width = (side * aspect).clamp(max=1.0) * width
    crop_height = (side / aspect).clamp(max=1.0) * height
    jittered = uniform[4] < JITTERED_SHARE
    change = torch.where(jittered, settings.jitter, 0.0)
    factors = 1 + change * (2 * uniform[5:8] - 1)
    turn = change * HUE_SHARE * (2 * uniform[8] - 1)
    sides = torch.rand(count, generator=generator)
    return Views(
        left=uniform[2] * (width - crop_width),
        top=uniform[3] * (height - crop_height),
        width=crop_width,
        height=crop_height,
        mirrored=(sides < 0.5) & settings.flip,
        brightness=factors[0],
        contrast=factors[1],
        saturation=factors[2],
        hue=2 * math.pi * turn,
        gray=uniform[9] < settings.grayscale,
    )


def transformed(images: Tensor, views: Views) -> Tensor:
    """Return one view of each image of a batch: the crop, resized, mirrored and changed in color.

    Args:
        images: B x C x H x W bytes. The number C of channels is 1 or 3. With one channel, saturation and hue do not
            change.
        views: One transform for each image.

    Returns:
        B x C x H x W pixels between 0 and 255 in float32.
    """
    pixels = _resized_crops(images.float(), views)
    column = views_on(images.device, views)
    pixels = (pixels * column["brightness"]).clamp_(0, 255)
    mean = _brightness(pixels).mean((1, 2, 3), keepdim=True)
    pixels = (mean + (pixels - mean) * column["contrast"]).clamp_(0, 255)
    if images.shape[1] != len(LUMA):
        return pixels
    matrices = color_matrices(views).to(images.device)
    return torch.einsum("bij,bjhw->bihw", matrices, pixels).clamp_(0, 255)


def views_on(device: torch.device, views: Views) -> dict[str, Tensor]:
    """Return the attributes of `views` by name, each as a B x 1 x 1 x 1 tensor on a device.

    Args:
        device: Device of the tensors.
        views: B transforms.
    """
    return {
        each.name: getattr(views, each.name).to(device).view(-1, 1, 1, 1)
        for each in fields(views)
    }


def color_matrices(views: Views) -> Tensor:
    """Return the color matrices of B views, as a B x 3 x 3 tensor.

    The product of the color matrix of a view and an RGB color is the color after the view's changes of saturation and
    hue. If the view is gray, the product is a gray color.

    Args:
        views: B transforms.
    """
    # in the color space YIQ, a rotation of the two color axes changes the hue, and scaling them changes the saturation
    to_yiq = torch.tensor(YIQ)
    from_yiq = torch.tensor(np.linalg.inv(YIQ), dtype=torch.float32)
    strength = torch.where(views.gray, 0.0, views.saturation)
    cosine = strength * views.hue.cos()
    sine = strength * views.hue.sin()
    middle = torch.zeros(len(strength), 3, 3)
    middle[:, 0, 0] = 1
    middle[:, 1, 1] = cosine
    middle[:, 2, 2] = cosine
    middle[:, 1, 2] = -sine
    middle[:, 2, 1] = sine
    return from_yiq @ middle @ to_yiq


def gather_views(images: Tensor, rows: Tensor, views: Views, levels: Tensor) -> Tensor:
    """Select images, transform them and normalize them, in one compiled pass on the CPU.

    Args:
        images: N x C x H x W bytes, with one channel or three.
        rows: B indices of the images to select.
        views: Transforms of the B selected images.
        levels: C x 256 table with the normalized value of each byte in each channel. The normalized value must be an
            affine function of the byte.

    Returns:
        B x C x H x W normalized views in float32.
    """
    # Imported here because it loads the compiler.
    from protosphere.data.view_loops import write_views

    numbers = (views.left, views.top, views.width, views.height)
    crops = torch.stack(numbers).numpy()
    factors = torch.stack((views.brightness, views.contrast)).numpy()
    batch = torch.empty((len(rows), *images.shape[1:]), dtype=torch.float32)
    write_views(
        images.numpy(),
        rows.numpy(),
        crops,
        views.mirrored.numpy(),
        factors,
        color_matrices(views).contiguous().numpy(),
        levels.numpy(),
        batch.numpy(),
    )
    return batch


def _brightness(pixels: Tensor) -> Tensor:
    if pixels.shape[1] != len(LUMA):
        return pixels.mean(1, keepdim=True)
    weights = torch.tensor(LUMA, device=pixels.device).view(1, 3, 1, 1)
    return (pixels * weights).sum(1, keepdim=True)


def _resized_crops(pixels: Tensor, views: Views) -> Tensor:
    height, width = pixels.shape[2:]
    columns = _centers(views.left, views.width, width)
    columns = torch.where(views.mirrored[:, None], columns.flip(1), columns)
    rows = _centers(views.top, views.height, height)
    grid = torch.empty(len(pixels), height, width, 2)
    grid[..., 0] = (2 * columns / width - 1)[:, None, :]
    grid[..., 1] = (2 * rows / height - 1)[:, :, None]
    grid = grid.to(pixels.device)
    return grid_sample(pixels, grid, padding_mode="border", align_corners=False)


def _centers(start: Tensor, size: Tensor, count: int) -> Tensor:
    # centers of the pixels of the resized crops along one axis, as positions in the original images
    steps = (torch.arange(count) + 0.5) / count
    return start[:, None] + size[:, None] * steps
