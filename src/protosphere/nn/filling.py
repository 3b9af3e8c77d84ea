"""Whether buffers that are not saved hold what was computed for them, and not whatever was in memory.

`to_empty`, loaders that begin on the meta device, and anybody may put other tensors in their place.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import torch
from torch import Tensor, nn

Filling = tuple[int, list[int]]
"""Which module was filled, and with which tensors."""


def filling_of(module: nn.Module) -> Filling:
    """The tensors that the module's buffers are now."""
    return id(module), [id(buffer) for buffer in module.buffers()]


def is_filled(module: nn.Module, noted: Filling) -> bool:
    """Whether the buffers are still those noted; those of a module that somebody else made are taken as they are."""
    if any(buffer.is_meta for buffer in module.buffers()):
        return False
    return noted[0] != id(module) or noted == filling_of(module)


def keeps_values(move: Callable[[Tensor], Tensor]) -> bool:
    """Whether a function that moves or casts tensors leaves in them what was there: that of `to_empty` does not."""
    probe = torch.frombuffer(bytearray(os.urandom(16)), dtype=torch.uint8)
    moved = move(probe.clone())
    return not moved.is_meta and torch.equal(moved.to("cpu", torch.uint8), probe)
