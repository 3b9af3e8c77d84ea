"""Test the stand-alone verifier on files of random codes and on forged files, and measure its time.

    python -m benchmarks.verifier [--codes 60] [--forgeries 300] [--large]

Every file is checked by the verifier as a script, run by `python -I`, and by `protosphere verify`. The two verdicts
must agree.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
from tests.fuzz.forgeries import forged_files

import protosphere as ps
from protosphere import verify
from protosphere.cli import main as command


def by_script(path: Path) -> dict[str, object]:
    """Return the verdict of the verifier as a script, which uses no installed package."""
    words = [sys.executable, "-I", "-S", verify.__file__, str(path), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) | {"exit_code": done.returncode}


def by_command(path: Path) -> dict[str, object]:
    """Return the verdict of `protosphere verify`."""
    printed = io.StringIO()
    exit_code = 0
    with redirect_stdout(printed):
        try:
            command(["verify", str(path), "--json"])
        except SystemExit as error:
            exit_code = int(error.code or 0)
    return json.loads(printed.getvalue()) | {"exit_code": exit_code}


def agreed(path: Path) -> bool:
    """Return whether the file is accepted.

    Raises:
        SystemExit: If the script and the command give different verdicts.
    """
    verdict = by_script(path)
    if verdict != by_command(path):
        raise SystemExit(f"the script and the command differ at {path}")
    return verdict["exit_code"] == 0


def random_best(folder: Path, count: int, seed: int) -> list[Path]:
    """Write files of `count` codes of `ps.best`, and return their paths.

    K is from 3 to 2,000 and n from 2 to 128, both with a log-uniform distribution.
    """
    rng = np.random.default_rng(seed)
    paths: list[Path] = []
    for number in range(count):
        K = int(math.exp(rng.uniform(math.log(3), math.log(2000))))
        n = int(math.exp(rng.uniform(math.log(2), math.log(128))))
        code = ps.best(num_classes=K, dim=n, iterations=0)
        paths.append(folder / f"best{number}-{K}-{n}.safetensors")
        code.save(paths[-1])
    return paths


def large_files(folder: Path) -> list[Path]:
    """Write two files of 10,000 points in 128 dimensions, and return their paths.

    The coordinates are random floats in the first file, and random signs in the second.
    """
    rows = ps.construct("uniform", num_classes=10_000, dim=128)
    signs = ps.from_points(np.sign(rows.points) / math.sqrt(128))
    paths = [folder / "floats.safetensors", folder / "signs.safetensors"]
    rows.save(paths[0])
    signs.save(paths[1])
    return paths


def main() -> None:
    """Print the number of accepted files, the number of rejected forgeries, and the times of large files."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--codes", type=int, default=60)
    parser.add_argument("--forgeries", type=int, default=300)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        best = random_best(folder, options.codes, options.seed)
        refused = [path.stem for path in best if not agreed(path)]
        print(f"best: {len(best) - len(refused)} of {len(best)} accepted {refused}")
        golden = sorted(Path("tests/golden").glob("*/code-*.safetensors"))
        refused = [path.stem for path in golden if not agreed(path)]
        print(
            f"schemes: {len(golden) - len(refused)} of {len(golden)} accepted {refused}"
        )
        small = [path for path in best + golden if path.stat().st_size < 200_000]
        forged = list(forged_files(small, folder, options.forgeries, options.seed))
        passed = [(kind, path.stem) for kind, path in forged if agreed(path)]
        print(
            f"forgeries: {len(forged) - len(passed)} of {len(forged)} rejected {passed}"
        )
        for path in large_files(folder) if options.large else []:
            start = time.process_time()
            accepted = verify.verify(path).accepted
            seconds = time.process_time() - start
            print(
                f"10,000 x 128 {path.stem}: accepted {accepted}, {seconds:.1f} s of CPU"
            )


if __name__ == "__main__":
    main()
