"""What a projection asks of its parts, each of which holds some of the prototypes; the largest of what they find."""

from typing import Protocol

import torch
from torch import Tensor

from protosphere.nn.streaming.log_sum_exp import tiled_log_sum_exp

Tile = tuple[int, int]
"""The first and one past the last block of a tile; what a block is, the part knows."""

TopK = tuple[Tensor, Tensor]
"""Values and where they were found, both B x some."""


class ProjectionBlock(Protocol):
    """Consecutive words of a projection; all methods but a call are for tensors without gradient, not of half types.

    `antipodal` says that there is one score for every two words, the word's and, negated, its opposite's. A part of few
    words inherits what is here, where all of them are one tile.
    """

    num_words: int
    dim: int
    antipodal: bool = False

    def __call__(self, z: Tensor) -> Tensor:
        """The B x num_words dot products, in the dtype of z, differentiable and traceable."""
        ...

    def rows(self, index: Tensor, like: Tensor) -> Tensor:
        """The prototypes of these words, with the dtype of `like`."""
        ...

    def tiles(self, batch: int) -> list[Tile]:
        """Cuts of the words so that the scores of `batch` vectors with one of them stay in cache."""
        del batch
        return [(0, self.num_words)]

    def scores(self, z: Tensor, tile: Tile) -> Tensor:
        """Dot products with the words of a tile, in any order: (some, B, some), for the caller to overwrite."""
        del tile
        return self(z)[None]

    def tile_sum(self, weights: Tensor, tile: Tile) -> Tensor:
        """The sums of the words of a tile with weights in the order of their scores: B x n."""
        del tile
        return self.weighted_sum(weights[0])

    def log_sum_exp(self, z: Tensor, with_mean: bool) -> tuple[Tensor, Tensor]:
        """log sum exp of the products of each row and, where asked for, the mean word under their softmax."""
        return tiled_log_sum_exp(z, self, with_mean)

    def weighted_sum(self, weights: Tensor) -> Tensor:
        """The sums of all words with weights B x num_words, one per word: B x n."""
        ...

    def top(self, z: Tensor, k: int) -> TopK:
        """The k <= num_words largest dot products of each vector, descending, and the words' numbers."""
        found = z.new_empty(len(z), 0), z.new_empty(len(z), 0, dtype=torch.int64)
        for tile in self.tiles(len(z)):
            scores = self.scores(z, tile)[0]
            values, index = scores.topk(min(k, scores.shape[1]), dim=1)
            found = merged_top(found, (values, index + tile[0]), k)
        return found


def with_usual_strides(tensor: Tensor) -> Tensor:
    """The tensor, an empty one with torch's own strides: numpy's are 0 there, and `torch.export.save` refuses them."""
    return tensor if tensor.numel() else tensor.new_empty(tensor.shape)


def cuts(stop: int, size: int, start: int = 0) -> list[Tile]:
    """`start` to `stop` in pieces of `size`, at least 1, the last one shorter."""
    step = max(1, size)
    return [(first, min(first + step, stop)) for first in range(start, stop, step)]


def merged_top(first: TopK, second: TopK, k: int) -> TopK:
    """The k largest of two lists of at most k found values, descending; among equals the first list's come first."""
    if first[0].shape[1] == 0:
        return second
    values, index = (torch.cat(pair, dim=1) for pair in zip(first, second, strict=True))
    order = values.sort(dim=1, descending=True, stable=True).indices[:, :k]
    return values.gather(1, order), index.gather(1, order)
