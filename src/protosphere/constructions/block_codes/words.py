"""Choice of K codewords of a binary linear code as prototypes.

A message is an integer whose bits select rows of the generator matrix. The sum of these rows modulo 2 is the codeword
of the message. A code with k message bits has 2^k codewords. A packed row is a row of bytes, with eight bits in a byte.
"""

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
"""Largest number of message bits for which the distances of all pairs of codewords are counted together.

With more message bits, pairs of codewords are compared one by one.
"""

GREEDY_WORK_BITS = 32
"""Base-2 logarithm of the largest product of K and the number of codewords from which the greedy choice takes K.

At this limit the choice takes about ten seconds.
"""


@dataclass(frozen=True)
class BinaryCode:
    """A binary linear code.

    Attributes:
        id: Identifier of the code within its scheme. Files store it, so it never changes.
        description: Text that says what the code is.
        k: Dimension of the code. The code has 2**k codewords.
        distance: Guaranteed lower bound on the Hamming distance of two different codewords.
        rows: Function that takes a count m and returns the first m rows of the generator matrix, packed with eight bits
            in a byte.
    """

    id: str
    description: str
    k: int
    distance: int
    rows: Callable[[int], PackedBits]


def message_bits(num_classes: int) -> int:
    """Return the smallest number of message bits of a code that has K codewords: the smallest k >= 1 with 2**k >= K.

    Args:
        num_classes: Number K of codewords.
    """
    return max(1, (num_classes - 1).bit_length())


def subset_infeasible_reason(scheme: str, subset: str, num_classes: int) -> str | None:
    """Return why K is too large for a method of choosing codewords, or None if it is not too large.

    The method 'greedy' takes at most 65,536 codewords. The other methods have no limit.

    Args:
        scheme: Name of the construction, for the message.
        subset: Method of choosing codewords: 'first', 'random' or 'greedy'.
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
    """Choose K codewords of a binary linear code, and return them as points with entries +1/sqrt(n) and -1/sqrt(n).

    There are three methods of choosing the codewords:

    - 'first' takes codewords 0 to K - 1. The bits of the index of a codeword, least significant first, select rows of
      the generator matrix; the codeword is the sum of these rows modulo 2.
    - 'random' takes K different codewords at random.
    - 'greedy' starts with the zero codeword and repeatedly adds the codeword whose smallest distance to the chosen
      codewords is largest. Of a code with more than 2^32 / K codewords, only about the first 2^32 / K are considered.
      If the minimum distance of the result is not larger than that of the first 2^b codewords, where 2^b is the
      smallest power of two that is at least K, the codewords of 'first' are taken.

    The points of linear codes are described by Lindström et al. (2024).

    Args:
        code: The code.
        dim: Length n of the codewords.
        num_classes: Number K of codewords.
        subset: Method of choosing codewords: 'first', 'random' or 'greedy'.
        rng: Random generator for the method 'random'.
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
    """Return the first K codewords of a binary linear code as points with entries +1/sqrt(n) and -1/sqrt(n).

    Bit i of the index j is the bit of value 2^i. Codeword j is the sum modulo 2 of the rows i of the generator matrix
    for which bit i of j is 1.

    Args:
        generator: Rows of the generator matrix, at least log2(K) of them, packed with eight bits in a byte.
        dim: Length n of the codewords.
        num_classes: Number K of codewords.
    """
    return LinearWords.of(generator, dim, np.arange(num_classes))


def _random_words(
    generator: PackedBits, num_classes: int, rng: np.random.Generator
) -> PackedBits:
    bits = rng.integers(0, 2, (num_classes, len(generator)), dtype=np.uint8)
    # The code has far more than `num_classes` codewords, so equal ones are rarely drawn.
    while len(np.unique(np.packbits(bits, axis=1), axis=0)) < num_classes:
        bits = rng.integers(0, 2, bits.shape, dtype=np.uint8)
    return encode_bits(generator, bits)


def greedy_messages(generator: PackedBits, num_classes: int) -> Indices:
    """Return K messages, chosen greedily so that the minimum distance of their codewords is large.

    A message is an integer whose bits select rows of the generator matrix; the sum of these rows modulo 2 is the
    codeword of the message. The first message is 0. Each next message has the codeword whose smallest Hamming distance
    to the chosen codewords is largest. If there are several such messages, the smallest is taken. Let 2^b be the
    smallest power of two that is at least K. If the codewords of the messages 0 to 2^b - 1 have at least the same
    minimum distance as the chosen codewords, the messages 0 to K - 1 are returned.

    Args:
        generator: Rows of the generator matrix, packed with eight bits in a byte.
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
