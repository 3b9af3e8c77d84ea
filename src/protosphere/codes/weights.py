"""The lightest words of a code, by counting."""

from protosphere.codes.linear import codewords, weights
from protosphere.errors import as_integer
from protosphere.types import PackedBits

CHUNK_BYTES = 1 << 22


def smallest_weight(generator: PackedBits, n: int, count: int | None = None) -> int:
    """The smallest weight among the words number 1, ..., count - 1 of the span (`codewords`' numbers); all by default.

    For `count` a power of two these words are a subcode, and the answer is its minimum distance.
    """
    stop = 1 << len(generator) if count is None else as_integer("count", count, minimum=2)
    step = 1 << max(0, (CHUNK_BYTES // max(1, generator.shape[1])).bit_length() - 1)
    start, smallest = 1, n
    while start < stop:
        end = min(stop, (start // step + 1) * step)
        smallest = min(smallest, int(weights(codewords(generator, end - start, start)).min()))
        start = end
    return smallest
