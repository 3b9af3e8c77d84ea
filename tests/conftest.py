"""What several rooms' tests share."""

from __future__ import annotations

import pytest

from protosphere.code import storage


@pytest.fixture
def forged():
    """A function that changes the content of a file of ours and gives it an honest digest over the change."""

    def change_content(path, change):
        arrays, description = storage.read(path)
        change(arrays, description)
        storage.write(path, arrays, description)

    return change_content
