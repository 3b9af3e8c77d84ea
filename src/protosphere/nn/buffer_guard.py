"""Whether buffers that are not saved hold what was computed for them, and not whatever was in memory.

`to_empty`, loaders that begin on the meta device, and anybody may put other tensors in their place.
"""

import os
from collections.abc import Callable
from operator import is_
from weakref import WeakKeyDictionary, ref

import torch
from torch import Tensor, nn

_filled: WeakKeyDictionary[nn.Module, list[ref[Tensor]]] = WeakKeyDictionary()


def note_filled(module: nn.Module) -> None:
    """Remember the tensors that the module's buffers are now."""
    _filled[module] = [ref(buffer) for buffer in module.buffers()]


def is_filled(module: nn.Module) -> bool:
    """Whether its buffers are still those that were noted; of a module that was not, they are taken as they are."""
    buffers = list(module.buffers())
    noted = [buffer() for buffer in _filled[module]] if module in _filled else buffers
    same = len(noted) == len(buffers) and all(map(is_, noted, buffers))
    return same and not is_on_meta(module)


def is_on_meta(module: nn.Module) -> bool:
    """Whether one of its buffers is on the meta device, where tensors hold no numbers."""
    return any(buffer.is_meta for buffer in module.buffers())


def like_buffers(module: nn.Module) -> Tensor:
    """A tensor with the floating type and on the device of the module's buffers."""
    buffers = list(module.buffers())
    device = buffers[0].device if buffers else None
    return next(
        (buffer for buffer in buffers if buffer.is_floating_point()),
        torch.empty(0, device=device),
    )


def keeps_values(move: Callable[[Tensor], Tensor]) -> bool:
    """Whether a function that moves or casts tensors leaves in them what was there: that of `to_empty` does not."""
    probe = torch.frombuffer(bytearray(os.urandom(16)), dtype=torch.uint8)
    moved = move(probe.clone())
    return not moved.is_meta and torch.equal(moved.to("cpu", torch.uint8), probe)
