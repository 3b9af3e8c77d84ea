"""Command `python -m tools release`: install the built wheel in empty environments and run programs there."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import tomllib
import venv
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
from zipfile import ZipFile

from cyclopts import Parameter

from protosphere.cli.screen import screen
from protosphere.errors import StorageError
from protosphere.version import __version__

ROOT = Path(__file__).parents[1]
LARGEST_WHEEL = 4_000_000
NEEDED = (
    "py.typed",
    "tables/catalogue.npz",
    "data/digits.npz",
    "experiments/configs.toml",
)

PLAIN = (
    "best -K 1000 -n 128 --iterations 0 --json",
    "construct bch -K 100 -n 63 -o c100.safetensors",
    "certify c100.safetensors --json",
    "compare -K 20 --dims 4:16 --schemes simplex,bch,best --no-figure",
)
TORCH = (
    "import torch; from protosphere.nn import PrototypeHead; "
    "print(PrototypeHead(10, dim=9)(torch.zeros(2, 9)).shape)"
)
WITH_ALL = (
    "figure histogram-k10",
    "train digits --scheme simplex --dim 9 --epochs 1 -o runs/one",
    "sweep sweep.toml --store runs/two",
    "report runs/two --html report.html --json",
)
SWEEP = 'dataset = "digits"\nepochs = 1\nseeds = [0]\n[[grid]]\nschemes = ["simplex"]\ndims = [9]\n'


def release(
    *,
    python: str = sys.executable,
    lowest: Annotated[bool, Parameter(negative="")] = False,
    without_torch: Annotated[bool, Parameter(negative="")] = False,
    plain_only: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Install the wheel in dist/ in an empty environment and run programs, first without extras, then with all extras.

    Args:
        python: Path of the Python interpreter of the environments.
        lowest: Install the lowest allowed version of every requirement except torch. The version of torch is always
            that in constraints.txt.
        without_torch: Install no torch, because there is none for this interpreter. Then only codes and the command
            line are tried, without extras.
        plain_only: Try the wheel only without extras.
    """
    wheel = built_wheel()
    for extra in ("",) if plain_only or without_torch else ("", "[all]"):
        with TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "sweep.toml").write_text(SWEEP)
            environment(place, python)
            install(place, wheel, extra, lowest=lowest, without_torch=without_torch)
            for command in (*PLAIN, *(WITH_ALL if extra else ())):
                tried(place, ["protosphere", *command.split()])
            if not without_torch:
                tried(place, ["python", "-c", TORCH])
            if not extra:
                tried(
                    place,
                    ["protosphere", "figure", "histogram-k10"],
                    refusal="pip install 'protosphere[plots]'",
                )
    screen().print(
        f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB, installed and tried",
        soft_wrap=True,
    )


def built_wheel() -> Path:
    """Check the size and the data files of the wheel of this version in dist/, and return its path.

    Raises:
        StorageError: If there is no wheel, the wheel is too large, or a file is missing.
    """
    wheel = ROOT / "dist" / f"protosphere-{__version__}-py3-none-any.whl"
    if not wheel.exists():
        raise StorageError(f"there is no '{wheel}': make dist builds it")
    if wheel.stat().st_size > LARGEST_WHEEL:
        raise StorageError(
            f"'{wheel}' has {wheel.stat().st_size:,} bytes, up to {LARGEST_WHEEL:,} are allowed"
        )
    names = set(ZipFile(wheel).namelist())
    absent = [name for name in NEEDED if f"protosphere/{name}" not in names]
    if absent:
        raise StorageError(f"'{wheel}' lacks {', '.join(absent)}")
    return wheel


def environment(place: Path, python: str) -> None:
    """Create an empty virtual environment in `place`/env."""
    if python == sys.executable:
        venv.create(place / "env", with_pip=True)
    else:
        subprocess.run([python, "-m", "venv", place / "env"], check=True)


def install(
    place: Path, wheel: Path, extra: str, *, lowest: bool, without_torch: bool
) -> None:
    """Install the wheel with its dependencies in the environment.

    Args:
        place: Folder that contains the environment.
        wheel: Path of the wheel.
        extra: Extras such as "[all]"; empty for none.
        lowest: Whether to install the lowest allowed versions.
        without_torch: Whether to leave torch out.
    """
    pip = [
        place / "env" / "bin" / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "-c",
        ROOT / "constraints.txt",
    ]
    if lowest:
        (place / "lowest.txt").write_text("\n".join(lowest_versions()))
        pip += ["-c", place / "lowest.txt"]
    if without_torch:
        subprocess.run([*pip, "--no-deps", wheel], check=True)
        subprocess.run(
            [*pip, *(need for need in requirements() if not need.startswith("torch"))],
            check=True,
        )
    else:
        subprocess.run([*pip, f"{wheel}{extra}"], check=True)


def requirements() -> list[str]:
    """Return the requirements of the package in pyproject.toml, without those of extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project["dependencies"]


def lowest_versions() -> list[str]:
    """Return constraints of pip that select the lowest allowed version of each requirement except torch."""
    constraints: list[str] = []
    for need in requirements():
        match = re.match(r"([\w-]+)>=([\d.]+)", need)
        if match is None or match[1] == "torch":
            continue
        name, version = match.groups()
        missing_parts = max(0, 2 - version.count("."))
        constraints.append(f"{name}~={version}{'.0' * missing_parts}")
    return constraints


def tried(place: Path, arguments: list[str], refusal: str = "") -> None:
    """Run a program of the environment and check the result.

    Args:
        place: Folder that contains the environment.
        arguments: Name of the program and its arguments.
        refusal: Text of an expected error message. If it is empty, the program must succeed.

    Raises:
        StorageError: If the program does not end as expected.
    """
    begun = time.monotonic()
    command = [str(place / "env" / "bin" / arguments[0]), *arguments[1:]]
    answer = subprocess.run(
        command, cwd=place, capture_output=True, text=True, check=False
    )
    if answer.returncode != (2 if refusal else 0) or refusal not in answer.stderr:
        raise StorageError(
            f"'{' '.join(arguments)}' ended with {answer.returncode}: {answer.stderr.strip()[-500:]}"
        )
    screen().print(
        f"{time.monotonic() - begun:6.1f} s  {' '.join(arguments)}", soft_wrap=True
    )
