"""How many words of each weight a code has: by counting, or from its dual.

MacWilliams & Sloane, chapter 5 (theorem 1 and section 2 for the Krawtchouk polynomials).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb

import numpy as np

from protosphere.codes.linear import LinearCode, codewords, dual, weights
from protosphere.errors import InfeasibleError, InvalidArgumentError, as_integer
from protosphere.types import Indices, PackedBits

LARGEST_ENUMERATION = 20
"""Words are counted one by one up to 2**20 of them."""

CHUNK_BYTES = 1 << 22


def weight_distribution(code: LinearCode | PackedBits, n: int | None = None) -> tuple[int, ...]:
    """A_0, ..., A_n: the number of words of each weight, exact.

    `code` is a LinearCode, or a generator of independent rows together with `n`.
    """
    if isinstance(code, LinearCode):
        if _is_first_order_reed_muller(code):
            return first_order_distribution(code.k - 1)
        return _distribution(code.generator, code.n)
    return _distribution(code, as_integer("n", n, minimum=1))


def first_order_distribution(m: int) -> tuple[int, ...]:
    """The weights of RM(1, m): 0 and 2^m once, 2^(m-1) for the rest (M&S chapter 13)."""
    n = 1 << as_integer("m", m, minimum=1)
    distribution = [0] * (n + 1)
    distribution[0] = distribution[n] = 1
    distribution[n // 2] = 2 * n - 2
    return tuple(distribution)


def macwilliams_transform(distribution: Sequence[int], n: int, k: int) -> tuple[int, ...]:
    """The weight distribution of the dual of an [n, k] code with the given one.

    >>> macwilliams_transform((1, 0, 0, 1), 3, 1)  # repetition -> even weights
    (1, 0, 3, 0)
    """
    if len(distribution) != n + 1 or sum(distribution) != 1 << k:
        raise InvalidArgumentError(
            f"'distribution' must hold n + 1 = {n + 1} counts with sum 2**{k}, got {len(distribution)} counts"
        )
    return tuple(dual_counts(distribution, n, k))


def dual_counts(distribution: Sequence[int], n: int, k: int) -> Iterator[int]:
    """B_0, B_1, ... of the dual, one at a time: B_j = 2^-k sum_i A_i K_j(i), K_j the Krawtchouk polynomial.

    (j+1) K_{j+1}(i) = (n-2i) K_j(i) - (n-j+1) K_{j-1}(i).
    """
    used = [(i, count) for i, count in enumerate(distribution) if count]
    previous, current = [0] * len(used), [1] * len(used)
    for j in range(n + 1):
        yield sum(count * value for (_, count), value in zip(used, current, strict=True)) >> k
        following = [
            ((n - 2 * i) * now - (n - j + 1) * before) // (j + 1)
            for (i, _), now, before in zip(used, current, previous, strict=True)
        ]
        previous, current = current, following


def smallest_weight(generator: PackedBits, n: int, count: int | None = None) -> int:
    """The smallest weight among the words number 1, ..., count - 1 of the span (`codewords`' numbers); all by default.

    For `count` a power of two these words are a subcode, and the answer is its minimum distance.
    """
    total = 1 << len(generator) if count is None else as_integer("count", count, minimum=2)
    smallest = n
    for block in _weight_blocks(generator, total, start=1):
        smallest = min(smallest, int(block.min()))
    return smallest


def counted_distribution(generator: PackedBits, n: int) -> tuple[int, ...]:
    """A_0, ..., A_n of the span by enumeration, a few megabytes at a time."""
    counts = np.zeros(n + 1, dtype=np.int64)
    for block in _weight_blocks(generator, 1 << len(generator)):
        counts += np.bincount(block, minlength=n + 1)
    return tuple(counts.tolist())


def _distribution(generator: PackedBits, n: int) -> tuple[int, ...]:
    k = len(generator)
    if k == n:
        return tuple(comb(n, i) for i in range(n + 1))
    if k <= LARGEST_ENUMERATION:
        return counted_distribution(generator, n)
    if n - k <= LARGEST_ENUMERATION:
        return macwilliams_transform(counted_distribution(dual(generator, n), n), n, n - k)
    raise InfeasibleError(
        f"'code' has too many words to count: k = {k}, n - k = {n - k}; one of them must be at most "
        f"{LARGEST_ENUMERATION}"
    )


def _weight_blocks(generator: PackedBits, stop: int, start: int = 0) -> Iterator[Indices]:
    step = 1 << max(0, (CHUNK_BYTES // max(1, generator.shape[1])).bit_length() - 1)
    while start < stop:
        end = min(stop, (start // step + 1) * step)
        yield weights(codewords(generator, end - start, start))
        start = end


def _is_first_order_reed_muller(code: LinearCode) -> bool:
    """2n words at pairwise distance n/2 or more are n pairs of complements at distance n/2, by Rankin's theorem."""
    known = code.distance
    return code.k > 1 and code.n == 1 << (code.k - 1) and known.exact and 2 * known.value == code.n
