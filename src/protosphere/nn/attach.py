"""Replace the classifier of an existing model by a layer of fixed prototypes.

The classifier is found by the names that common libraries use. In torchvision they are `fc` (ResNet), `classifier`
(VGG, DenseNet, MobileNet), `head` (Swin) and `heads` (ViT). In timm it is the result of `get_classifier()`. In
transformers they are `classifier`, `score` and others, and the model's `num_labels` is updated. None of these libraries
is imported.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeGuard, cast

from torch import nn

from protosphere.errors import InvalidArgumentError, brief
from protosphere.nn.head import PrototypeHead
from protosphere.spherical.spherical_code import SphericalCode

NAMES = (
    "fc",
    "classifier",
    "head",
    "heads",
    "score",
    "classification_head",
    "cls_classifier",
    "logits_proj",
)
"""Names of the attributes in which common libraries store a model's classifier."""

SECOND = re.compile(r"^aux|(^|_)(dist|distill(ed|ation))($|_|\d)", re.IGNORECASE)
"""Pattern of attribute names of a second classifier.

The pattern matches `aux1`, `AuxLogits` and `head_dist`, but not `distilbert`.
"""

LIKELY = re.compile(
    r"(^|[.]|(?<!pre)_)(fc|classifier|heads?|score|logits|exit)\d*($|[._])",
    re.IGNORECASE,
)
"""Pattern of layer names that suggest a classifier.

The pattern matches `exit2.fc`, but not `pre_classifier`. A layer with such a name counts as a classifier only if it has
as many outputs as the main classifier.
"""

COUNTS = ("num_classes", "num_labels")
"""Names of attributes in which models store the number of classes."""


def attach(
    model: nn.Module,
    num_classes: int | SphericalCode | PrototypeHead,
    dim: int | None = None,
    *,
    layer: str | Sequence[str] | None = None,
    **options: Any,
) -> nn.Module:
    """Replace the classifier of a model, in place, by `nn.Linear(features, dim)` and a head of fixed prototypes.

    Here `features` is the number of inputs of the replaced layer, which is the last `nn.Linear` of the classifier.
    Dropout, pooling and hidden layers before it are kept. If the model has a second classifier, such as an auxiliary or
    distillation output, the last `nn.Linear` of the second classifier is replaced too, and both classifiers share the
    head. The new layers have the device and dtype of the old ones. A second call of this function replaces the layers
    that the first call added.

    Args:
        model: A model of torchvision, timm or transformers, an `nn.Sequential`, or any module whose last layer has a
            name that such models use, such as `fc`.
        num_classes: Number K of classes, or a `SphericalCode`, or a `PrototypeHead`, such as the head of a checkpoint.
        dim: Dimension n of the prototypes, if `num_classes` is a number. The default is the number of all classes minus
            1, but at most 512. All classes include those that the option `reserve` keeps for later. If `reserve` is a
            code, the default is the dimension of this code.
        layer: Name or names of the layers to replace, as in `model.named_modules()`. If a name belongs to a module with
            several layers, the last `nn.Linear` of this module is replaced. By default, the classifier is found by its
            name.
        options: Further arguments of `PrototypeHead`. They are not allowed if `num_classes` is a head.

    Returns:
        The model itself.

    Raises:
        InvalidArgumentError: If no classifier is found, if several layers may be the classifier, or if arguments
            contradict each other.

    Example:
        >>> from torch import nn
        >>> from protosphere.nn import attach
        >>> model = nn.Sequential()
        >>> model.fc = nn.Linear(512, 1000)
        >>> attach(model, 10, dim=9).fc[0]
        Linear(in_features=512, out_features=9, bias=True)
    """
    if not isinstance(model, nn.Module):  # pyright: ignore[reportUnnecessaryIsInstance] - users pass anything
        raise InvalidArgumentError(f"'model' must be an nn.Module, got {brief(model)}")
    layers = _layers_to_replace(model, layer)
    given = [
        name for name, value in ({"dim": dim} | options).items() if value is not None
    ]
    if isinstance(num_classes, PrototypeHead) and given:
        raise InvalidArgumentError(
            f"'{given[0]}' goes with a number of classes, got a head, which has its own"
        )
    if isinstance(num_classes, PrototypeHead):
        head = num_classes
    else:
        head = PrototypeHead(num_classes, dim=dim, **options)
    for old in layers:
        _replace(model, old, head)
    for holder in (model, getattr(model, "config", None)):
        for count in COUNTS:
            if isinstance(getattr(holder, count, None), int):
                setattr(holder, count, head.num_classes)
    return model


