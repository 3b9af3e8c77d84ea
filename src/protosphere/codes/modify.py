"""New codes from old: extend, puncture, shorten, expurgate, augment, repeat columns.

MacWilliams & Sloane, chapter 1, section 9. Each answer carries an honest distance: recomputed where that is cheap,
otherwise what follows from the distance of the code it came from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from protosphere.codes.distance import minimum_distance
from protosphere.codes.linear import LinearCode, MinimumDistance, pack, row_reduce, unpack
from protosphere.errors import InfeasibleError, InvalidArgumentError, as_integer
from protosphere.types import PackedBits


def extend(code: LinearCode) -> LinearCode:
    """Append the parity bit: [n + 1, k], every weight even, d rounded up to even."""
    bits = unpack(code.generator, code.n)
    parity = bits.sum(axis=1, keepdims=True, dtype=np.int64) & 1
    return LinearCode(
        code.n + 1, code.k, pack(np.hstack([bits, parity])), _rounded_to_even(code.distance), f"extended {code.name}"
    )


def puncture(code: LinearCode, positions: Sequence[int]) -> LinearCode:
    """Drop the given positions: j of them cost at most j of the distance.

    Where j >= d, words can fall together: then k is the dimension of what remains, on a reduced generator.
    """
    kept = _kept_positions(code, positions)
    generator = pack(unpack(code.generator, code.n)[:, kept])
    if len(positions) >= code.distance.value:
        generator = _independent_rows(generator, len(kept))
    bound = max(1, code.distance.value - len(positions))
    return _rebuilt(generator, len(kept), bound, "punctured", code)


def shorten(code: LinearCode, positions: Sequence[int]) -> LinearCode:
    """Keep the words that vanish at the given positions, and drop those: k falls by their rank, d does not fall."""
    kept = _kept_positions(code, positions)
    reduced, pivots = row_reduce(code.generator, positions)
    if len(pivots) == code.k:
        raise InfeasibleError(f"'positions' must leave a word other than 0, got {len(positions)} with k = {code.k}")
    generator = pack(unpack(reduced[len(pivots) :], code.n)[:, kept])
    return _rebuilt(generator, len(kept), code.distance.value, "shortened", code)


def expurgate(code: LinearCode) -> LinearCode:
    """Keep the words of even weight: [n, k - 1], or the code itself where every weight is even already."""
    extended = extend(code)
    if not np.any(unpack(extended.generator, extended.n)[:, -1]):
        return code
    if code.k == 1:
        raise InfeasibleError("'code' must have a word of even weight other than 0, got k = 1 of odd weight")
    even = shorten(extended, [code.n])
    return LinearCode(even.n, even.k, even.generator, even.distance, f"expurgated {code.name}")


def augment(code: LinearCode) -> LinearCode:
    """Add the all-ones word: [n, k + 1], or the code itself where it is in there already.

    The distance is the smaller of d and n minus the largest weight; where that is not cheap, only 1 is promised.
    """
    ones = pack(np.ones((1, code.n), dtype=np.uint8))
    generator = np.concatenate([code.generator, ones])
    if len(row_reduce(generator, np.arange(code.n))[1]) == code.k:
        return code
    return _rebuilt(generator, code.n, 1, "augmented", code)


def repeat(code: LinearCode, columns: Sequence[int]) -> LinearCode:
    """Append copies of the given columns, in their order: [n + len(columns), k].

    Columns that together hold every position r times add at least r d to the distance.
    """
    _check_positions(code, columns)
    bits = unpack(code.generator, code.n)
    full_copies = int(np.bincount(columns, minlength=code.n).min()) if len(columns) else 0
    bound = code.distance.value * (1 + full_copies)
    return _rebuilt(pack(np.hstack([bits, bits[:, list(columns)]])), code.n + len(columns), bound, "repeated", code)


def _rebuilt(generator: PackedBits, n: int, bound: int, change: str, code: LinearCode) -> LinearCode:
    reason = f"{change} from distance {code.distance.value} ({code.distance.reason})"
    distance = minimum_distance(generator, n, bound, reason)
    return LinearCode(n, len(generator), generator, distance, f"{change} {code.name}")


def _rounded_to_even(distance: MinimumDistance) -> MinimumDistance:
    value = distance.value + distance.value % 2
    return MinimumDistance(value, distance.exact, f"parity bit on: {distance.reason}")


def _independent_rows(generator: PackedBits, n: int) -> PackedBits:
    reduced, pivots = row_reduce(generator, np.arange(n))
    if not pivots:
        raise InfeasibleError("'positions' must leave a word other than 0, got positions that hold every word")
    return generator if len(pivots) == len(generator) else reduced[: len(pivots)]


def _kept_positions(code: LinearCode, positions: Sequence[int]) -> list[int]:
    _check_positions(code, positions)
    dropped = set(positions)
    if len(dropped) < len(positions):
        raise InvalidArgumentError(f"'positions' must be distinct, got {list(positions)[:20]}")
    if len(dropped) >= code.n:
        raise InfeasibleError(f"'positions' must leave at least one of n = {code.n}, got {len(dropped)}")
    return [i for i in range(code.n) if i not in dropped]


def _check_positions(code: LinearCode, positions: Sequence[int]) -> None:
    for position in positions:
        if as_integer("position", position, minimum=0) >= code.n:
            raise InvalidArgumentError(f"'position' must be below n = {code.n}, got {position}")
