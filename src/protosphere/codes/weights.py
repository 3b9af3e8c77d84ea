"""The lightest words of a code, by counting."""

from protosphere.codes.linear import codewords, weights
from protosphere.types import PackedBits

CHUNK_BYTES = 1 << 22


def smallest_weight(generator: PackedBits, n: int) -> int:
    """The smallest weight of a word of the span but zero: the minimum distance, for independent rows."""
    stop = 1 << len(generator)
    step = 1 << max(0, (CHUNK_BYTES // max(1, generator.shape[1])).bit_length() - 1)
    start, smallest = 1, n
    while start < stop:
        end = min(stop, (start // step + 1) * step)
        smallest = min(smallest, int(weights(codewords(generator, end - start, start)).min()))
        start = end
    return smallest