def prototype_head(model: nn.Module) -> PrototypeHead:
    """Return the first `PrototypeHead` among the modules of a model.

    Args:
        model: Any module.

    Returns:
        The head.

    Raises:
        InvalidArgumentError: If the model has no prototype head.

    Example:
        >>> from torch import nn
        >>> from protosphere.nn import PrototypeHead, prototype_head
        >>> prototype_head(nn.Sequential(nn.Linear(512, 9), PrototypeHead(10, dim=9))).num_classes
        10
    """
    for module in model.modules():
        if isinstance(module, PrototypeHead):
            return module
    raise InvalidArgumentError(
        f"'model' has no PrototypeHead, got a {type(model).__name__}; attach(model, ...) adds one"
    )


def _replace(model: nn.Module, old: nn.Linear, head: PrototypeHead) -> None:
    device = old.weight.device
    dtype = old.weight.dtype
    lazy = isinstance(old, nn.LazyLinear)
    new = nn.LazyLinear(head.dim) if lazy else nn.Linear(old.in_features, head.dim)
    new = new.to(device, dtype)
    head = head.to(device, dtype)
    for parent, name, child in list(_children(model)):
        if child is not old:
            continue
        if _is_before_head(parent, name):  # the head after `old` is replaced, too
            parent[int(name)], parent[int(name) + 1] = new, head
        else:
            setattr(parent, name, nn.Sequential(new, head))


def _children(model: nn.Module) -> Iterator[tuple[nn.Module, str, nn.Module]]:
    return (
        (parent, name, child)
        for parent in model.modules()
        for name, child in parent.named_children()
    )


def _layers_to_replace(
    model: nn.Module, layer: str | Sequence[str] | None
) -> list[nn.Linear]:
    if layer is not None:
        if not layer and layer != "":
            raise InvalidArgumentError(
                f"'layer' must name at least one layer of 'model', got {layer!r}"
            )
        names = [layer] if isinstance(layer, str) else layer
        return [_named(model, name) for name in names]
    # A model to which a head was attached before: the linear layers directly before its heads.
    before_heads = _linears(
        child
        for parent, name, child in _children(model)
        if _is_before_head(parent, name)
    )
    if before_heads:
        return before_heads
    if any(isinstance(module, PrototypeHead) for module in model.modules()):
        raise InvalidArgumentError(
            "'model' has a PrototypeHead with no nn.Linear before it; layer= names what to replace"
        )
    # Any other model: the last linear layer of each classifier.
    roots = _modules_with_classifiers(model)
    main = list[nn.Linear]()
    for root in roots:
        main.append(_last(_linears([root]), _no_linear_message(model, root)))
    second = {
        name: child
        for name, child in model.named_children()
        if SECOND.search(name) and child not in roots
    }
    chosen = list(main)
    for name, child in second.items():
        chosen.append(_last_linear_of_second(name, child, main[0].out_features))
    _require_no_other_classifier(model, chosen, roots)
    return chosen


def _is_before_head(parent: nn.Module, name: str) -> TypeGuard[nn.Sequential]:
    if not (isinstance(parent, nn.Sequential) and name.isdigit()):
        return False
    return int(name) < len(parent) - 1 and isinstance(
        parent[int(name) + 1], PrototypeHead
    )


def _named(model: nn.Module, name: str) -> nn.Linear:
    modules = dict(cast("Iterator[tuple[str, nn.Module]]", model.named_modules()))
    if name in modules and modules[name] is not model:
        inside = _linears([modules[name]])
    else:
        inside = []
    linears = [name for name, each in modules.items() if isinstance(each, nn.Linear)]
    known = ", ".join(repr(name) for name in linears[-5:])
    otherwise = f"'layer' must name an nn.Linear of 'model', or what holds one, got {name!r}; its last are {known}"
    return _last(inside, otherwise)


