"""What a projection asks of its parts, each of which holds some of the prototypes."""

from typing import Protocol

from torch import Tensor

Tile = tuple[int, int]
"""The first and one past the last block of a tile; what a block is, the part knows."""


class Part(Protocol):
    """Consecutive words of a projection; all methods but a call are for tensors without gradient, not of half types.

    `antipodal` says that there is one score for every two words, the word's and, negated, its opposite's.
    """

    num_words: int
    dim: int
    antipodal: bool

    def __call__(self, z: Tensor) -> Tensor:
        """The B x num_words dot products, in the dtype of z, differentiable and traceable."""
        ...

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """The prototypes of these words, with the dtype of `like`."""
        ...

    def tiles(self, batch: int) -> list[Tile]:
        """Cuts of the words so that the scores of `batch` vectors with one of them stay in cache."""
        ...

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """Dot products with the words of a tile, in any order: (some, B, some), for the caller to overwrite."""
        ...

    def tile_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """The sums of the words of a tile with weights in the order of their scores: B x n."""
        ...

    def log_sum_exp(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """log sum exp of the products of each row and, where asked for, the mean word under their softmax."""
        ...

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """The sums of all words with weights B x num_words, one per word: B x n."""
        ...

    def top(self, z: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """The k <= num_words largest dot products of each vector, descending, and the words' numbers."""
        ...


def cuts(stop: int, size: int, start: int = 0) -> list[Tile]:
    """`start` to `stop` in pieces of `size`, at least 1, the last one shorter."""
    step = max(1, size)
    return [(first, min(first + step, stop)) for first in range(start, stop, step)]
