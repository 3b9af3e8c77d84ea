"""From a name to a network: one of ours, or any nn.Module of the user's by its dotted name."""

from __future__ import annotations

import difflib
import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import nn

from protosphere.backbones.resnet import resnet18, resnet34
from protosphere.backbones.simard import simard
from protosphere.backbones.small import small
from protosphere.errors import InvalidArgumentError, brief

ImageShape = tuple[int, int, int]
BACKBONES: dict[str, Callable[[ImageShape, int], nn.Module]] = {
    "simard": simard,
    "small": small,
    "resnet18": resnet18,
    "resnet34": resnet34,
}
OUTPUT_NAMES = ("dim", "num_classes", "out_features", "num_outputs", "out_dim")
"""What a network of the user's may call the number of its outputs."""


def build_backbone(name: str, image_shape: ImageShape, dim: int) -> nn.Module:
    """The network `name` for images of that shape with `dim` outputs.

    A name with a dot is imported: `package.module.Network`, a class or function that makes an nn.Module, called with
    `dim` (or `num_classes`, `out_features`, ...) and, where it has such parameters, `image_shape` and `in_channels`.
    """
    if name in BACKBONES:
        return BACKBONES[name](image_shape, dim)
    if "." not in name:
        near = difflib.get_close_matches(name, BACKBONES, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"one of: {', '.join(BACKBONES)}, or package.module.Network"
        raise InvalidArgumentError(f"'backbone' is not one we know, got {brief(name)}; {hint}")
    return _checked(name, _called(name, image_shape, dim), image_shape, dim)


def _imported(name: str) -> Any:
    """What the dotted name names; modules in the current folder count, as they do for `python -m`."""
    module, _, attribute = name.rpartition(".")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InvalidArgumentError(f"'backbone' {brief(name)} cannot be imported: {error}") from error


def _called(name: str, image_shape: ImageShape, dim: int) -> Any:
    make = _imported(name)
    parameters: list[str] = list(inspect.signature(make).parameters) if callable(make) else []
    output = next((known for known in OUTPUT_NAMES if known in parameters), None)
    if output is None:
        raise InvalidArgumentError(f"'backbone' {brief(name)} must take one of {', '.join(OUTPUT_NAMES)}")
    offered = {"image_shape": image_shape, "in_channels": image_shape[0], output: dim}
    return make(**{key: value for key, value in offered.items() if key in parameters})


def _checked(name: str, network: Any, image_shape: ImageShape, dim: int) -> nn.Module:
    """`network`, if a batch of two images gives two vectors of `dim`."""
    if not isinstance(network, nn.Module):
        raise InvalidArgumentError(f"'backbone' {brief(name)} must make an nn.Module, got {type(network).__name__}")
    training = network.training
    try:
        with torch.no_grad():
            answer: Any = network.eval()(torch.zeros(2, *image_shape))
    except RuntimeError as error:
        reason = str(error).splitlines()[0]
        raise InvalidArgumentError(
            f"'backbone' {brief(name)} does not take images of {image_shape}: {reason}"
        ) from error
    if getattr(answer, "shape", None) != (2, dim):
        shape = tuple(getattr(answer, "shape", ()))
        raise InvalidArgumentError(f"'backbone' {brief(name)} must answer two images with (2, {dim}), got {shape}")
    return network.train(training)
