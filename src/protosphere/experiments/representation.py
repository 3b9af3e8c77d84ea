"""Evaluate the features that a self-supervised run has learned.

Features are the outputs of the backbone, the part of the network before the projection head. The projection head maps
the features of an example to its embedding, a vector that is compared with the prototypes.

There are three evaluations: nearest neighbors, a linear probe, and prototype use.

- Nearest neighbors vote as in Z. Wu et al., Unsupervised feature learning via non-parametric instance discrimination,
  CVPR 2018.
- The linear probe is a multinomial logistic regression on standardized features.
- Prototype use says how evenly the examples are distributed over the prototypes, where each example is assigned to its
  nearest prototype. It is measured by the number of prototypes with at least one example, and by the perplexity of this
  distribution.
"""

# torch has no types for passes backwards and steps:
# pyright: reportUnknownMemberType=false

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from protosphere.data import Dataset
from protosphere.experiments.batches import (
    DeviceData,
    Labeled,
    Share,
    evaluation_batches,
)
from protosphere.experiments.objectives import ObjectiveHead
from protosphere.experiments.randomness import stream
from protosphere.experiments.self_supervised import SelfSupervised
from protosphere.nn import LearnedPrototypes
from protosphere.nn.projections.projection import Projection

NEIGHBORS = 50
"""Number of neighbors that vote on the class of an example."""

VOTE_TEMPERATURE = 0.07
"""Temperature of the votes: a neighbor with cosine c has exp(c / temperature) votes."""

QUERIES_AT_ONCE = 500

PROBE_EPOCHS = 20
PROBE_BATCH = 1000
PROBE_STEPS = 18
PROBE_RATE = 0.01
PROBE_DECAY = 1e-4
"""Weight decay of AdamW in the training of the linear probe. The constants above are its other settings.

They are the number of epochs, the largest number of examples in a batch, the smallest number of steps in an epoch, and
the first learning rate, which falls along a cosine. If there are few examples, batches have fewer than `PROBE_BATCH`
examples, so that an epoch has at least `PROBE_STEPS` steps.
"""


@dataclass(frozen=True)
class RepresentationEvaluation:
    """Evaluation of the features of a self-supervised network. It uses the labels, which the training did not use.

    Attributes:
        fabric: Lightning Fabric of the run.
        model: The network as an object that Fabric has wrapped for the device.
        classifier: The same network without the wrapper.
        dataset: Training and test examples of the run.
        data: The same examples on the device.
    """

    fabric: Any
    model: Any
    classifier: SelfSupervised
    dataset: Dataset
    data: DeviceData

    def accuracy(self, labeled: Labeled) -> float:
        """Return the accuracy of the features on some examples, from 0 to 1.

        The class of an example is predicted by a vote of the 50 training examples whose features have the largest
        cosines with its features. A training example with cosine c has exp(c / 0.07) votes.

        Args:
            labeled: Examples to classify, with their labels.
        """
        known = self._features_of(self.data.train)
        return knn_accuracy(
            known,
            self.data.train.labels,
            self._features_of(labeled),
            labeled.labels,
            self.dataset.num_classes,
        )

    def all_metrics(self) -> dict[str, float | None]:
        """Return the metrics of the features, as a mapping from their names to their values.

        - `linear_probe_accuracy` is the accuracy of a linear classifier of the features. It is trained on the training
          examples.
        - `prototypes_in_use` is the number of prototypes that are nearest to at least one example. An example is
          represented by its embedding, which the projection head computes from the features.
        - `prototype_perplexity` is the perplexity of the distribution of the examples over their nearest prototypes.

        These names have the prefix test_ for the test examples and validation_ for the validation examples. If there
        are no validation examples, the metrics with the prefix validation_ are left out. In addition, `test_accuracy`
        is the accuracy of a vote of the nearest training examples.
        """
        known = self._features_of(self.data.train)
        labels = self.data.train.labels
        classes = self.dataset.num_classes
        probe = fit_probe(known, labels, classes)
        found: dict[str, float | None] = {}
        for prefix, labeled in (
            ("test_", self.data.test),
            ("validation_", self.data.validation),
        ):
            if not len(labeled):
                continue
            features = self._features_of(labeled)
            if (
                labeled is self.data.test
            ):  # the last epoch has computed it on validation examples
                found["test_accuracy"] = knn_accuracy(
                    known, labels, features, labeled.labels, classes
                )
            right = (probe(features).argmax(1) == labeled.labels).double().mean()
            found[f"{prefix}linear_probe_accuracy"] = float(right)
            in_use, perplexity = self._prototype_use(features)
            found[f"{prefix}prototypes_in_use"] = in_use
            found[f"{prefix}prototype_perplexity"] = perplexity
        return found

    def _features_of(self, labeled: Labeled) -> Tensor:
        self.model.eval()
        with torch.no_grad():
            batches = evaluation_batches(self.data, labeled, Share())
            return torch.cat([self.classifier(inputs) for inputs, _ in batches])

    def _prototype_use(self, features: Tensor) -> tuple[float, float]:
        # the number of prototypes in use, and the perplexity of the distribution of the examples over them
        head = cast("ObjectiveHead", self.classifier.head)
        prototypes = prototypes_of(self.classifier.head)
        with torch.no_grad():
            nearest = torch.cat(
                [
                    _nearest(prototypes, normalize(head.embed(some), dim=1))
                    for some in torch.split(features, QUERIES_AT_ONCE)
                ]
            )
        counts = torch.bincount(nearest, minlength=prototypes.num_classes).double()
        shares = counts[counts > 0] / counts.sum()
        entropy = -(shares * shares.log()).sum()
        return float((counts > 0).sum()), float(entropy.exp())


