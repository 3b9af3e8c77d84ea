"""What several rooms' tests share."""

from __future__ import annotations

import pytest
from hypothesis import settings

from protosphere.spherical.io import container as storage

settings.register_profile("no clock", deadline=None)  # a busy machine is no failure
settings.load_profile("no clock")


def pytest_make_parametrize_id(val, argname):
    """Bytes never name a test: those of an archive tell the second it was made in, and processes must agree."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture
def forged():
    """A function that changes the content of a file of ours and gives it an honest digest over the change."""

    def change_content(path, change):
        arrays, description = storage.read(path)
        change(arrays, description)
        storage.write(path, arrays, description)

    return change_content