def _modules_with_classifiers(model: nn.Module) -> list[nn.Module]:
    asked = _from_get_classifier(model)
    reset = getattr(model, "reset_classifier", None)
    if (
        asked and not _linears(asked) and callable(reset)
    ):  # a timm model made without classes
        reset(2)
        asked = _from_get_classifier(model)
    if asked:
        return asked
    named = {
        name: getattr(model, name)
        for name in NAMES
        if isinstance(getattr(model, name, None), nn.Module)
    }
    if len(named) > 1:
        several = ", ".join(repr(name) for name in named)
        raise InvalidArgumentError(
            f"'model' has several layers that may be its classifier, {several}; layer= names it"
        )
    if not named and isinstance(model, nn.Sequential) and _linears(model.children()):
        return [_linears(model.children())[-1]]
    if not named:
        known = ", ".join(NAMES)
        kind = type(model).__name__
        raise InvalidArgumentError(
            f"'model' must have get_classifier() or one of {known}, got a {kind} without them;"
            " name its classifier with layer="
        )
    return list(named.values())


def _from_get_classifier(model: nn.Module) -> list[nn.Module]:
    ask = getattr(model, "get_classifier", None)
    found: object = ask() if callable(ask) else None
    if isinstance(found, (tuple, list)):
        several = cast("Iterable[object]", found)
    else:
        several = [found]
    return [module for module in several if isinstance(module, nn.Module)]


def _last_linear_of_second(name: str, child: nn.Module, outputs: int) -> nn.Linear:
    return _last(
        [layer for layer in _linears([child]) if layer.out_features == outputs],
        f"'model' has a second classifier, {name!r}, with no nn.Linear of {outputs} outputs; "
        "layer= names those to replace, and leaves it as it is",
    )


def _no_linear_message(model: nn.Module, root: nn.Module) -> str:
    modules = cast("Iterator[tuple[str, nn.Module]]", model.named_modules())
    name = next((name for name, module in modules if module is root), "classifier")
    needed = f"the classifier of 'model', {name!r}, must hold an nn.Linear"
    convolutions = [layer for layer in root.modules() if isinstance(layer, nn.Conv2d)]
    if not convolutions:
        return f"{needed}, got a {type(root).__name__}; layer= names the nn.Linear to replace"
    features = convolutions[-1].in_channels
    pooled = f"nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear({features}, 2))"
    return f"{needed}, got an nn.Conv2d of {features} channels; set model.{name} = {pooled} and attach again"


def _last(layers: list[nn.Linear], otherwise: str) -> nn.Linear:
    if not layers:
        raise InvalidArgumentError(otherwise)
    return layers[-1]


def _require_no_other_classifier(
    model: nn.Module, chosen: list[nn.Linear], roots: list[nn.Module]
) -> None:
    # Another linear layer may be a classifier if its name is like that of one and it has as many outputs.
    inside = [*chosen, *_linears(roots)]
    outputs = chosen[0].out_features
    each = cast("Iterator[tuple[str, nn.Module]]", model.named_modules())
    linears = (
        (name, module)
        for name, module in each
        if isinstance(module, nn.Linear) and module not in inside
    )
    others = [
        repr(name)
        for name, layer in linears
        if layer.out_features == outputs and LIKELY.search(name)
    ]
    # In an nn.Sequential without a named classifier, the last linear layer is always meant.
    if others and not (isinstance(model, nn.Sequential) and roots == chosen):
        several = ", ".join(others)
        raise InvalidArgumentError(
            f"'model' has other layers that may be classifiers, {several}; layer= names all that are to be replaced"
        )


def _linears(modules: Iterable[nn.Module]) -> list[nn.Linear]:
    return [
        layer
        for module in modules
        for layer in module.modules()
        if isinstance(layer, nn.Linear)
    ]