def prototypes_of(head: nn.Module) -> Projection | LearnedPrototypes:
    """Return the module that holds the prototypes in the head of a self-supervised objective.

    If there are several such modules, the first of them in `head.modules()` is returned.

    Args:
        head: Head of an objective, a module with prototypes.

    Raises:
        LookupError: If the head has no prototypes.
    """
    for module in head.modules():
        if isinstance(module, (Projection, LearnedPrototypes)):
            return module
    raise LookupError("the head has no prototypes")


def _nearest(prototypes: Any, z: Tensor) -> Tensor:
    if isinstance(prototypes, Projection):
        return prototypes.top(z, 1)[1][:, 0]
    return prototypes(z).argmax(1)


def knn_accuracy(
    known: Tensor,
    known_labels: Tensor,
    features: Tensor,
    labels: Tensor,
    num_classes: int,
) -> float:
    """Return the accuracy of predictions by a vote of the 50 nearest neighbors.

    The neighbors of an example are the labeled examples whose features have the largest cosines with its features. If
    there are fewer than 50 labeled examples, all of them vote. A neighbor with cosine c has exp(c / 0.07) votes for its
    class.

    Args:
        known: N x D features of labeled examples.
        known_labels: N classes of the labeled examples.
        features: M x D features of the examples to classify.
        labels: M true classes of the examples to classify.
        num_classes: Number of classes.

    Returns:
        The fraction of correct predictions, from 0 to 1.
    """
    units = normalize(known, dim=1)
    neighbors = min(NEIGHBORS, len(known))
    correct = 0
    for rows, truth in zip(
        torch.split(normalize(features, dim=1), QUERIES_AT_ONCE),
        torch.split(labels, QUERIES_AT_ONCE),
        strict=True,
    ):
        cosines, nearest = (rows @ units.T).topk(neighbors, dim=1)
        votes = (cosines / VOTE_TEMPERATURE).exp()
        totals = votes.new_zeros(len(rows), num_classes)
        totals.scatter_add_(1, known_labels[nearest], votes)
        correct += int((totals.argmax(1) == truth).sum())
    return correct / len(labels)


def fit_probe(features: Tensor, labels: Tensor, num_classes: int) -> nn.Module:
    """Train a linear classifier on standardized features.

    Args:
        features: N x D features.
        labels: N classes.
        num_classes: Number of classes.

    Returns:
        A module that standardizes D features and maps them to logits. The logits have no gradient.
    """
    with torch.enable_grad():
        mean = features.mean(0)
        deviation = features.std(0, correction=0).clamp(min=1e-6)
        standardized = (features - mean) / deviation
        layer = nn.Linear(features.shape[1], num_classes, device=features.device)
        nn.init.zeros_(layer.weight)
        nn.init.zeros_(layer.bias)
        optimizer = torch.optim.AdamW(
            layer.parameters(), lr=PROBE_RATE, weight_decay=PROBE_DECAY
        )
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, PROBE_EPOCHS)
        for epoch in range(PROBE_EPOCHS):
            for rows in _shuffled(len(labels), epoch):
                chosen = rows.to(features.device)
                loss = cross_entropy(layer(standardized[chosen]), labels[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            schedule.step()
    return _Standardized(mean, deviation, layer).eval()


def _shuffled(count: int, epoch: int) -> Iterator[Tensor]:
    order = torch.randperm(count, generator=stream(0, "epoch", epoch))
    size = min(PROBE_BATCH, max(1, count // PROBE_STEPS))
    return iter(torch.split(order, size))


class _Standardized(nn.Module):
    def __init__(self, mean: Tensor, deviation: Tensor, layer: nn.Module) -> None:
        super().__init__()
        self.mean = mean
        self.deviation = deviation
        self.layer = layer

    def forward(self, features: Tensor) -> Tensor:
        with torch.no_grad():
            return self.layer((features - self.mean) / self.deviation)
