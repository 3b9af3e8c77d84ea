"""Which differences occur between chosen words of a linear code, without looking at pairs.

The distance of two words of a linear code is the weight of the word of the difference of their messages. How often
each difference occurs is the autocorrelation of the set of messages, and that is two Walsh-Hadamard transforms.
"""

import numpy as np
from numpy.typing import NDArray

from protosphere.codes.linear import codewords, weights
from protosphere.types import Indices, PackedBits

CHUNK_WORDS = 1 << 16


def walsh_hadamard(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The unnormalised Walsh-Hadamard transform of 2**k integers."""
    out = values.copy()
    half = 1
    while half < out.size:
        pairs = out.reshape(-1, 2, half)
        left = pairs[:, 0] + pairs[:, 1]
        pairs[:, 1] = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] = left
        half *= 2
    return out


def difference_counts(messages: Indices, k: int) -> NDArray[np.int64]:
    """For each x < 2**k, how many ordered pairs of messages have the difference (XOR) x; at 0 the messages themselves.

    Exact in 64 bits while len(messages) * 2**k < 2**63 (Parseval bounds every partial sum).
    """
    indicator = np.bincount(messages, minlength=1 << k).astype(np.int64)
    spectrum = walsh_hadamard(indicator)
    return walsh_hadamard(spectrum * spectrum) >> k


def pair_distance_counts(generator: PackedBits, messages: Indices) -> dict[int, int]:
    """How many unordered pairs of the chosen words are at each Hamming distance, exactly.

    >>> import numpy as np
    >>> pair_distance_counts(np.packbits([[1, 1, 0], [0, 1, 1]], axis=1), np.arange(4))
    {2: 6}
    """
    k = len(generator)
    counts = difference_counts(messages, k)
    repeated = (int(counts[0]) - len(messages)) // 2
    counts[0] = 0
    totals = np.zeros(generator.shape[1] * 8 + 1, dtype=np.int64)
    for start in range(0, 1 << k, CHUNK_WORDS):
        size = min(CHUNK_WORDS, (1 << k) - start)
        words = codewords(generator, size, start)
        totals += np.bincount(weights(words), counts[start : start + size], len(totals)).astype(np.int64)
    totals[0] += 2 * repeated
    return {distance: int(count) // 2 for distance, count in enumerate(totals) if count}
