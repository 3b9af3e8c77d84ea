"""Blocks of memory that calls reuse one after the other.

A megabyte that is freed goes back to the system, and asking for it again costs a fault a page: for tiles that are
computed in a few hundred microseconds, as much as the computation.
"""

from __future__ import annotations

import torch
from torch import Tensor

MOST_KEPT = 8
"""How many blocks of a dtype are kept: about one per thread."""

_kept: dict[tuple[torch.dtype, bool], list[Tensor]] = {}


def acquire(like: Tensor, entries: int) -> Tensor:
    """A flat block of at least so many entries, not initialised, of the dtype and on the device of `like`."""
    kept = _kept.get((like.dtype, torch.is_inference_mode_enabled()), []) if like.device.type == "cpu" else []
    try:
        block = kept.pop()  # one call: no other thread gets the same block
    except IndexError:
        return like.new_empty(entries)
    return block if len(block) >= entries else like.new_empty(entries)


def release(block: Tensor) -> None:
    """Return a block for another call to use; whoever returns it must not use it afterwards."""
    kept = _kept.setdefault((block.dtype, block.is_inference()), [])
    if block.device.type == "cpu" and len(kept) < MOST_KEPT:
        kept.append(block)
