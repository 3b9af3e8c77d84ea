"""Codewords of a binary linear code as prototypes: the choice of K of the 2**k codewords, and their points."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from protosphere.coding.linear import codewords, encode_bits, weights
from protosphere.errors import as_choice, brief
from protosphere.spherical.placement import Placement
from protosphere.spherical.structures import LinearWords, SignWords
from protosphere.types import Indices, PackedBits

SUBSETS = ("first", "random", "greedy")

STRUCTURE_BITS = 22
"""Number of message bits up to which differences of all messages are counted; with more, pairs are measured one by one.
"""

GREEDY_WORK_BITS = 32
"""Base-2 logarithm of the largest product (codewords to choose) x (codewords to choose from) of the greedy choice.

2**32 entries take about ten seconds.
"""


@dataclass(frozen=True)
class BinaryCode:
    """A binary linear code of the wanted length.

    Attributes:
        id: Identifier of the code within its scheme, which files store.
        description: Text that says what the code is.
        k: Dimension of the code: number of message bits.
        distance: Minimum distance that a theorem guarantees.
        rows: Function from a number of rows to that many first rows of the packed generator.
    """

    id: str
    description: str
    k: int
    distance: int
    rows: Callable[[int], PackedBits]


def message_bits(num_classes: int) -> int:
    """Return the smallest k >= 1 with 2**k >= num_classes."""
    return max(1, (num_classes - 1).bit_length())


def subset_infeasible_reason(scheme: str, subset: str, num_classes: int) -> str | None:
    """Return why the greedy subset cannot have this many classes, or None if it can.

    Args:
        scheme: Name of the construction, for the message.
        subset: One of `SUBSETS`.
        num_classes: Number K of codewords.

    Raises:
        InvalidArgumentError: If `subset` is unknown.
    """
    as_choice("subset", subset, SUBSETS)
    most = 1 << (GREEDY_WORK_BITS // 2)
    if subset != "greedy" or num_classes <= most:
        return None
    got = brief(num_classes)
    return f"'{scheme}' with subset 'greedy' serves at most {most} classes, got {got}; subset 'first' serves more"


def placed_words(
    code: BinaryCode, dim: int, num_classes: int, subset: str, rng: np.random.Generator
) -> Placement:
    """Place K codewords as +-1/sqrt(n) points: Lindstrom et al. (2024), equation 1.

    The subset `first` takes codewords 0 to K-1: the bits of the class number, least significant first, select rows of
    the generator. `random` takes K different codewords at random. `greedy` starts with the zero codeword and repeatedly
    adds the codeword farthest from those chosen; if the result is no better than `first`, `first` is taken.

    Args:
        code: The code.
        dim: Length n.
        num_classes: Number K of codewords.
        subset: One of `SUBSETS`.
        rng: Random generator of the subset 'random'.
    """
    fewest = message_bits(num_classes)
    greedy = max(fewest, min(code.k, GREEDY_WORK_BITS - fewest))
    generator = code.rows({"first": fewest, "random": code.k, "greedy": greedy}[subset])
    k = len(generator)
    if subset == "first" or (1 << k) == num_classes:
        return Placement(code.description, first_words(generator, dim, num_classes))
    description = f"{code.description}, {subset} subset"
    if subset == "greedy":
        messages = greedy_messages(generator, num_classes)
    elif k <= STRUCTURE_BITS:
        messages = rng.choice(1 << k, num_classes, replace=False).astype(np.int64)
    else:
        return Placement(
            description, SignWords(dim, _random_words(generator, num_classes, rng))
        )
    return Placement(description, LinearWords.of(generator, dim, messages))


def first_words(generator: PackedBits, dim: int, num_classes: int) -> LinearWords:
    """Return the codewords of the messages 0 to K - 1.

    Args:
        generator: Packed rows of the generator.
        dim: Length n.
        num_classes: Number K of codewords.
    """
    return LinearWords.of(generator, dim, np.arange(num_classes))


def _random_words(
    generator: PackedBits, num_classes: int, rng: np.random.Generator
) -> PackedBits:
    """Return different random codewords of a code that has too many messages to enumerate.

    Equal codewords are very unlikely; if two are equal, all codewords are drawn again.
    """
    bits = rng.integers(0, 2, (num_classes, len(generator)), dtype=np.uint8)
    while len(np.unique(np.packbits(bits, axis=1), axis=0)) < num_classes:
        bits = rng.integers(0, 2, bits.shape, dtype=np.uint8)
    return encode_bits(generator, bits)


def greedy_messages(generator: PackedBits, num_classes: int) -> Indices:
    """Return K messages, each chosen with the largest distance to the messages before it.

    Ties go to the smallest message.

    If the messages 0 to K - 1 have the same or a larger distance, they are returned instead.

    Args:
        generator: Packed rows of the generator.
        num_classes: Number K of messages.
    """
    k = len(generator)
    weight = weights(codewords(generator, 1 << k))
    everyone = np.arange(1 << k)
    chosen = np.zeros(num_classes, dtype=np.int64)
    nearest = weight.copy()
    closest = weight.max()
    for i in range(1, num_classes):
        chosen[i] = int(np.argmax(nearest))
        closest = min(closest, nearest[chosen[i]])
        np.minimum(nearest, weight[everyone ^ chosen[i]], out=nearest)
    first_closest = weight[1 : 1 << message_bits(num_classes)].min()
    return chosen if closest > first_closest else np.arange(num_classes)
