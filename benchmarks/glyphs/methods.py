"""The methods that are compared, by name. A method is a last layer and the settings of its training."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor, nn

import protosphere as ps
from benchmarks.glyphs import layers
from benchmarks.glyphs.problem import (
    Problem,
    class_means,
    drawn_at_random,
    in_ks_x_1001,
)
from benchmarks.glyphs.prototypes import simplex, whitened_means
from protosphere.errors import ManyClassesWarning
from protosphere.nn import PrototypeHead

DIM = 65
# Chosen on validation fonts: 0.3 for the learned layer, and so for all with a learned row per class; 0.1 for parts and
# class means, and so for the others.
SLOW = 0.1
FAST = 0.3
FIXED_SCALE = 16.0  # chosen on validation fonts
QUANTIZED_PARTS = 16  # a byte a class and part


SEEN: dict[str, Callable[[str], Tensor]] = {
    "ks_x_1001": in_ks_x_1001,
    "random": drawn_at_random,
}
"""Functions from the characters to a mask of those that have training images."""


@dataclass(frozen=True)
class Method:
    """A last layer, and settings of its training.

    Attributes:
        title: Name for tables and figures.
        dim: Dimension n of the embedding.
        make: Function from the problem to the layer.
        seen: Key of `SEEN`, which selects the classes with training images. If it is empty, all classes have them.
        needs_parts: Whether the classes must be made of parts.
        rate: Learning rate.
    """

    title: str
    dim: int
    make: Callable[[Problem], nn.Module]
    seen: str = ""
    needs_parts: bool = False
    rate: float = SLOW


class DefaultHead(nn.Module):
    """`PrototypeHead(K, dim=n)`, whose prototypes do not depend on the classes."""

    def __init__(self, dim: int, num_classes: int) -> None:
        super().__init__()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ManyClassesWarning)
            self.head = PrototypeHead(num_classes, dim=dim)

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean loss of the head's preset."""
        return self.head.loss(z, labels)

    def predict(self, z: Tensor) -> Tensor:
        """Return the class of the nearest prototype."""
        return self.head.decode(z).classes[:, 0]


def _sizes(problem: Problem) -> tuple[int, ...]:
    if problem.part_sizes is None:
        raise ValueError("these characters have no parts; choose another method")
    return problem.part_sizes


def _learned(dim: int) -> Callable[[Problem], nn.Module]:
    return lambda problem: layers.Learned(dim, problem.num_classes)


def _default_head(dim: int) -> Callable[[Problem], nn.Module]:
    return lambda problem: DefaultHead(dim, problem.num_classes)


def _cosine(problem: Problem) -> nn.Module:
    return layers.Cosine(DIM, problem.num_classes)


def _sampled_softmax(problem: Problem) -> nn.Module:
    return layers.SampledSoftmax(DIM, problem.num_classes)


def _partial_fc(problem: Problem) -> nn.Module:
    return layers.PartialFC(DIM, problem.num_classes)


def _multi_head(problem: Problem) -> nn.Module:
    return layers.MultiHead(DIM, _sizes(problem))


def _parts(problem: Problem) -> nn.Module:
    points = [simplex(size) for size in _sizes(problem)]
    return layers.FixedParts(points, FIXED_SCALE)


def _means(problem: Problem) -> nn.Module:
    return layers.Fixed(whitened_means(class_means(problem), DIM), FIXED_SCALE)


@cache
def _quantized_points(problem: Problem) -> Tensor:
    code = ps.from_embeddings(class_means(problem).numpy(), DIM, parts=QUANTIZED_PARTS)
    return torch.from_numpy(code.points).float()


def _quantized(problem: Problem) -> nn.Module:
    return layers.Fixed(_quantized_points(problem), FIXED_SCALE)


METHODS = {
    "parts": Method("fixed: simplices of the parts", DIM, _parts, needs_parts=True),
    "means": Method("fixed: class means", DIM, _means),
    "quantized": Method("fixed: class means, quantized", DIM, _quantized),
    "multi_head": Method("learned layer per part", DIM, _multi_head, needs_parts=True),
    "learned": Method("learned layer", DIM, _learned(DIM), rate=FAST),
    "cosine": Method("learned cosine layer", DIM, _cosine, rate=FAST),
    "sampled_softmax": Method("sampled softmax, 10%", DIM, _sampled_softmax, rate=FAST),
    "partial_fc": Method("Partial FC, 10%", DIM, _partial_fc, rate=FAST),
    "default_head": Method("fixed: classes at random", DIM, _default_head(DIM)),
    "parts_unseen": Method(
        "fixed: simplices of the parts", DIM, _parts, seen="ks_x_1001", needs_parts=True
    ),
    "multi_head_unseen": Method(
        "learned layer per part", DIM, _multi_head, seen="ks_x_1001", needs_parts=True
    ),
    "learned_unseen": Method(
        "learned layer", DIM, _learned(DIM), seen="ks_x_1001", rate=FAST
    ),
    "parts_unseen_random": Method(
        "fixed: simplices of the parts", DIM, _parts, seen="random", needs_parts=True
    ),
    "multi_head_unseen_random": Method(
        "learned layer per part", DIM, _multi_head, seen="random", needs_parts=True
    ),
    "learned_unseen_random": Method(
        "learned layer", DIM, _learned(DIM), seen="random", rate=FAST
    ),
    "learned_256": Method("learned layer", 256, _learned(256), rate=FAST),
    "default_head_256": Method("fixed: classes at random", 256, _default_head(256)),
}
