"""Features of real images and sentences as float32 tensors, read from files in the folder $PROTOSPHERE_DATA.

Features of images are in `features/cifar100_efficientnet_lite0.npz` and two similar files, for CIFAR-10 and MNIST.
Embeddings of sentences are in `text/clinc150_minilm.npz`. The files store int8 values and the array `step`, which
multiplies them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

FOLDER = Path(os.environ.get("PROTOSPHERE_DATA", "data"))


class Labeled(NamedTuple):
    """Inputs, with one input per row, and their classes."""

    inputs: Tensor
    classes: Tensor


def image_features(name: str, part: str) -> Labeled:
    """Return the features of a dataset.

    Args:
        name: "cifar100", "cifar10" or "mnist".
        part: "train" or "test".
    """
    return _read(FOLDER / "features" / f"{name}_efficientnet_lite0.npz", part)


def intent_features(part: str) -> Labeled:
    """Return embeddings of the sentences of CLINC150, and their intents as classes.

    `part` is "train", "val", "test" or "oos_test". The sentences of "oos_test" have none of the intents.
    """
    return _read(FOLDER / "text" / "clinc150_minilm.npz", part)


def _read(path: Path, part: str) -> Labeled:
    with np.load(path) as file:
        inputs = file[f"x_{part}"].astype(np.float32) * file["step"].astype(np.float32)
        has_classes = f"y_{part}" in file
        if has_classes:
            classes = file[f"y_{part}"].astype(np.int64)
        else:
            classes = np.full(len(inputs), -1)
    return Labeled(torch.tensor(inputs), torch.tensor(classes))


def digits() -> Labeled:
    """Return scikit-learn's 1,797 digits. Each image has 64 pixels with values from 0 to 1."""
    from sklearn.datasets import load_digits

    images, classes = load_digits(return_X_y=True)
    return Labeled(
        torch.tensor(images, dtype=torch.float32) / 16, torch.tensor(classes)
    )
