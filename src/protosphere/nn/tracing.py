"""Functions that detect whether torch records a graph, or runs an operation inside a transform such as vmap."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch._functorch.utils import unwrap_dead_wrappers

_functorch: Any = cast("Any", torch)._C._functorch

_FALSE: Callable[[], bool] = bool

is_exporting: Callable[[], bool] = getattr(torch.compiler, "is_exporting", _FALSE)
"""Function that returns True while `torch.export` is recording a graph.

Before torch 2.7, this information is not available, and the result is False. Exported graphs then contain the same
custom operators as graphs of `torch.compile`.
"""

is_traced: Callable[[], bool] = cast("Any", torch.jit).is_tracing
"""Function that returns True while `torch.jit.trace` is recording; sizes such as `len(z)` are then tensors."""

under_transform: Callable[[], bool] = cast(
    "Any", torch
)._C._are_functorch_transforms_active
"""Function that returns True inside a transform of torch.func: vmap, grad, jvp."""


def is_recorded() -> bool:
    """Return True while `torch.export` or `torch.jit.trace` is recording.

    While torch records, only its standard operations may be used, because the recorded graph must work for any batch
    size.
    """
    return is_traced() or is_exporting()


def in_memory(z: Tensor) -> bool:
    """Return True if z is a plain CPU tensor whose values can be read now.

    The result is False for subclasses of tensors, inside transforms that wrap tensors, and while
    `torch.jit.trace` is recording.
    """
    if z.device.type != "cpu" or type(z) not in (Tensor, nn.Parameter):
        return False
    return not is_traced() and not is_wrapped(z)


def is_wrapped(z: Tensor) -> bool:
    """Return True if z is a wrapper without storage of its own, as inside vmap and in batched gradients."""
    return bool(_functorch.is_functorch_wrapped_tensor(z)) or is_batched_gradient(z)


def is_batched_gradient(value: object) -> bool:
    """Return True if `value` is a batch of gradients inside `torch.autograd.grad(is_grads_batched=True)`."""
    return isinstance(value, Tensor) and bool(_functorch.is_legacy_batchedtensor(value))


def call(function: type[torch.autograd.Function], *arguments: object) -> Any:
    """Return the result of `function.apply(*arguments)`, with less overhead than `apply`.

    The inspection of the signature of `function`, which torch does in each call of `apply`, is skipped.

    Args:
        function: An autograd function with `setup_context` and a `vmap` rule.
        arguments: Arguments of `function.forward`, without the context.
    """
    if under_transform():
        return cast("Any", function).apply(*arguments)
    if any(map(is_batched_gradient, arguments)):
        return _call_with_batched_gradients(function, arguments)
    # the skipped inspection would take a tenth of the time of the loss of a small head
    return cast("Any", super(torch.autograd.Function, function)).apply(
        *cast("Any", unwrap_dead_wrappers)(arguments)
    )


def _call_with_batched_gradients(function: Any, arguments: tuple[Any, ...]) -> Any:
    # `function.apply` would not call the vmap rule of `function` for batched gradients
    internals: Any = cast("Any", torch)
    level = internals._C._vmapmode_increment_nesting() - 1
    internals._C._vmapmode_decrement_nesting()
    batch_size = 0
    in_dims: list[int | None] = []
    plain: list[Any] = []
    for argument in arguments:
        if is_batched_gradient(argument):
            unwrapped = internals._remove_batch_dim(argument, level, 1, 0)
            batch_size = len(unwrapped)
            in_dims.append(0)
            plain.append(unwrapped)
        else:
            in_dims.append(None)
            plain.append(argument)
    info = SimpleNamespace(batch_size=batch_size)
    outputs, out_dims = function.vmap(info, tuple(in_dims), *plain)
    if isinstance(outputs, Tensor):
        return internals._add_batch_dim(outputs, out_dims, level)
    batched = zip(outputs, out_dims, strict=True)
    return tuple(internals._add_batch_dim(*each, level) for each in batched)
