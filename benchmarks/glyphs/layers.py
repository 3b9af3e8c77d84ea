"""Last layers that are compared: common learned layers, and fixed prototypes."""

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
    """`nn.Linear`: a learned row and a bias per class."""

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
    """A learned direction per class; logits are scaled cosines."""

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
    """A learned layer trained against each example's class and a shared uniform sample of other classes.

    Reference: Jean et al., On Using Very Large Target Vocabulary for Neural Machine Translation, ACL 2015.
    """

    def __init__(self, dim: int, num_classes: int, share: float = 0.1) -> None:
        super().__init__(dim, num_classes)
        self.count = math.ceil(share * num_classes)

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy over the sample; the correction for uniform sampling is a constant."""
        sample = torch.randperm(self.layer.out_features)[: self.count]
        own = (z * self.layer.weight[labels]).sum(dim=1) + self.layer.bias[labels]
        others = linear(z, self.layer.weight[sample], self.layer.bias[sample])
        others = others.masked_fill(sample == labels[:, None], -math.inf)
        logits = torch.cat([own[:, None], others], dim=1)
        return cross_entropy(logits, torch.zeros_like(labels))


class PartialFC(Cosine):
    """A cosine layer trained against the classes of the batch and a sample of other classes, together 10% of all.

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
        """Return the mean cross-entropy over the sampled classes."""
        rank = torch.rand(len(self.weight))
        rank[labels] = 2.0  # classes of the batch come first
        size = min(max(self.count, len(labels)), len(self.weight))
        sample = rank.topk(size).indices
        place = torch.empty(len(self.weight), dtype=torch.long)
        place[sample] = torch.arange(len(sample))
        directions = normalize(self.weight[sample])
        return cross_entropy(self.scale * normalize(z) @ directions.T, place[labels])


class MultiHead(nn.Module):
    """One learned layer per part of the class; every combination of parts is a class."""

    def __init__(self, dim: int, sizes: Sequence[int]) -> None:
        super().__init__()
        self.sizes = tuple(sizes)
        self.layers = nn.ModuleList(nn.Linear(dim, size) for size in sizes)

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy, summed over the parts."""
        digits = mixed_radix(labels, self.sizes)
        losses = [
            cross_entropy(layer(z), digits[:, part])
            for part, layer in enumerate(self.layers)
        ]
        return torch.stack(losses).sum()

    def predict(self, z: Tensor) -> Tensor:
        """Return the class made of the most likely value of each part."""
        classes = torch.zeros(len(z), dtype=torch.long)
        for size, layer in zip(self.sizes, self.layers, strict=True):
            classes = classes * size + layer(z).argmax(dim=1)
        return classes


class Fixed(nn.Module):
    """Fixed prototypes; logits are dot products of the embedding with the prototypes, times a scale."""

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
    """Fixed prototypes of all combinations of parts; log-sum-exp and argmax are computed part by part."""

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
        """Return the class made of the nearest value of each part."""
        classes = torch.zeros(len(z), dtype=torch.long)
        for block, points in zip(z.split(self.dims, dim=1), self.parts, strict=True):
            classes = classes * len(points) + (block @ points.T).argmax(dim=1)
        return classes
