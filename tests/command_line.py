"""Running a command line inside the test process."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest


@dataclass(frozen=True)
class Answer:
    exit_code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Answer]


def runner(
    main: Callable[[Sequence[str]], int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Return a function that calls `main` with words as on a shell and returns what one would see."""
    monkeypatch.setenv("COLUMNS", "100")

    def call(*words: object) -> Answer:
        exit_code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Answer(exit_code, captured.out, captured.err)

    return call
