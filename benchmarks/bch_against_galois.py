"""BCH prototypes for K = 1000, n = 1023: built by protosphere, and by galois, both without warm caches."""

from __future__ import annotations

import time

import galois
import numpy as np

import protosphere as ps


def seconds(work) -> float:
    """Return the seconds that one call takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def by_galois() -> None:
    """Build the code of k = 11 with galois, and encode the first 1000 messages."""
    code = galois.BCH(1023, 11)
    messages = (np.arange(1000)[:, None] >> np.arange(11)) & 1
    code.encode(galois.GF2(messages.astype(np.uint8)))


def ours() -> None:
    """Build the same codewords with protosphere, placed on the sphere and certified."""
    ps.construct("bch", num_classes=1000, dim=1023)


def main() -> None:
    """Print both times and their ratio; protosphere runs first, so that no cache is warm for it."""
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
