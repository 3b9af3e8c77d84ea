"""Compare the speed of augmentation in batches with that of the same transforms, image by image, by Pillow.

There are 512 images of the size of CIFAR's images.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np
import torch
from PIL import Image

from protosphere.data.augmentation import Augmentation, Moves, moved, random_moves


def one_at_a_time(images: np.ndarray, moves: Moves) -> list[np.ndarray]:
    """Return the images after padding, cropping, flipping and rotating each image separately."""
    results: list[np.ndarray] = []
    for i, image in enumerate(images):
        padded = np.pad(image, ((moves.pad, moves.pad), (moves.pad, moves.pad), (0, 0)))
        down = int(moves.down[i])
        right = int(moves.right[i])
        crop = padded[down : down + image.shape[0], right : right + image.shape[1]]
        crop = crop[:, ::-1] if moves.mirrored[i] else crop
        results.append(
            np.asarray(
                Image.fromarray(np.ascontiguousarray(crop)).rotate(
                    float(moves.degrees[i])
                )
            )
        )
    return results


def best_seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the shortest time in seconds of `repeats` calls of `work`."""
    times: list[float] = []
    for _ in range(repeats):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def run() -> None:
    """Print the images per second in batches and image by image, and the ratio of the two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    generator = torch.Generator().manual_seed(0)
    paper = Augmentation(pad=4, flip=True, rotation_degrees=15.0)
    images = torch.randint(
        0, 256, (512, 3, 32, 32), dtype=torch.uint8, generator=generator
    )
    channels_last = np.ascontiguousarray(images.permute(0, 2, 3, 1).numpy())
    batched = best_seconds(
        lambda: moved(images, random_moves(paper, 512, generator)), 20
    )
    singly = best_seconds(
        lambda: one_at_a_time(channels_last, random_moves(paper, 512, generator)), 5
    )
    if given.json:
        answer = {
            "batched": 512 / batched,
            "image_by_image": 512 / singly,
            "ratio": singly / batched,
        }
        print(json.dumps(answer))
        return
    print(f"batched          {512 / batched:10,.0f} images/s")
    print(f"image by image   {512 / singly:10,.0f} images/s")
    print(f"ratio            {singly / batched:10.1f}")


if __name__ == "__main__":
    run()
