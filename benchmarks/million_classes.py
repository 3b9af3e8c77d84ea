"""Measure the seconds to build, certify, save and load codes with K = 1,000,000 and n = 512, and the peak memory."""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

import protosphere as ps

DENSE_BYTES = 1_000_000 * 512 * 4


def peak_megabytes() -> float:
    """Return the largest resident size of this process so far in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print a row for each scheme."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    start = peak_megabytes()
    answer: dict[str, dict[str, str | float]] = {}
    if not given.json:
        print(f"a dense float32 matrix would take {DENSE_BYTES / 2**20:.0f} MB")
    for scheme, options in (("reed_muller", {}), ("bch", {"modify": True})):
        begun = time.perf_counter()
        code = ps.construct(scheme, num_classes=1_000_000, dim=512, **options)
        built = time.perf_counter() - begun
        peak = peak_megabytes() - start
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "million.safetensors"
            begun = time.perf_counter()
            code.save(path)
            saved = time.perf_counter() - begun
            begun = time.perf_counter()
            ps.load(path)
            loaded = time.perf_counter() - begun
        answer[scheme] = {
            "max_cosine": str(code.max_cosine),
            "built_s": built,
            "saved_s": saved,
            "loaded_s": loaded,
            "peak_mb": peak,
        }
        if given.json:
            continue
        print(
            f"{scheme:12s} max cosine {code.max_cosine!s:>5s}   built and certified {built:.2f} s   saved {saved:.2f} s"
            f"   loaded {loaded:.2f} s   peak {peak:.0f} MB above the import"
        )
    if given.json:
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
