"""The command line of the reproduction, inside the test process."""

from __future__ import annotations

import pytest
from tests.command_line import Run, runner

from reproduction.app import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """run("claims", "results"): what one would see."""
    return runner(main, capsys, monkeypatch)
