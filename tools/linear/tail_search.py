"""Derive codes with a larger minimum distance from a code with few codewords of low weight.

A codeword is the sum of some rows of the generator matrix. Its message is the integer whose bits select these rows. A
codeword is light if its weight is below the distance to reach, and its message is then called light, too. A functional
is a linear function from messages to bits, written as an integer: its value at a message is the parity of the number of
ones in `message & functional`.

Choose functionals such that at least one is 1 at every light message.

- The codewords for whose messages all functionals are 0 form a subcode without light codewords.
- The values of the functionals can be encoded by a short code and appended as new columns. This gives light codewords
  more weight, and is called Construction X.

The module also has a case of Construction Y1: the subcode of the codewords that are 0 in three dependent columns.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from protosphere.coding.derivations import Bits
from protosphere.coding.linear import walsh_hadamard
from protosphere.errors import InvalidArgumentError
from protosphere.tables.linear_codes import LARGEST_DIMENSION, LARGEST_LENGTH
from protosphere.types import Indices
from tools.linear.deep_holes import lengthened_codes
from tools.linear.workshop import Found, Workshop, distance, word_weights

LONGEST_TAIL = 9
MOST_FUNCTIONALS = 6
CROWDED = 60
"""If there are more light messages than this number times `classes`, no functionals are searched for."""

Targets = Mapping[tuple[int, int], int]


def covering_functionals(
    light: Indices, k: int, count: int, rng: random.Random
) -> list[int] | None:
    """Return functionals such that at least one of them is 1 at every light message; None if the search finds none.

    Functionals are chosen greedily, then replaced one at a time.

    Args:
        light: The light messages.
        k: Number of bits of a message.
        count: Largest number of functionals.
        rng: Random generator.
    """
    found: list[int] = []
    left = light
    for _ in range(count):
        found.append(_most_often_one(left, k, rng))
        left = _vanishing(left, found[-1])
        if not len(left):
            return found
    for _ in range(3 * count if count > 1 else 0):
        place = rng.randrange(count)
        left = light
        for other, functional in enumerate(found):
            left = left if other == place else _vanishing(left, functional)
        found[place] = _most_often_one(left, k, rng)
        if not len(_vanishing(left, found[place])):
            return found
    return None


def _most_often_one(messages: Indices, k: int, rng: random.Random) -> int:
    """Return a functional that is 1 at as many of the messages as possible."""
    sums = walsh_hadamard(np.bincount(messages, minlength=1 << k).astype(np.int64))
    return int(rng.choice(np.flatnonzero(sums == sums.min()).tolist()))


def _vanishing(messages: Indices, functional: int) -> Indices:
    return messages[np.bitwise_count(messages & functional) % 2 == 0]


def derived_codes(
    base: Found, workshop: Workshop, targets: Targets, rng: random.Random
) -> Iterator[Found]:
    """Yield codes that are derived from `base` and should improve the codes in `workshop`.

    Their minimum distances are computed from theorems and searches, and are not checked (see `proved`).

    Args:
        base: Code from which the others are derived.
        workshop: The best codes so far.
        targets: Minimum distances to reach, by length and dimension.
        rng: Random generator.
    """
    bits = base.bits
    weight = word_weights(bits)
    yield from _with_tails(base, weight, workshop, targets, rng)
    yield from _subcodes(base, weight, workshop, targets, rng)
    yield from _vanishing_on_lines(base, bits, workshop)
    yield from lengthened_codes(base, bits, workshop, targets, rng)


def _light(weight: Indices, d: int, classes: int) -> Indices | None:
    """Return the messages of all nonzero codewords of weight below `d`; None if there are too many."""
    light = np.flatnonzero(weight < d)[1:]
    return light if len(light) <= CROWDED * classes else None


def _with_tails(
    base: Found,
    weight: Indices,
    workshop: Workshop,
    targets: Targets,
    rng: random.Random,
) -> Iterator[Found]:
    for length in range(1, LONGEST_TAIL + 1):
        cell = base.n + length, base.k
        target = targets.get(cell, 0)
        if workshop.d(*cell) >= target or target <= base.d:
            continue
        tails = [
            k
            for k in range(1, min(length, base.k) + 1)
            if workshop.d(length, k) >= target - base.d
        ]
        light = _light(weight, target, 1 << tails[-1]) if tails else None
        if light is not None:
            found = covering_functionals(light, base.k, tails[-1], rng)
        else:
            found = None
        if found:
            columns = _tail_columns(found, workshop.best[length, tails[-1]].bits)
            yield base.then(
                *cell,
                target,
                f"columns {'.'.join(f'{column:x}' for column in columns)}",
            )


def _tail_columns(functionals: list[int], tail: Bits) -> list[int]:
    """Return the new columns that encode the values of the functionals by the code with generator matrix `tail`."""
    columns = [0] * tail.shape[1]
    for functional, row in zip(functionals, tail, strict=False):
        columns = [
            column ^ functional if bit else column
            for column, bit in zip(columns, row.tolist(), strict=True)
        ]
    return columns


def _subcodes(
    base: Found,
    weight: Indices,
    workshop: Workshop,
    targets: Targets,
    rng: random.Random,
) -> Iterator[Found]:
    for count in range(1, min(MOST_FUNCTIONALS, base.k - 1) + 1):
        cell = base.n, base.k - count
        target = targets.get(cell, 0)
        if workshop.d(*cell) < target:
            light = _light(weight, target, 1 << count)
        else:
            light = None
        if light is not None:
            found = covering_functionals(light, base.k, count, rng)
        else:
            found = None
        if found and len(found) == count:
            columns = ".".join(f"{functional:x}" for functional in found)
            yield base.then(*cell, target, f"columns {columns}, shorten {count}")


def _vanishing_on_lines(base: Found, bits: Bits, workshop: Workshop) -> Iterator[Found]:
    """Yield the subcode of the codewords that are 0 in three columns of which the third is the sum of the others.

    It is yielded only if such columns exist and it is better than the best code of its length and dimension so far.
    """
    columns = (bits.T.astype(np.int64) << np.arange(base.k)).sum(axis=1).tolist()
    place = {column: j for j, column in enumerate(columns)}
    lines = (
        (i, j, place[a ^ b])
        for (i, a), (j, b) in combinations(enumerate(columns), 2)
        if a ^ b in place
    )
    line = next(lines, None)
    if line and base.k > 2 and base.d > workshop.d(base.n - 3, base.k - 2):
        yield base.then(
            base.n - 3,
            base.k - 2,
            base.d,
            f"shorten_at {'.'.join(f'{j:x}' for j in line)}",
        )


def proved(code: Found) -> Found | None:
    """Return the code with its minimum distance computed from all codewords.

    The result is None if the code does not have the stated length and dimension, or is too large.
    """
    try:
        bits = code.bits
    except InvalidArgumentError:  # its rows are dependent
        return None
    if (
        bits.shape != (code.k, code.n)
        or code.k > LARGEST_DIMENSION + 2
        or code.n > LARGEST_LENGTH + 8
    ):
        return None
    return Found(code.n, code.k, distance(bits), code.steps, code.begin)
