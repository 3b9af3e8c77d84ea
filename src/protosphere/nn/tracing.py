"""How torch is running an operation: at once, recorded into a graph, or transformed (vmap, grad, batched gradients)."""

from types import SimpleNamespace
from typing import Any, cast

import torch
from torch import Tensor
from torch._functorch.utils import unwrap_dead_wrappers

_functorch: Any = cast("Any", torch)._C._functorch

is_exporting = getattr(torch.compiler, "is_exporting", bool)
"""Before torch 2.7 nobody can say; bool() is False, and what is exported has the operators of a compiled graph."""


def is_traced() -> bool:
    """Whether `torch.jit.trace` is recording: sizes are tensors there, and comparing them is not recorded."""
    return bool(cast("Any", torch.jit).is_tracing())


def is_recorded() -> bool:
    """Whether `torch.export` or `torch.jit.trace` is recording: plain operations only, for batches of any size."""
    return is_traced() or is_exporting()


def under_transform() -> bool:
    """Whether a transform of torch.func is at work: vmap, grad, jvp."""
    return bool(cast("Any", torch)._C._are_functorch_transforms_active())


def is_wrapped(z: Tensor) -> bool:
    """Whether `z` stands for other tensors, as inside vmap and in batched gradients, and has no memory of its own."""
    return bool(_functorch.is_functorch_wrapped_tensor(z)) or is_batched_gradient(z)


def is_batched_gradient(value: object) -> bool:
    """Whether `value` is one of the gradients of `torch.autograd.grad(is_grads_batched=True)`."""
    return isinstance(value, Tensor) and bool(_functorch.is_legacy_batchedtensor(value))


def call(function: type[torch.autograd.Function], *arguments: object) -> Any:
    """function.apply(*arguments), which otherwise inspects a signature each time: a tenth of a small head's loss."""
    if under_transform():
        return cast("Any", function).apply(*arguments)
    if any(map(is_batched_gradient, arguments)):
        return _call_with_batched_gradients(function, arguments)
    return cast("Any", super(torch.autograd.Function, function)).apply(
        *cast("Any", unwrap_dead_wrappers)(arguments)
    )


def _call_with_batched_gradients(function: Any, arguments: tuple[Any, ...]) -> Any:
    """The function's own vmap rule, which torch does not ask for while it batches gradients."""
    internals: Any = cast("Any", torch)
    level = internals._C._vmapmode_increment_nesting() - 1
    internals._C._vmapmode_decrement_nesting()
    in_dims = tuple(
        0 if is_batched_gradient(argument) else None for argument in arguments
    )
    plain = [
        argument
        if dim is None
        else internals._remove_batch_dim(argument, level, 1, dim)
        for argument, dim in zip(arguments, in_dims, strict=True)
    ]
    batch_size = next(
        len(argument)
        for argument, dim in zip(plain, in_dims, strict=True)
        if dim is not None
    )
    outputs, out_dims = function.vmap(
        SimpleNamespace(batch_size=batch_size), in_dims, *plain
    )
    if isinstance(outputs, Tensor):
        return internals._add_batch_dim(outputs, out_dims, level)
    return tuple(
        internals._add_batch_dim(*each, level)
        for each in zip(outputs, out_dims, strict=True)
    )
