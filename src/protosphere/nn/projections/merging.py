"""The largest of several lists."""

import torch
from torch import Tensor

Found = tuple[Tensor, Tensor]
"""Values and where they were found, both B x some."""


def merged_top(first: Found, second: Found, k: int) -> Found:
    """The k largest of two lists of at most k found values, descending; among equals the first list's come first."""
    if first[0].shape[1] == 0:
        return second
    values, index = (torch.cat(pair, dim=1) for pair in zip(first, second, strict=True))
    order = values.sort(dim=1, descending=True, stable=True).indices[:, :k]
    return values.gather(1, order), index.gather(1, order)
