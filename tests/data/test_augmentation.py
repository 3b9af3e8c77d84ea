"""Batched augmentation against the usual transforms, one image at a time with Pillow."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from protosphere.data.augmentation import (
    Augmentation,
    Moves,
    gather_augmented,
    moved,
    random_moves,
)
from protosphere.experiments.normalization import normalization

PAPER = Augmentation(pad=4, flip=True, rotation_degrees=15.0)


def augmented(images, augmentation, generator):
    return moved(images, random_moves(augmentation, len(images), generator))


def one_at_a_time(images, moves):
    """Pad and crop, flip, rotate: each image by itself, as the common transforms do."""
    height, width = images.shape[2:]
    results = []
    for i, image in enumerate(images.numpy()):
        padded = np.pad(image, ((0, 0), (moves.pad, moves.pad), (moves.pad, moves.pad)))
        down = int(moves.down[i])
        right = int(moves.right[i])
        crop = padded[:, down : down + height, right : right + width]
        crop = crop[:, :, ::-1] if moves.mirrored[i] else crop
        turn = [
            Image.fromarray(np.ascontiguousarray(c)).rotate(
                float(moves.degrees[i]), Image.NEAREST
            )
            for c in crop
        ]
        results.append(np.stack([np.asarray(c) for c in turn]))
    return np.stack(results)


@pytest.mark.parametrize("shape", [(400, 3, 32, 32), (400, 1, 28, 28), (100, 1, 9, 12)])
def test_equal_to_one_image_at_a_time(shape):
    generator = torch.Generator().manual_seed(0)
    images = torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)
    moves = random_moves(Augmentation(4, True, 30.0), len(images), generator)
    different = moved(images, moves).numpy() != one_at_a_time(images, moves)
    assert different.mean() < 1e-3, (
        "only where a rotated center falls on the edge of two pixels"
    )


def test_crops_and_flips_are_exact():
    generator = torch.Generator().manual_seed(1)
    images = torch.randint(
        0, 256, (300, 3, 8, 8), dtype=torch.uint8, generator=generator
    )
    moves = random_moves(Augmentation(pad=3, flip=True), 300, generator)
    assert np.array_equal(moved(images, moves).numpy(), one_at_a_time(images, moves))


def test_nothing_is_nothing():
    images = torch.randint(0, 256, (5, 3, 8, 8), dtype=torch.uint8)
    assert torch.equal(augmented(images, Augmentation(), torch.Generator()), images)


def test_moves_are_uniform():
    moves = random_moves(PAPER, 90_000, torch.Generator().manual_seed(2))
    for offset in (moves.down, moves.right):
        counts = torch.bincount(offset, minlength=9).double()
        assert ((counts - 10_000) ** 2 / 10_000).sum() < 26.1, (
            "chi-squared at 8 degrees of freedom, one in a thousand"
        )
    assert abs(moves.mirrored.double().mean() - 0.5) < 0.006
    degrees = np.sort(moves.degrees.numpy())
    assert (
        np.abs((degrees + 15) / 30 - (np.arange(90_000) + 0.5) / 90_000).max()
        < 1.95 / 300
    ), "Kolmogorov-Smirnov"
    together = np.corrcoef([moves.down, moves.right, moves.mirrored, moves.degrees])
    assert np.abs(together - np.eye(4)).max() < 0.015


def test_the_seed_decides():
    images = torch.randint(0, 256, (16, 1, 28, 28), dtype=torch.uint8)
    first, again, other = (
        augmented(images, PAPER, torch.Generator().manual_seed(seed))
        for seed in (5, 5, 6)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_parts_of_a_batch():
    moves = random_moves(PAPER, 10, torch.Generator().manual_seed(0))
    images = torch.randint(0, 256, (10, 1, 28, 28), dtype=torch.uint8)
    assert isinstance(moves[2:5], Moves)
    assert torch.equal(moved(images, moves)[2:5], moved(images[2:5], moves[2:5]))


@pytest.mark.slow
@given(
    channels=st.sampled_from([1, 3]),
    height=st.integers(1, 12),
    width=st.integers(1, 12),
    pad=st.integers(0, 5),
    flip=st.booleans(),
    degrees=st.sampled_from([0.0, 15.0, 180.0]),
)
def test_one_pass_gives_the_bits_of_three(channels, height, width, pad, flip, degrees):
    generator = torch.Generator().manual_seed(height + 13 * width)
    images = torch.randint(
        0, 256, (9, channels, height, width), dtype=torch.uint8, generator=generator
    )
    rows = torch.tensor([3, 3, 8, 0, 5])
    moves = random_moves(Augmentation(pad, flip, degrees), len(rows), generator)
    normalized = normalization(images, None)
    fused = gather_augmented(images, rows, moves, normalized.levels(channels))
    assert torch.equal(fused, normalized(moved(images[rows], moves)))
