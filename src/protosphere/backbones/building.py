"""Build a network by its name, which is a registered name or the dotted import name of any nn.Module."""

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import nn

from protosphere.backbones.registry import BACKBONES, Backbone, Shape
from protosphere.errors import InvalidArgumentError, brief

OUTPUT_NAMES = ("dim", "num_classes", "out_features", "num_outputs", "out_dim")
"""Parameter names by which a user's network may take its number of outputs."""

DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")
WITH_WIDTHS = re.compile(r"(\w+)\(\s*(\d{1,6}(?:\s*,\s*\d{1,6})*)\s*\)")


def build_backbone(name: str, input_shape: Shape, dim: int) -> nn.Module:
    """Return a new network with `dim` outputs for inputs of a given shape.

    Args:
        name: A name of `BACKBONES`, or the dotted import name of a class or function that returns an nn.Module, such as
            `package.module.Network`. Some names of `BACKBONES` take widths in parentheses: `mlp(512, 256)` has two
            hidden layers of 512 and 256 units. An imported class or function must have a parameter for the number of
            outputs, with the name `dim`, `num_classes`, `out_features`, `num_outputs` or `out_dim`; its value is `dim`.
            If there are parameters `input_shape` or `image_shape`, their value is `input_shape`. A parameter
            `in_channels` gets the number of channels of images, and a parameter `in_features` gets the number of
            features of feature vectors.
        input_shape: For images, the channels, height and width. For feature vectors, only the number of features.
        dim: Number of outputs.

    Returns:
        The network.

    Raises:
        InvalidArgumentError: If there is no such network, or if the network does not fit the inputs or the outputs.

    Example:
        >>> build_backbone("mlp(32)", (64,), 9)[-1]
        Linear(in_features=32, out_features=9, bias=True)
    """
    if DOTTED.fullmatch(name):
        network = _call_imported(name, input_shape, dim)
        return _checked(name, network, input_shape, dim)
    entry, widths = _registered_network(name)
    if entry.images and len(input_shape) != 3:
        others = [known for known, other in BACKBONES.items() if not other.images]
        fitting = ", ".join(others)
        raise InvalidArgumentError(
            f"'backbone' {brief(name)} takes images, and the data is of {input_shape[0]} features; try {fitting}"
        )
    return entry.build(input_shape, dim, *widths)


def is_ours(name: str) -> bool:
    """Return whether a network is named like a network of this package, and not by a dotted import name.

    The function does not check whether the network exists.

    Args:
        name: Name of a network.

    Returns:
        False if `name` is a dotted import name, otherwise True.

    Example:
        >>> is_ours("mlp(512)"), is_ours("torchvision.models.resnet18")
        (True, False)
    """
    return not DOTTED.fullmatch(name)


def _registered_network(name: str) -> tuple[Backbone, tuple[int, ...]]:
    base_name = name
    widths: tuple[int, ...] = ()
    match = WITH_WIDTHS.fullmatch(name)
    if match:
        base_name = match[1]
        widths = tuple(int(width) for width in match[2].split(","))
    entry = BACKBONES.named(base_name, otherwise=", or package.module.Network")
    if len(widths) > entry.widths or 0 in widths:
        some = f"up to {entry.widths} widths above 0" if entry.widths else "no widths"
        raise InvalidArgumentError(
            f"'backbone' {entry.name} takes {some} in brackets, got {brief(name)}"
        )
    return entry, widths


def imported(name: str, argument: str) -> Any:
    """Import an object by its dotted name and return it.

    The current folder is added to the places where Python looks for modules.

    Args:
        name: Dotted name, such as "torch.nn.Linear".
        argument: Name of the argument in which the user passed `name`, for error messages.

    Returns:
        The object.

    Raises:
        InvalidArgumentError: If the object cannot be imported.

    Example:
        >>> imported("torch.nn.Linear", "backbone").__name__
        'Linear'
    """
    module, _, attribute = name.rpartition(".")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return getattr(import_module(module), attribute)
    except Exception as error:  # importing a user's module may raise anything
        reason = str(error) or type(error).__name__
        raise InvalidArgumentError(
            f"'{argument}' {brief(name)} cannot be imported: {reason}"
        ) from error


def _call_imported(name: str, input_shape: Shape, dim: int) -> Any:
    make = imported(name, "backbone")
    try:
        parameters = tuple(inspect.signature(make).parameters)
    except (TypeError, ValueError):  # it cannot be called, or does not say
        parameters = ()
    output = next((known for known in OUTPUT_NAMES if known in parameters), None)
    if output is None:
        raise InvalidArgumentError(
            f"'backbone' {brief(name)} must take one of {', '.join(OUTPUT_NAMES)}"
        )
    first = "in_channels" if len(input_shape) == 3 else "in_features"
    offered = {
        "input_shape": input_shape,
        "image_shape": input_shape,
        first: input_shape[0],
        output: dim,
    }
    accepted = {key: value for key, value in offered.items() if key in parameters}
    return make(**accepted)


def _checked(name: str, network: Any, input_shape: Shape, dim: int) -> nn.Module:
    if not isinstance(network, nn.Module):
        raise InvalidArgumentError(
            f"'backbone' {brief(name)} must make an nn.Module, got {type(network).__name__}"
        )
    # The network must map two inputs to two vectors of size `dim`.
    training = network.training
    try:
        with torch.no_grad():
            answer: Any = network.eval()(torch.zeros(2, *input_shape))
    except RuntimeError as error:
        reason = str(error).splitlines()[0]
        raise InvalidArgumentError(
            f"'backbone' {brief(name)} does not take inputs of {input_shape}: {reason}"
        ) from error
    shape = tuple(getattr(answer, "shape", ()))
    if shape != (2, dim):
        raise InvalidArgumentError(
            f"'backbone' {brief(name)} must answer two inputs with (2, {dim}), got {shape}"
        )
    return network.train(training)
