"""Run each benchmark in a process of its own, so that none profits from what another has loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Run the benchmarks named on the command line. Without names, run all files of this folder."""
    every = sorted(
        path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_")
    )
    for name in sys.argv[1:] or every:
        print(f"== {name}", flush=True)
        subprocess.run(
            [sys.executable, "-m", f"benchmarks.{name}"], check=True, cwd=HERE.parent
        )


if __name__ == "__main__":
    main()
