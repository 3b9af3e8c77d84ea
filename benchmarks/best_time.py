"""Measure the time of `ps.best` for random pairs (K, n).

`python -m benchmarks.best_time` measures searches for small codes. `python -m benchmarks.best_time scale` makes codes
of up to ten million classes in up to 4,096 dimensions, each in its own process, and writes a table of CPU seconds and
peak memory.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import protosphere as ps
from benchmarks._memory import peak_megabytes
from protosphere.storage.csv_files import write_csv

MOST_CLASSES, LARGEST_DIM = 10**7, 4096
"""The largest code of the table of large codes."""

COLUMNS = (
    "num_classes",
    "dim",
    "seconds",
    "megabytes",
    "max_cosine",
    "description",
    "method",
    "error",
)
"""Of the table: CPU seconds and peak memory of a process, or why it ended without an answer."""

SCALE_DEFAULTS = ("200", "5", "results/best_time/scale.csv")
"""How many random (K, n), their seed, and the table."""

CPU_LIMIT_SECONDS = 300
"""When a process that takes too long is ended."""


def random_cells(count: int, seed: int) -> list[tuple[int, int]]:
    """Return random (K, n) pairs for searches.

    K is from 10 to 2,000, with a uniform distribution for every second pair and a log-uniform one for the others. n is
    from 3 to 200, with a log-uniform distribution.
    """
    rng = np.random.default_rng(seed)
    cells: list[tuple[int, int]] = []
    for number in range(count):
        low = np.log(10)
        high = np.log(2000)
        if number % 2:
            num_classes = int(rng.integers(10, 2001))
        else:
            num_classes = int(np.exp(rng.uniform(low, high)))
        cells.append((num_classes, int(np.exp(rng.uniform(np.log(3), np.log(200))))))
    return cells


def large_cells(count: int, seed: int) -> list[tuple[int, int]]:
    """Return random (K, n) pairs with K from 2 to 10^7 and n from 2 to 4,096, both log-uniform."""
    rng = np.random.default_rng(seed)
    classes = np.exp(rng.uniform(math.log(2), math.log(MOST_CLASSES), count))
    dims = np.exp(rng.uniform(math.log(2), math.log(LARGEST_DIM), count))
    return [
        (round(num_classes), round(dim))
        for num_classes, dim in zip(classes, dims, strict=True)
    ]


def measured_cell(num_classes: int, dim: int) -> dict[str, object]:
    """Run `print_cell` in a new process and return the values that it prints.

    If the process fails, the result has only the key "error".
    """
    words = [
        sys.executable,
        "-m",
        "benchmarks.best_time",
        "cell",
        str(num_classes),
        str(dim),
    ]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode:
        reason = ended.stderr.strip().splitlines()
        return {
            "error": reason[-1] if reason else f"ended by signal {-ended.returncode}"
        }
    return json.loads(ended.stdout)


def print_cell(num_classes: int, dim: int) -> None:
    """Run `ps.best` for K and n, and print the CPU seconds, the peak memory in MB and the result as JSON."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_SECONDS, CPU_LIMIT_SECONDS))
    begun = time.process_time()
    code = ps.best(num_classes=num_classes, dim=dim)
    seconds = time.process_time() - begun
    found = {
        "seconds": round(seconds, 1),
        "megabytes": round(peak_megabytes()),
        "max_cosine": float(code.max_cosine),
    }
    print(
        json.dumps(
            found
            | {
                "description": code.placement.description,
                "method": code.certificate.method,
            }
        )
    )


def scale(count: int, seed: int, table: Path) -> None:
    """Measure `count` random large pairs (K, n) and write the results to `table`.

    The rows are printed as they are measured. The rows with the most CPU seconds and the most memory are printed last.
    """
    measured = list[dict[str, object]]()
    for num_classes, dim in large_cells(count, seed):
        row = {"num_classes": num_classes, "dim": dim} | measured_cell(num_classes, dim)
        print(*(row.get(column, "") for column in COLUMNS), sep=", ", flush=True)
        measured.append(row)
    write_csv(table, COLUMNS, measured)
    for column in ("seconds", "megabytes"):
        most = max(measured, key=lambda row: float(str(row.get(column, 0))))
        print(f"most {column}: {most}")


def searches(count: int, budget: float, seed: int) -> None:
    """Print a row for each of `count` random pairs (K, n), then medians.

    If `budget` is not 0, each row also compares the result with that of a search of `budget` seconds.
    """
    ps.best(
        num_classes=320, dim=6, iterations=100
    )  # what is compiled and imported once
    seconds = list[float]()
    cpu = list[float]()
    excess = list[float]()
    for num_classes, dim in random_cells(count, seed):
        wall = time.perf_counter()
        begun = time.process_time()
        value = float(ps.best(num_classes=num_classes, dim=dim).max_cosine)
        cpu.append(time.process_time() - begun)
        seconds.append(time.perf_counter() - wall)
        row = f"K {num_classes:5d} n {dim:4d}   {value:.5f} in {seconds[-1]:5.1f} s, {cpu[-1]:5.1f} of CPU"
        if budget:
            longer = float(
                ps.best(num_classes=num_classes, dim=dim, budget=budget).max_cosine
            )
            excess.append((value - longer) / max(abs(longer), 1e-9))
            row += f"   {100 * excess[-1]:+.2f} % against {budget:g} s"
        print(row, flush=True)
    print(
        f"median {np.median(seconds):.1f} s, {np.median(cpu):.1f} of CPU, most {max(cpu):.1f}"
    )
    if excess:
        print(f"median {100 * np.median(excess):+.2f} % against {budget:g} s")


def main(words: list[str]) -> None:
    """Run the measurement that the command line selects.

    The possible words are `scale [count] [seed] [table]`, `cell K n`, and `[count] [budget] [seed]`.
    """
    if words[:1] == ["cell"]:
        print_cell(int(words[1]), int(words[2]))
    elif words[:1] == ["scale"]:
        count, seed, table = [*words[1:], *SCALE_DEFAULTS[len(words) - 1 :]]
        scale(int(count), int(seed), Path(table))
    else:
        count, budget, seed = [*words, *("12", "0", "5")[len(words) :]]
        searches(int(count), float(budget), int(seed))


if __name__ == "__main__":
    main(sys.argv[1:])
