"""A prototype head in place of the classifier of somebody's model, found by the names that libraries give it.

torchvision: `fc` (ResNet), `classifier` (VGG, DenseNet, MobileNet), `head` (Swin), `heads` (ViT). timm:
`get_classifier()`. transformers: `classifier`, or `score`; its `num_labels` follows. None of them is imported.
"""

from __future__ import annotations

from typing import Any

from torch import nn

from protosphere.errors import InvalidArgumentError
from protosphere.nn.head import PrototypeHead

NAMES = ("fc", "classifier", "head", "heads", "score")
"""Attributes that hold a classifier, in the order in which they are tried."""

COUNTS = ("num_classes", "num_labels")
"""Attributes in which models keep the number of classes."""


def attach(model: nn.Module, num_classes: int, dim: int | None = None, **options: Any) -> nn.Module:
    """Replace the classifier of `model`, in place, by `nn.Linear(features, dim)` and a head of fixed prototypes.

    The last `nn.Linear` of what the model's library calls its classifier is replaced; what comes before it there
    (dropout, pooling, a hidden layer) stays. Device and dtype are those of the layer replaced.

    Args:
        model: torchvision-, timm- or transformers-style, or any with its last layer under one of `NAMES`.
        num_classes: K.
        dim, options: as of `PrototypeHead`.

    >>> model = nn.Sequential()
    >>> model.fc = nn.Linear(512, 1000)
    >>> attach(model, 10, dim=9).fc[0]
    Linear(in_features=512, out_features=9, bias=True)
    """
    parent, name, layer = _last_linear(model)
    head = PrototypeHead(num_classes, dim=dim, **options)
    projection = nn.Linear(layer.in_features, head.dim)
    setattr(parent, name, nn.Sequential(projection, head).to(layer.weight.device, layer.weight.dtype))
    for holder in (model, getattr(model, "config", None)):
        for count in COUNTS:
            if isinstance(getattr(holder, count, None), int):
                setattr(holder, count, head.num_classes)
    return model


def prototype_head(model: nn.Module) -> PrototypeHead:
    """The first prototype head in a model."""
    for module in model.modules():
        if isinstance(module, PrototypeHead):
            return module
    raise InvalidArgumentError(
        f"'model' has no PrototypeHead, got a {type(model).__name__}; attach(model, ...) adds one"
    )


def _last_linear(model: nn.Module) -> tuple[nn.Module, str, nn.Linear]:
    """The layer to replace, the module that holds it, and its name there."""
    root = _classifier(model)
    inside = _linears(root)
    reset = getattr(model, "reset_classifier", None)
    if not inside and callable(reset):  # a timm model made without classes
        reset(2)
        root = _classifier(model)
        inside = _linears(root)
    if not inside:
        kind = type(root).__name__
        raise InvalidArgumentError(
            f"the classifier of 'model' must hold an nn.Linear, got a {kind}; use PrototypeHead itself"
        )
    for parent in model.modules():
        for name, module in parent.named_children():
            if module is inside[-1]:
                return parent, name, inside[-1]
    raise InvalidArgumentError("the classifier that 'model' names must be one of its modules")


def _linears(module: nn.Module) -> list[nn.Linear]:
    return [layer for layer in module.modules() if isinstance(layer, nn.Linear)]


def _classifier(model: nn.Module) -> nn.Module:
    ask = getattr(model, "get_classifier", None)
    found: object = ask() if callable(ask) else None
    if isinstance(found, nn.Module):
        return found
    for name in NAMES:
        candidate = getattr(model, name, None)
        if isinstance(candidate, nn.Module):
            return candidate
    known, kind = ", ".join(NAMES), type(model).__name__
    raise InvalidArgumentError(
        f"'model' must have get_classifier() or one of {known}, got a {kind} without; use PrototypeHead itself"
    )
