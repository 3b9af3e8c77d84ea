"""Small runs."""

from __future__ import annotations

import numpy as np
import pytest

from protosphere.data import load_dataset
from protosphere.experiments import load_config
from protosphere.experiments.devices import make_fabric


@pytest.fixture(scope="session")
def digits():
    return load_dataset("digits")


@pytest.fixture
def tiny():
    """A run of a tenth of a second."""
    return load_config("quick-digits").changed(epochs=3, train_images=256)


@pytest.fixture
def fabric():
    return make_fabric("auto", "32-true")


@pytest.fixture
def features(tmp_path):
    """Six classes in three pairs that are alike."""
    rng = np.random.default_rng(0)
    middles = np.repeat(
        rng.standard_normal((3, 8)), 2, axis=0
    ) + 0.3 * rng.standard_normal((6, 8))
    content = {}
    for name, count in (("train", 240), ("test", 60)):
        labels = np.arange(count) % 6
        content[f"y_{name}"] = labels
        content[f"x_{name}"] = (
            middles[labels] + 0.1 * rng.standard_normal((count, 8))
        ).astype(np.float32)
    np.savez(tmp_path / "pairs.npz", **content)
    return str(tmp_path / "pairs.npz")
