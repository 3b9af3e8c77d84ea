"""Run a command of a page, in a new process or in this one."""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

from protosphere.cli import main
from protosphere.errors import StorageError

ROOT = Path(__file__).parents[2]

Answer = Any
"""What a command prints with --json: dicts, lists, numbers and strings."""


def command_answer(command: str) -> Answer:
    """Run a command of a page with --json in the folder of the repository, and return the JSON that it printed.

    Raises:
        StorageError: If the command fails, or does not print JSON.
    """
    words = shlex.split(command)
    programs = {
        "python": [sys.executable],
        "protosphere": [sys.executable, "-m", "protosphere"],
    }
    arguments = [*programs[words[0]], *words[1:], "--json"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": _search_path()}
    done = subprocess.run(
        arguments,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise StorageError(
            f"'{command} --json' ended with exit code {done.returncode}: {last}"
        )
    return _parsed(command, done.stdout)


def answer_in_this_process(command: str) -> Answer:
    """Return the answer of a command like `command_answer`, but without starting a new process.

    The command must begin with `protosphere` or `python FILE`.
    """
    program, *arguments = [*shlex.split(command), "--json"]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if program == "protosphere":
            main(arguments)
        else:
            script = str(ROOT / arguments[0])
            with mock.patch.object(sys, "argv", [script, *arguments[1:]]):
                runpy.run_path(script, run_name="__main__")
    return _parsed(command, printed.getvalue())


def _parsed(command: str, printed: str) -> Answer:
    try:
        return json.loads(printed)
    except ValueError as error:
        raise StorageError(
            f"'{command} --json' must print JSON and nothing else, got {printed[:80]!r}"
        ) from error


def _search_path() -> str:
    known = os.environ.get("PYTHONPATH", "")
    return os.pathsep.join(filter(None, (str(ROOT / "src"), str(ROOT), known)))
