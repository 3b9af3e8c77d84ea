"""The command line of the package, inside the test process."""

from __future__ import annotations

import pytest
from tests.command_line import Run, runner

from protosphere.cli import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """run("bounds", "-K", 100, "-n", 64): what one would see."""
    return runner(main, capsys, monkeypatch)
