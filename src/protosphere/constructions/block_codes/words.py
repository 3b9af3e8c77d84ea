"""Words of a binary linear code as prototypes: which K of the 2**k, and where they stand on the sphere."""

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
"""Up to 2**22 messages their differences are counted at once; beyond, pairs are measured one by one."""

GREEDY_WORK_BITS = 32
"""The greedy choice looks at (words to choose) x (words to choose from) entries: at most 2**32, about ten seconds."""


@dataclass(frozen=True)
class BinaryCode:
    """A code of the wanted length.

    Attributes:
        id: Token that names the code among those of its scheme; files keep it.
        description: What the code is, for people.
        k: Dimension.
        distance: Minimum distance that a theorem promises.
        rows: Function from a number to so many first rows of the generator.
    """

    id: str
    description: str
    k: int
    distance: int
    rows: Callable[[int], PackedBits]


def message_bits(num_classes: int) -> int:
    """The smallest k with 2**k >= num_classes, at least 1."""
    return max(1, (num_classes - 1).bit_length())


def subset_infeasible_reason(scheme: str, subset: str, num_classes: int) -> str | None:
    """Why the greedy choice cannot serve so many classes; a choice that is none is refused."""
    as_choice("subset", subset, SUBSETS)
    most = 1 << (GREEDY_WORK_BITS // 2)
    if subset != "greedy" or num_classes <= most:
        return None
    got = brief(num_classes)
    return f"'{scheme}' with subset 'greedy' serves at most {most} classes, got {got}; subset 'first' serves more"


def placed_words(
    code: BinaryCode, dim: int, num_classes: int, subset: str, rng: np.random.Generator
) -> Placement:
    """K words of the code as +-1/sqrt(n) points: Lindstrom et al. (2024), equation 1.

    `first` takes words 0 to K-1: the binary expansion of the class number, least significant bit first, over the
    generator's rows. `random` takes K different words at random. `greedy` starts with the zero word and adds, one at a
    time, the word farthest from those chosen; where that ends up no better than `first` it is `first`.
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
    """The first so many words of a code."""
    return LinearWords.of(generator, dim, np.arange(num_classes))


def _random_words(
    generator: PackedBits, num_classes: int, rng: np.random.Generator
) -> PackedBits:
    """Different random words of a code too large to number: repeats are all but impossible, and drawn again."""
    bits = rng.integers(0, 2, (num_classes, len(generator)), dtype=np.uint8)
    while len(np.unique(np.packbits(bits, axis=1), axis=0)) < num_classes:
        bits = rng.integers(0, 2, bits.shape, dtype=np.uint8)
    return encode_bits(generator, bits)


def greedy_messages(generator: PackedBits, num_classes: int) -> Indices:
    """Messages of words chosen farthest first, ties to the lowest number; or 0 to K-1 where that is no worse."""
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
