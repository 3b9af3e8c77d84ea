"""Compute the features of a dataset's images with a network, and write them to a file.

An interrupted computation can be resumed. While it runs, the finished rows of features, one per image, are written to a
folder next to the file, together with the count of these rows. At the end, the file is written and the folder is
removed.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import interpolate

from protosphere.data import Dataset
from protosphere.errors import (
    InvalidArgumentError,
    StorageError,
    TrainingError,
    as_integer,
)
from protosphere.experiments.feature_networks import FeatureNetwork
from protosphere.storage.files import locked, replace_bytes, replace_file
from protosphere.storage.npz import DAMAGE
from protosphere.types import Progress, ignore

NOTE = "progress.json"
NOTE_SECONDS = 1.0
LEVELS = 127
ROWS_AT_ONCE = 1 << 12


@dataclass(frozen=True)
class Preparation:
    """Preprocessing of images: resize them, subtract a mean from each pixel, and divide the difference by a deviation.

    Attributes:
        size: Height and width to which images are resized; None to keep their size.
        mean: One number for all channels, or one number per channel. It is subtracted from the pixels, which are
            numbers from 0 to 255.
        deviation: One number for all channels, or one number per channel, by which the differences are divided.
    """

    size: tuple[int, int] | None = None
    mean: tuple[float, ...] = (0.0,)
    deviation: tuple[float, ...] = (255.0,)

    def __call__(self, images: Tensor, channels: int | None) -> Tensor:
        """Return preprocessed images for a network, as B x channels x height x width floats.

        Args:
            images: B images with C channels, as B x C x H x W bytes.
            channels: Number of channels that the network expects. If C is 1, the only channel is repeated to get this
                number of channels. None if the number is unknown; the result then has C channels.

        Raises:
            InvalidArgumentError: If `channels` is a number other than C, and C is not 1.
        """
        x = images.float()
        if channels and channels != x.shape[1]:
            if x.shape[1] != 1:
                raise InvalidArgumentError(
                    f"'model' takes {channels} channels, and images have {x.shape[1]}"
                )
            x = x.expand(-1, channels, -1, -1)
        if self.size and self.size != tuple(x.shape[2:]):
            smaller = min(self.size) < min(x.shape[2:])
            x = interpolate(
                x,
                size=self.size,
                mode="bicubic",
                align_corners=False,
                antialias=smaller,
            ).clamp(0, 255)
        mean, deviation = (
            torch.tensor(values).view(1, -1, 1, 1)
            for values in (self.mean, self.deviation)
        )
        return (x - mean) / deviation


def write_features(
    dataset: Dataset,
    network: FeatureNetwork,
    preparation: Preparation,
    path: Path,
    *,
    batch_size: int = 64,
    int8: bool = False,
    progress: Progress = ignore,
) -> tuple[int, int, int]:
    """Compute the features of every image of a dataset with a network, and write them to a file.

    If `int8` is true, a feature x is stored as the integer nearest to (x - center) / step, from -127 to 127. The file
    then also contains the numbers `center` and `step` of each column of features. `center` is the mean of the column
    over the training images. `step` is chosen such that the training feature farthest from `center` becomes -127 or
    127. Test features that are even farther from `center` become -127 or 127, too.

    Args:
        dataset: Dataset of images.
        network: Feature extractor, a function from preprocessed images to features.
        preparation: Preprocessing of the images.
        path: Path of the .npz file to write.
        batch_size: Number of images per call of the network.
        int8: Whether to store the features as int8 instead of float32.
        progress: Function that is called with a description of the step, the number of finished images and the number
            of all images.

    Returns:
        The number of training images, the number of test images, and the number of features per image.

    Raises:
        InvalidArgumentError: If the dataset consists of features, or if the images have the wrong number of channels.
        StorageError: If a file cannot be written, or if another process is writing the same file.
        TrainingError: If the network fails, or if its output is not a finite vector for each image.
    """
    if dataset.is_features:
        raise InvalidArgumentError(
            f"'{dataset.name}' has features already; want images"
        )
    work = path.with_name(f".{path.name}.work")
    with locked(path, "extraction"):
        found = _extracted(dataset, network, preparation, work, batch_size, progress)
        if int8:
            arrays = _rounded_to_int8(found)
        else:
            arrays = {f"x_{part}": rows for part, rows in found.items()}
        labels = {
            "y_train": dataset.y_train,
            "y_test": dataset.y_test,
            "class_names": np.array(dataset.class_names),
        }
        save = np.savez_compressed if int8 else np.savez
        replace_file(path, lambda beside: _save(save, beside, arrays | labels))
        shutil.rmtree(work, ignore_errors=True)
    return len(found["train"]), len(found["test"]), found["train"].shape[1]


def _save(save: Any, beside: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    with beside.open("wb") as file:  # given a name, numpy would add an ending
        save(file, **arrays)


def _extracted(
    dataset: Dataset,
    network: FeatureNetwork,
    preparation: Preparation,
    work: Path,
    batch_size: int,
    progress: Progress,
) -> dict[str, NDArray[np.float32]]:
    # rows are only appended to rows of the same dataset, network and settings
    told = f"{dataset.digest} {network.identity} {preparation} {batch_size}"
    key = hashlib.sha256(told.encode()).hexdigest()
    parts = dict[str, NDArray[np.float32]]()
    for part, images in (("train", dataset.x_train), ("test", dataset.x_test)):
        note = work / f"{part}-{NOTE}"
        target = work / f"{part}.npy"
        done, rows = _finished_rows(note, target, key, len(images))
        noted = time.monotonic()
        for start in range(done, len(images), batch_size):
            some = torch.tensor(images[start : start + batch_size])
            found = _features(network, preparation(some, network.channels))
            if rows is None:
                work.mkdir(parents=True, exist_ok=True)
                rows = np.lib.format.open_memmap(
                    target, "w+", np.float32, (len(images), found.shape[1])
                )
            if rows.shape[1] != found.shape[1]:
                raise StorageError(
                    f"'{work}' has rows of another network; remove it to start again"
                )
            rows[start : start + len(found)] = found
            if time.monotonic() - noted > NOTE_SECONDS:
                rows.flush()
                replace_bytes(
                    note, json.dumps({"key": key, "rows": start + len(found)}).encode()
                )
                noted = time.monotonic()
            progress(f"{part} images", start + len(found), len(images))
        parts[part] = rows
    return parts


def _features(network: FeatureNetwork, images: Tensor) -> NDArray[np.float32]:
    try:
        found = network.features(images).float()
    except Exception as error:  # the network is the user's
        raise TrainingError(
            f"the network failed: {type(error).__name__}: {str(error).splitlines()[0]}"
        ) from error
    if (
        found.ndim != 2
        or len(found) != len(images)
        or not bool(torch.isfinite(found).all())
    ):
        raise TrainingError(
            f"the network must give finite numbers for each image, got shape {tuple(found.shape)}"
        )
    return found.numpy()


def _finished_rows(note: Path, target: Path, key: str, count: int) -> tuple[int, Any]:
    with suppress(OSError, *DAMAGE):
        told = json.loads(note.read_text(encoding="utf-8"))
        rows: Any = np.load(target, mmap_mode="r+")
        sound = rows.ndim == 2 and len(rows) == count and rows.dtype == np.float32
        if (
            sound
            and told["key"] == key
            and 0 < as_integer("rows", told["rows"], minimum=0) <= count
        ):
            return told["rows"], rows
    return 0, None


def _rounded_to_int8(
    found: Mapping[str, NDArray[np.float32]],
) -> dict[str, NDArray[Any]]:
    # The docstring of `write_features` defines `step` and `center`, which have one entry per column of features.
    blocks = {
        part: np.split(rows, range(ROWS_AT_ONCE, len(rows), ROWS_AT_ONCE))
        for part, rows in found.items()
    }
    center = np.sum(
        [block.sum(axis=0, dtype=np.float64) for block in blocks["train"]], axis=0
    ) / len(found["train"])
    farthest = np.max(
        [np.abs(block - center).max(axis=0) for block in blocks["train"]], axis=0
    )
    step = np.where(farthest > 0, farthest / LEVELS, 1.0)
    packed: dict[str, NDArray[Any]] = {}
    for part, own in blocks.items():
        rounded = [
            np.clip(np.rint((block - center) / step), -LEVELS, LEVELS).astype(np.int8)
            for block in own
        ]
        packed[f"x_{part}"] = np.concatenate(rounded)
    return packed | {
        "step": step.astype(np.float32),
        "center": center.astype(np.float32),
    }
