"""Compare `ps.assign` with scipy's FAQ, which is restarted until it has used the same CPU time."""

from __future__ import annotations

import argparse
import json
import time

import numpy as np
from scipy.optimize import quadratic_assignment

import protosphere as ps
from protosphere.assignment.quadratic import pair_sum, without_diagonal
from protosphere.types import Points

SIZES = (100, 300, 1000)


def instances(K: int) -> dict[str, tuple[ps.SphericalCode, Points]]:
    """Return two instances by name. Each is a code of K points and a similarity matrix of K classes.

    The first has random points, and similarities of random vectors. The second has a code of `ps.best`, and
    similarities of vectors that form clusters.
    """
    rng = np.random.default_rng(K)
    vectors = rng.standard_normal((K, 10))
    clustered = rng.standard_normal((K // 5, 40))[
        np.arange(K) % (K // 5)
    ] + rng.standard_normal((K, 40))
    return {
        "loose points, vectors": (
            ps.construct("uniform", num_classes=K, dim=16, seed=1),
            ps.similarity_from_embeddings(vectors),
        ),
        "best code, clusters": (
            ps.best(num_classes=K, dim=32, iterations=0),
            ps.similarity_from_embeddings(clustered),
        ),
    }


def restarted_faq(S: Points, G: Points, seconds: float) -> tuple[float, int, float]:
    """Run scipy's FAQ from the barycenter, and then from random starts until `seconds` of CPU time have passed.

    Args:
        S: Similarity matrix.
        G: Cosines of the points.
        seconds: CPU time.

    Returns:
        The largest value found, the number of starts, and the CPU time in seconds.
    """
    S = without_diagonal(S)
    G = without_diagonal(G)
    begun = time.process_time()
    best = -np.inf
    count = 0
    while count == 0 or time.process_time() - begun < seconds:
        start = "barycenter" if count == 0 else "randomized"
        options = {"maximize": True, "P0": start, "rng": np.random.default_rng(count)}
        best = max(best, float(quadratic_assignment(S, G, options=options).fun) / 2)
        count += 1
    return best, count, time.process_time() - begun


def compared(K: int, code: ps.SphericalCode, similarity: Points) -> dict[str, float]:
    """Return the values and CPU seconds of `ps.assign` and of FAQ on one instance, and the number of starts of FAQ."""
    begun = time.process_time()
    ours = ps.assign(code, similarity)
    took = time.process_time() - begun
    value = pair_sum(similarity, ours.points @ ours.points.T, np.arange(K))
    theirs, count, spent = restarted_faq(similarity, code.points @ code.points.T, took)
    return {
        "value": value,
        "seconds": took,
        "faq_value": theirs,
        "faq_starts": count,
        "faq_seconds": spent,
        "ratio": value / theirs,
    }


def main() -> None:
    """Print a row for each instance."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    small = ps.construct("uniform", num_classes=20, dim=4)
    ps.assign(
        small, ps.similarity_from_embeddings(small.points[::-1])
    )  # what is compiled and imported once
    answer: dict[str, dict[str, dict[str, float]]] = {}
    for K in given.sizes:
        answer[str(K)] = {}
        for name, (code, similarity) in instances(K).items():
            found = compared(K, code, similarity)
            answer[str(K)][name] = found
            if not given.json:
                print(
                    f"K {K:5d}   {name:22s}   assign {found['value']:10.2f} in {found['seconds']:5.1f} s of CPU time"
                    f"   FAQ {found['faq_value']:10.2f}, {found['faq_starts']} starts in {found['faq_seconds']:5.1f} s"
                    f"   ratio {found['ratio']:.4f}",
                    flush=True,
                )
    if given.json:
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
