"""Small runs."""

from __future__ import annotations

import pytest

from protosphere.data import load_dataset
from protosphere.training import load_recipe
from protosphere.training.devices import make_fabric
from protosphere.training.machine import Machine


@pytest.fixture(scope="session")
def digits():
    return load_dataset("digits")


@pytest.fixture
def tiny():
    """A run of a tenth of a second."""
    return load_recipe("quick-digits").changed(epochs=3, train_images=256)


@pytest.fixture
def fabric():
    return make_fabric(Machine(), "32-true")
