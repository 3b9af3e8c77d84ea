"""Detect whether the buffers of a module have been replaced since they were computed.

Buffers may be replaced by `nn.Module.to_empty`, by loaders that build models on the meta device, or by users. Then the
values of non-persistent buffers are lost, because the state_dict does not contain these buffers.
"""

import os
from collections.abc import Callable
from weakref import WeakKeyDictionary, ref

import torch
from torch import Tensor, nn

_remembered: WeakKeyDictionary[nn.Module, list[ref[Tensor]]] = WeakKeyDictionary()


def remember_buffers(module: nn.Module) -> None:
    """Record which tensors are the buffers of a module now. `buffers_intact` says later whether they were replaced."""
    _remembered[module] = [ref(buffer) for buffer in module.buffers()]


def buffers_intact(module: nn.Module) -> bool:
    """Return True if all buffers of a module have values and are still the tensors that `remember_buffers` recorded.

    A buffer on the meta device has no values. If `remember_buffers` was never called for the module, the result is True
    if no buffer is on the meta device.

    Args:
        module: The module.
    """
    if is_on_meta(module):
        return False
    if module not in _remembered:
        return True
    remembered = _remembered[module]
    buffers = list(module.buffers())
    if len(remembered) != len(buffers):
        return False
    pairs = zip(remembered, buffers, strict=True)
    return all(reference() is buffer for reference, buffer in pairs)


def is_on_meta(module: nn.Module) -> bool:
    """Return True if at least one buffer of the module is on the meta device, where tensors have no values."""
    return any(buffer.is_meta for buffer in module.buffers())


def like_buffers(module: nn.Module) -> Tensor:
    """Return a tensor whose device and dtype are those of the module's first buffer with a floating-point dtype.

    The values of the tensor have no meaning. If no buffer has a floating-point dtype, the tensor has torch's default
    dtype, and the device of the first buffer. If the module has no buffers, it is on torch's default device.
    """
    buffers = list(module.buffers())
    for buffer in buffers:
        if buffer.is_floating_point():
            return buffer
    device = buffers[0].device if buffers else None
    return torch.empty(0, device=device)


def keeps_values(move: Callable[[Tensor], Tensor]) -> bool:
    """Return True if a function that moves or casts tensors keeps their values.

    The function that `nn.Module.to_empty` applies does not keep them.

    Args:
        move: Function from a tensor to a tensor, as passed to `nn.Module._apply`.
    """
    probe = torch.frombuffer(bytearray(os.urandom(16)), dtype=torch.uint8)
    moved = move(probe.clone())
    return not moved.is_meta and torch.equal(moved.to("cpu", torch.uint8), probe)
