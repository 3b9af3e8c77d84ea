"""Random views of images: the compiled pass equals the plain operations, and each transform does what it says."""

import pytest
import torch
from torch import Tensor

from protosphere.data.view_settings import ViewSettings
from protosphere.data.views import (
    Views,
    color_matrices,
    gather_views,
    random_views,
    transformed,
)

SIZE = 12


def images(channels: int, count: int = 40) -> Tensor:
    generator = torch.Generator().manual_seed(channels)
    return torch.randint(
        0,
        256,
        (count, channels, SIZE, SIZE),
        dtype=torch.uint8,
        generator=generator,
    )


def drawn(settings: ViewSettings, count: int, seed: int = 0) -> Views:
    generator = torch.Generator().manual_seed(seed)
    return random_views(settings, count, SIZE, SIZE, generator)


@pytest.mark.parametrize("channels", [1, 3])
def test_compiled_views_equal_plain_operations(channels: int) -> None:
    pixels = images(channels)
    rows = torch.randperm(len(pixels))[:25]
    views = drawn(ViewSettings(flip=True), len(rows))
    mean = torch.arange(1.0, channels + 1)[:, None]
    levels = (torch.arange(256.0)[None] - 40 * mean) / (30 * mean)
    found = gather_views(pixels, rows, views, levels.contiguous())
    plain = transformed(pixels[rows], views)
    wanted = (plain - 40 * mean[..., None]) / (30 * mean[..., None])
    torch.testing.assert_close(found, wanted, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("channels", [1, 3])
def test_views_without_changes_are_the_images(channels: int) -> None:
    settings = ViewSettings(crop_area=1.0, jitter=0.0, grayscale=0.0)
    pixels = images(channels)
    found = transformed(pixels, drawn(settings, len(pixels)))
    torch.testing.assert_close(found, pixels.float(), atol=1e-2, rtol=0)


def test_half_of_the_views_are_mirrored_and_no_other_pixel_moves() -> None:
    settings = ViewSettings(crop_area=1.0, flip=True, jitter=0.0, grayscale=0.0)
    pixels = images(3, 400)
    views = drawn(settings, len(pixels))
    found = transformed(pixels, views)
    wanted = torch.where(
        views.mirrored.view(-1, 1, 1, 1), pixels.flip(3), pixels
    ).float()
    torch.testing.assert_close(found, wanted, atol=1e-2, rtol=0)
    assert 150 < int(views.mirrored.sum()) < 250


def test_crops_lie_within_the_image_and_have_the_area_asked_for() -> None:
    settings = ViewSettings(crop_area=0.3)
    views = drawn(settings, 2000)
    assert float(views.left.min()) >= 0
    assert float(views.top.min()) >= 0
    assert float((views.left + views.width).max()) <= SIZE + 1e-4
    assert float((views.top + views.height).max()) <= SIZE + 1e-4
    area = views.width * views.height / SIZE**2
    assert float(area.max()) <= 1 + 1e-5
    assert float(area.mean()) == pytest.approx(0.65, abs=0.05)


def test_gray_views_have_equal_channels() -> None:
    settings = ViewSettings(grayscale=1.0)
    found = transformed(images(3), drawn(settings, 40))
    torch.testing.assert_close(found[:, 0], found[:, 1], atol=1, rtol=0)
    torch.testing.assert_close(found[:, 0], found[:, 2], atol=1, rtol=0)


def test_color_changes_keep_the_brightness() -> None:
    matrices = color_matrices(drawn(ViewSettings(jitter=0.8), 100))
    luma = torch.tensor([0.299, 0.587, 0.114])
    torch.testing.assert_close(luma @ matrices, luma.expand(100, 3), atol=1e-4, rtol=0)


def test_same_generator_gives_the_same_views() -> None:
    first = drawn(ViewSettings(), 10, seed=3)
    second = drawn(ViewSettings(), 10, seed=3)
    assert torch.equal(first.left, second.left)
    assert torch.equal(first[2:5].hue, second.hue[2:5])
