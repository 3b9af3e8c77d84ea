"""Run typical commands: make codes for 10, 100 and 1,000 classes, compare them, draw figures, and train networks.

`make demo` runs this file. Each command in `COMMANDS` can also be typed after `protosphere`.
"""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

from protosphere.cli import main

FOLDER = Path(__file__).parents[1] / "demo"

ALGEBRAIC = "one_hot,uniform,simplex,cross_polytope,reed_muller,bch,reed_solomon"

COMMANDS = [
    "construct simplex -K 10 -n 9 -o {folder}/k10.safetensors",
    "construct bch -K 100 -n 64 --modify -o {folder}/k100.safetensors",
    "construct reed_muller -K 1000 -n 512 -o {folder}/k1000.safetensors",
    "certify {folder}/k1000.safetensors",
    "bounds -K 100 -n 64",
    "compare -K 10 --dims 4:64 --figure {folder}/compare-k10.png",
    "compare -K 100 --dims 4:256 --figure {folder}/compare-k100.png",
    # The descents take minutes at K = 1000; the separation figure has them at three dimensions.
    f"compare -K 1000 --dims 16:1024 --schemes {ALGEBRAIC} --figure {{folder}}/compare-k1000.png",
    "histogram reed_muller -K 100 -n 16",
    "figure all -o {folder}",
    "sweep examples/digits.toml --store {folder}/digits",
    "report {folder}/digits --html {folder}/report.html",
]


def run() -> int:
    """Run the commands one after another, and return the exit code. Stop at the first command that fails."""
    FOLDER.mkdir(exist_ok=True)
    begun = time.monotonic()
    for template in COMMANDS:
        arguments = shlex.split(
            template.format(folder=shlex.quote(str(FOLDER.relative_to(Path.cwd()))))
        )
        print(f"\n$ protosphere {shlex.join(arguments)}", flush=True)
        if code := main(arguments):
            return code
    pictures = sorted(path.name for path in FOLDER.glob("*.png"))
    took = f"{time.monotonic() - begun:.0f} s"
    print(
        f"\nreport.html and {len(pictures)} pictures in {FOLDER.name}/ after {took}: {', '.join(pictures)}"
    )
    return 0


if __name__ == "__main__":
    import os

    os.chdir(FOLDER.parent)
    sys.exit(run())
