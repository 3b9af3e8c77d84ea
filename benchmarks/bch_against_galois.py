"""Compare the times in which protosphere and the package galois make BCH prototypes for K = 1000, n = 1023.

The first and the second call are timed separately, because caches are filled only after the first.
"""

from __future__ import annotations

import time

import galois
import numpy as np

import protosphere as ps


def seconds(work) -> float:
    """Return the time of one call of `work` in seconds."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def by_galois() -> None:
    """Build the BCH code of dimension 11 with galois, and encode the first 1000 messages."""
    code = galois.BCH(1023, 11)
    messages = (np.arange(1000)[:, None] >> np.arange(11)) & 1
    code.encode(galois.GF2(messages.astype(np.uint8)))


def ours() -> None:
    """Build and certify 1000 points of the same code with protosphere."""
    ps.construct("bch", num_classes=1000, dim=1023)


def main() -> None:
    """Print the times and ratios of the first and second calls."""
    first = seconds(ours)
    again = seconds(ours)
    theirs = seconds(by_galois)
    theirs_again = seconds(by_galois)
    print(
        f"first call:  galois {theirs:8.3f} s   ours {first:8.4f} s   ratio {theirs / first:8.0f}"
    )
    print(
        f"second call: galois {theirs_again:8.3f} s   ours {again:8.4f} s   ratio {theirs_again / again:8.0f}"
    )


if __name__ == "__main__":
    main()
