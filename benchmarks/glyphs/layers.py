"""The last layers that are compared: common learned layers, and fixed prototypes.

Each layer has the methods `loss`, which returns the loss of a batch of embeddings z, and `predict`, which returns their
classes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear, normalize

from benchmarks.glyphs.problem import mixed_radix
from benchmarks.glyphs.streamed import linear_cross_entropy

COSINE_SCALE = 16.0


class Learned(nn.Module):
    """`nn.Linear`: a learned weight vector and bias for each class."""

    def __init__(self, dim: int, num_classes: int) -> None:
        super().__init__()
        self.layer = nn.Linear(dim, num_classes)

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy."""
        return linear_cross_entropy(z, self.layer.weight, labels, self.layer.bias)

    def predict(self, z: Tensor) -> Tensor:
        """Return the class with the largest logit."""
        return self.layer(z).argmax(dim=1)


class Cosine(nn.Module):
    """A learned direction for each class. The logits are cosines, multiplied by a scale."""

    def __init__(self, dim: int, num_classes: int, scale: float = COSINE_SCALE) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(num_classes, dim) / math.sqrt(dim))
        self.scale = scale

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy."""
        z = self.scale * normalize(z)
        return linear_cross_entropy(z, normalize(self.weight), labels)

    def predict(self, z: Tensor) -> Tensor:
        """Return the class with the largest cosine."""
        return (z @ normalize(self.weight).T).argmax(dim=1)


class SampledSoftmax(Learned):
    """A learned layer whose loss uses only the class of each example and a random sample of other classes.

    All examples of a batch have the same sample.

    Reference: Jean et al., On Using Very Large Target Vocabulary for Neural Machine Translation, ACL 2015.
    """

    def __init__(self, dim: int, num_classes: int, share: float = 0.1) -> None:
        super().__init__(dim, num_classes)
        self.count = math.ceil(share * num_classes)

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy over the class of each example and the sample.

        Usually the logits are corrected by the probability with which a class is sampled. Here all classes have the
        same probability, so no correction is made.
        """
        sample = torch.randperm(self.layer.out_features)[: self.count]
        own = (z * self.layer.weight[labels]).sum(dim=1) + self.layer.bias[labels]
        others = linear(z, self.layer.weight[sample], self.layer.bias[sample])
        others = others.masked_fill(sample == labels[:, None], -math.inf)
        logits = torch.cat([own[:, None], others], dim=1)
        return cross_entropy(logits, torch.zeros_like(labels))


class PartialFC(Cosine):
    """A cosine layer whose loss uses only 10% of the classes: those of the batch and a random sample of others.

    Reference: An et al., Killing Two Birds with One Stone: Efficient and Robust Training of Face Recognition CNNs by
    Partial FC, CVPR 2022.
    """

    def __init__(
        self,
        dim: int,
        num_classes: int,
        scale: float = COSINE_SCALE,
        share: float = 0.1,
    ) -> None:
        super().__init__(dim, num_classes, scale)
        self.count = math.ceil(share * num_classes)

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy over the classes of the batch and the sampled classes."""
        rank = torch.rand(len(self.weight))
        rank[labels] = 2.0  # classes of the batch come first
        size = min(max(self.count, len(labels)), len(self.weight))
        sample = rank.topk(size).indices
        place = torch.empty(len(self.weight), dtype=torch.long)
        place[sample] = torch.arange(len(sample))
        directions = normalize(self.weight[sample])
        return cross_entropy(self.scale * normalize(z) @ directions.T, place[labels])


class MultiHead(nn.Module):
    """One learned layer for each part. Every combination of values of the parts is a class."""

    def __init__(self, dim: int, sizes: Sequence[int]) -> None:
        super().__init__()
        self.sizes = tuple(sizes)
        self.layers = nn.ModuleList(nn.Linear(dim, size) for size in sizes)

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the sum of the mean cross-entropies of the parts."""
        digits = mixed_radix(labels, self.sizes)
        losses = [
            cross_entropy(layer(z), digits[:, part])
            for part, layer in enumerate(self.layers)
        ]
        return torch.stack(losses).sum()

    def predict(self, z: Tensor) -> Tensor:
        """Return the class that consists of the most likely value of each part."""
        classes = torch.zeros(len(z), dtype=torch.long)
        for size, layer in zip(self.sizes, self.layers, strict=True):
            classes = classes * size + layer(z).argmax(dim=1)
        return classes


class Fixed(nn.Module):
    """Fixed prototypes. The logits are dot products of the prototypes with z, multiplied by a scale.

    If `normalized` is True, z is normalized first.
    """

    prototypes: Tensor

    def __init__(
        self, prototypes: Tensor, scale: float, *, normalized: bool = True
    ) -> None:
        super().__init__()
        self.register_buffer("prototypes", prototypes, persistent=False)
        self.scale = scale
        self.normalized = normalized

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy."""
        z = normalize(z) if self.normalized else z
        return linear_cross_entropy(self.scale * z, self.prototypes, labels)

    def predict(self, z: Tensor) -> Tensor:
        """Return the class of the nearest prototype."""
        return (z @ self.prototypes.T).argmax(dim=1)


class FixedParts(nn.Module):
    """Fixed prototypes for classes made of parts.

    The prototype of a class is the concatenation of the points of its values, scaled to unit length. Loss and class are
    computed part by part.
    """

    def __init__(
        self, parts: Sequence[Tensor], scale: float, *, normalized: bool = True
    ) -> None:
        super().__init__()
        self.parts = [part / math.sqrt(len(parts)) for part in parts]
        self.dims = [part.shape[1] for part in parts]
        self.sizes = [part.shape[0] for part in parts]
        self.scale = scale
        self.normalized = normalized

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy, which is the sum of the cross-entropies of the parts."""
        z = normalize(z) if self.normalized else z
        digits = mixed_radix(labels, self.sizes)
        losses = [
            cross_entropy(self.scale * block @ points.T, digits[:, part])
            for part, (block, points) in enumerate(
                zip(z.split(self.dims, dim=1), self.parts, strict=True)
            )
        ]
        return torch.stack(losses).sum()

    def predict(self, z: Tensor) -> Tensor:
        """Return the class that consists of the most likely value of each part."""
        classes = torch.zeros(len(z), dtype=torch.long)
        for block, points in zip(z.split(self.dims, dim=1), self.parts, strict=True):
            classes = classes * len(points) + (block @ points.T).argmax(dim=1)
        return classes
