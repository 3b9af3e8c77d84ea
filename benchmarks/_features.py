"""Features of real images and sentences as float32 tensors, read from files below $PROTOSPHERE_DATA.

`features/cifar100_efficientnet_lite0.npz` and its siblings hold image features, `text/clinc150_minilm.npz` sentence
embeddings; each file stores int8 values and one step per column.
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
    """Inputs, one per row, and their classes."""

    inputs: Tensor
    classes: Tensor


def image_features(name: str, part: str) -> Labeled:
    """Return the features of `part` ("train" or "test") of cifar100, cifar10 or mnist."""
    return _read(FOLDER / "features" / f"{name}_efficientnet_lite0.npz", part)


def intent_features(part: str) -> Labeled:
    """Return embeddings of CLINC150: part "train", "val", "test", or "oos_test", whose sentences have no intent."""
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
    """Return scikit-learn's 1,797 digits, 64 pixels each from 0 to 1."""
    from sklearn.datasets import load_digits

    images, classes = load_digits(return_X_y=True)
    return Labeled(
        torch.tensor(images, dtype=torch.float32) / 16, torch.tensor(classes)
    )
