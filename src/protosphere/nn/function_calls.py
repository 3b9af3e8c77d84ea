"""How functions with derivatives of their own are called."""

from typing import Any, cast

import torch
from torch._functorch.utils import unwrap_dead_wrappers


def under_transform() -> bool:
    """Whether a transform of torch.func is at work: vmap, grad, jvp."""
    return bool(cast("Any", torch)._C._are_functorch_transforms_active())


def call(function: type[torch.autograd.Function], *arguments: object) -> Any:
    """function.apply(*arguments), which otherwise inspects a signature each time: a tenth of a small head's loss."""
    if under_transform():
        return cast("Any", function).apply(*arguments)
    return cast("Any", super(torch.autograd.Function, function)).apply(*cast("Any", unwrap_dead_wrappers)(arguments))
