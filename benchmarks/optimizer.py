"""Compare the search of `ps.best` with the paper's log-sum-exp descent.

It measures the time in which the search reaches the maximum cosine that the descent finds, and the final result of a
longer search.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import protosphere as ps
from protosphere.search.code_search import search_code

CELLS = ((16, 100, 10.0), (32, 100, 10.0), (128, 1000, 60.0))
"""n, K, and seconds for the search's own final value."""


def least_seconds(repeats: int, work: Callable[[], float]) -> tuple[float, float]:
    """Return the shortest time of `repeats` calls of `work` in seconds, and the result of the last call."""
    shortest = float("inf")
    answer = 0.0
    for _ in range(repeats):
        begun = time.perf_counter()
        answer = work()
        shortest = min(shortest, time.perf_counter() - begun)
    return shortest, answer


def _descent(dim: int, count: int) -> float:
    return float(
        ps.construct("log_sum_exp", num_classes=count, dim=dim, seed=0).max_cosine
    )


def _passing(dim: int, count: int, value: float) -> float:
    rng = np.random.default_rng(0)
    return search_code(
        count, dim, rng=rng, budget=60.0, target=value, polish=False
    ).max_cosine


def main() -> None:
    """Print a row for each (K, n) pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    answer: dict[str, dict[str, float]] = {}
    search_code(
        9, 3, rng=np.random.default_rng(0), iterations=50
    )  # what is compiled and imported once
    ps.construct("log_sum_exp", num_classes=4, dim=2)
    for dim, count, budget in CELLS:
        repeats = 5 if count < 1000 else 1
        theirs, value = least_seconds(repeats, partial(_descent, dim, count))
        ours, _ = least_seconds(repeats, partial(_passing, dim, count, value))
        final = float(ps.best(num_classes=count, dim=dim, budget=budget).max_cosine)
        answer[f"{dim}, {count}"] = {
            "log_sum_exp": value,
            "log_sum_exp_s": theirs,
            "search_s": ours,
            "ratio": theirs / ours,
            "search": final,
        }
        if given.json:
            continue
        print(
            f"n {dim:4d} K {count:5d}   log-sum-exp {value:.4f} in {theirs:.3f} s   the search passes that in"
            f" {ours:.3f} s: {theirs / ours:.0f} times faster   its own value {final:.4f} ({budget:.0f} s)",
            flush=True,
        )
    if given.json:
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
