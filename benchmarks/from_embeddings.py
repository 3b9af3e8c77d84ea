"""Prototypes from one vector per class: CPU seconds, peak memory, and the agreement of prototypes with the vectors."""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

import protosphere as ps
from benchmarks._memory import peak_megabytes


def main() -> None:
    """Print the result as one line, or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--parts", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((given.classes, given.dim), dtype=np.float32)
    begun = time.perf_counter()
    worked = time.process_time()
    code = ps.from_embeddings(vectors, parts=given.parts)
    answer = {
        "num_classes": given.classes,
        "dim": given.dim,
        "parts": given.parts,
        "seconds": time.perf_counter() - begun,
        "cpu_seconds": time.process_time() - worked,
        "peak_mb": peak_megabytes(),
        "max_cosine": float(code.max_cosine),
        "method": code.certificate.method,
        "description": code.explain(),
    }
    if given.json:
        print(json.dumps(answer))
        return
    print(
        f"K = {given.classes:,}, n = {given.dim}, {given.parts} parts: {answer['seconds']:.1f} s "
        f"({answer['cpu_seconds']:.1f} s of CPU), peak {answer['peak_mb']:.0f} MB\n{code.explain()}\n"
        f"max cosine at most {answer['max_cosine']:.6f} ({answer['method']})"
    )


if __name__ == "__main__":
    main()
