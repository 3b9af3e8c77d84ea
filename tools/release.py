"""`python -m tools release`: install the built wheel into empty environments, and try it there."""

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
    """Try the wheel in dist/: without extras, and with all of them.

    Args:
        python: The interpreter of the environments.
        lowest: Take the lowest version that pyproject.toml allows of everything but torch, which constraints.txt has.
        without_torch: Leave torch out, for interpreters that none is to be had for: codes and the command line alone.
        plain_only: Without extras only.
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
    """Return the path of the wheel of this version after checking its size and its data files."""
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
    """Create an empty virtual environment in the folder `env`."""
    if python == sys.executable:
        venv.create(place / "env", with_pip=True)
    else:
        subprocess.run([python, "-m", "venv", place / "env"], check=True)


def install(
    place: Path, wheel: Path, extra: str, *, lowest: bool, without_torch: bool
) -> None:
    """Install the wheel with its dependencies; the version of torch is that of constraints.txt."""
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
    """Return the requirements of pyproject.toml without extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project["dependencies"]


def lowest_versions() -> list[str]:
    """Return constraints on the lowest version of each requirement; ~= allows its bug-fix releases."""
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
    """Run a program of the environment, and check that it succeeds, or that it fails with the expected refusal."""
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
