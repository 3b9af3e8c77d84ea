"""What `ps.best` takes by default over random (K, n), and what a longer search would have found."""

from __future__ import annotations

import sys
import time

import numpy as np

import protosphere as ps


def random_cells(count: int, seed: int) -> list[tuple[int, int]]:
    """K up to 2,000, uniform and log-uniform in turn; n from 3 to 200, log-uniform."""
    rng = np.random.default_rng(seed)
    cells: list[tuple[int, int]] = []
    for number in range(count):
        low, high = np.log(10), np.log(2000)
        num_classes = int(rng.integers(10, 2001)) if number % 2 else int(np.exp(rng.uniform(low, high)))
        cells.append((num_classes, int(np.exp(rng.uniform(np.log(3), np.log(200))))))
    return cells


def main(count: int, budget: float, seed: int) -> None:
    """Print a row a cell, then medians; `budget` seconds for the longer search, 0 for none."""
    ps.best(num_classes=320, dim=6, iterations=100)  # what is compiled and imported once
    seconds, processor, excess = list[float](), list[float](), list[float]()
    for num_classes, dim in random_cells(count, seed):
        wall, begun = time.perf_counter(), time.process_time()
        value = float(ps.best(num_classes=num_classes, dim=dim).max_cosine)
        processor.append(time.process_time() - begun)
        seconds.append(time.perf_counter() - wall)
        row = f"K {num_classes:5d} n {dim:4d}   {value:.5f} in {seconds[-1]:5.1f} s, {processor[-1]:5.1f} of processor"
        if budget:
            longer = float(ps.best(num_classes=num_classes, dim=dim, budget=budget).max_cosine)
            excess.append((value - longer) / max(abs(longer), 1e-9))
            row += f"   {100 * excess[-1]:+.2f} % against {budget:g} s"
        print(row, flush=True)
    print(f"median {np.median(seconds):.1f} s, {np.median(processor):.1f} of processor, most {max(processor):.1f}")
    if excess:
        print(f"median {100 * np.median(excess):+.2f} % against {budget:g} s")


if __name__ == "__main__":
    words = [*sys.argv[1:], *("12", "0", "5")[len(sys.argv) - 1 :]]
    main(int(words[0]), float(words[1]), int(words[2]))
