"""The head of DINO: an MLP, a normalized bottleneck, and prototypes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from protosphere.constructions.construct import best
from protosphere.errors import (
    InvalidArgumentError,
    as_choice,
    as_flag,
    as_integer,
)
from protosphere.nn.functional import unit
from protosphere.nn.head import PrototypeHead
from protosphere.nn.kernels.threaded import without_autocast
from protosphere.nn.self_supervised.learned_prototypes import LearnedPrototypes
from protosphere.nn.self_supervised.prototype_module import PRODUCTS
from protosphere.nn.vectors import widened
from protosphere.spherical.spherical_code import SphericalCode

LAYER_STD = 0.02
"""Standard deviation of the initial weights of the MLP, as in published DINO implementations."""

KINDS = ("fixed", "learned")
"""Names that the argument `prototypes` of `DINOHead` accepts instead of a code."""


class DINOHead(nn.Module):
    """MLP, normalized bottleneck and prototypes, with the architecture and argument names of published DINO heads.

    The published heads learn the prototypes. By default, this head has a fixed code instead. Fixed prototypes need no
    training, no moving average for the teacher, and no synchronization between processes. For the default size, 65,536
    prototypes in 256 dimensions, this code is a Kerdock code.

    Args:
        in_dim: Dimension of the features that the backbone gives to the head.
        out_dim: Number of prototypes.
        nlayers: Number of linear layers of the MLP.
        hidden_dim: Width of the hidden layers of the MLP.
        bottleneck_dim: Dimension of the prototypes.
        use_bn: If True, batch normalization follows each hidden linear layer. If False, there is no batch
            normalization.
        prototypes: 'fixed' (the best known code of this size, found without a search), 'learned' (parameters that are
            trained), or a `SphericalCode` with `out_dim` points in `bottleneck_dim` dimensions.
        seed: Seed of the initial weights of the MLP, and of the initial values of learned prototypes.

    Attributes:
        mlp: The MLP.
        last_layer: The prototypes, a `PrototypeHead` or `LearnedPrototypes`. Pass this module to `DINOLoss`.

    Raises:
        InvalidArgumentError: If an argument is out of range, or `prototypes` is a code with another number of points or
            of another dimension.

    References:
        Caron, Touvron, Misra, Jégou, Mairal, Bojanowski, Joulin, *Emerging properties in self-supervised vision
        transformers* (2021), arXiv 2104.14294.

    Example:
        >>> import torch
        >>> from protosphere.nn import DINOHead
        >>> head = DINOHead(384, out_dim=512, hidden_dim=64, bottleneck_dim=32)
        >>> head(torch.randn(4, 384)).shape
        torch.Size([4, 512])
        >>> head.embed(torch.randn(4, 384)).shape
        torch.Size([4, 32])
    """

    def __init__(
        self,
        in_dim: int,
        out_dim: int = 65536,
        *,
        nlayers: int = 3,
        hidden_dim: int = 2048,
        bottleneck_dim: int = 256,
        use_bn: bool = False,
        prototypes: str | SphericalCode = "fixed",
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.in_dim = as_integer("in_dim", in_dim, minimum=1)
        self.out_dim = as_integer("out_dim", out_dim, minimum=2)
        self.bottleneck_dim = as_integer("bottleneck_dim", bottleneck_dim, minimum=1)
        hidden = as_integer("hidden_dim", hidden_dim, minimum=1)
        depth = as_integer("nlayers", nlayers, minimum=1)
        as_integer("seed", seed, minimum=0)
        widths = [self.in_dim, *[hidden] * (depth - 1), self.bottleneck_dim]
        self.mlp = _mlp(widths, as_flag("use_bn", use_bn), seed)
        self.last_layer = _last_layer(
            prototypes, self.out_dim, self.bottleneck_dim, seed
        )

    def embed(self, x: Tensor) -> Tensor:
        """Return the outputs of the MLP, each divided by its norm. `DINOLoss` takes these unit vectors as input.

        Args:
            x: B x in_dim features.

        Returns:
            B x bottleneck_dim unit vectors, as float32 if the output of the MLP is in float16 or bfloat16.
        """
        z = widened(self.mlp(x))
        with without_autocast(z):
            return unit(z)

    def forward(self, x: Tensor) -> Tensor:
        """Return the B x out_dim cosines of the embeddings with the prototypes.

        The cosines are not divided by a temperature.

        Args:
            x: B x in_dim features.
        """
        return self.last_layer(self.embed(x))


def _mlp(widths: list[int], use_bn: bool, seed: int) -> nn.Module:
    # `widths` has the dimension of the input, the width of each hidden layer, and the dimension of the output.
    generator = torch.Generator().manual_seed(seed)
    layers: list[nn.Module] = []
    for i in range(len(widths) - 1):
        if i:
            if use_bn:
                layers.append(nn.BatchNorm1d(widths[i]))
            layers.append(nn.GELU())
        layers.append(_linear(widths[i], widths[i + 1], generator))
    return layers[0] if len(layers) == 1 else nn.Sequential(*layers)


def _linear(width_in: int, width_out: int, generator: torch.Generator) -> nn.Linear:
    layer = nn.Linear(width_in, width_out)
    if layer.weight.is_meta:
        return layer
    weight = torch.empty(layer.weight.shape, device="cpu")
    nn.init.trunc_normal_(weight, std=LAYER_STD, generator=generator)
    with torch.no_grad():
        layer.weight.copy_(weight)
    nn.init.zeros_(layer.bias)
    return layer


def _last_layer(
    prototypes: str | SphericalCode, num_classes: int, dim: int, seed: int
) -> PrototypeHead | LearnedPrototypes:
    if isinstance(prototypes, SphericalCode):
        if (prototypes.num_classes, prototypes.dim) != (num_classes, dim):
            raise InvalidArgumentError(
                f"'prototypes' must be {num_classes} points in {dim} dimensions, got {prototypes!r}; give its size as "
                "'out_dim' and 'bottleneck_dim'"
            )
        return PrototypeHead(prototypes, preset=PRODUCTS)
    if as_choice("prototypes", prototypes, KINDS) == "learned":
        return LearnedPrototypes(num_classes, dim, seed=seed)
    code = best(num_classes, dim, iterations=0)
    return PrototypeHead(code, preset=PRODUCTS)
