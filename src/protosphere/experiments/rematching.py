"""Prototypes given to classes anew between epochs: to each class one that the network puts its examples near.

Over an epoch the directions of every class's examples are summed; the linear assignment with the largest sum of
products with the prototypes says which class gets which for the next epoch. The points stay the same.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import torch
from torch import Tensor
from torch.nn.functional import normalize

from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.heads import Classifier, build_objective
from protosphere.nn import PrototypeHead
from protosphere.spherical.provenance import Step
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.types import Indices, Points

WHY = "assigned to class means"


def linear_assignment(directions: Points, points: Points) -> Indices:
    """For each class, a row of `directions`, which point it gets; classes without examples take what is left.

    >>> import numpy as np
    >>> linear_assignment(np.array([[0.0, 2.0], [1.0, 1.1]]), np.eye(2)).tolist()
    [1, 0]
    """
    from scipy.optimize import linear_sum_assignment

    return linear_sum_assignment(directions @ points.T, maximize=True)[1]


class Reassignment:
    """Watches a classifier's epochs, and gives its prototypes to classes anew between the config's first ones."""

    def __init__(self, config: TrainingConfig, classifier: Classifier) -> None:
        self.config = config
        self.classifier = classifier
        self.use(cast("PrototypeHead", classifier.head))

    def after(self, epoch: int, summed: Callable[[Tensor], Tensor]) -> None:
        """After an epoch, counted from 0: other prototypes for classes, if it is one of the config's first."""
        directions = self.sums
        self.sums = torch.zeros_like(self.sums)
        if epoch < self.config.reassignment:
            code: SphericalCode = self.head.code
            order = linear_assignment(
                summed(directions).double().cpu().numpy(), code.points
            )
            provenance = code.provenance and code.provenance.then(
                Step(WHY, numbers=tuple(order.tolist()))
            )
            reordered = replace(
                code, placement=code.placement.permuted(order), provenance=provenance
            )
            self.use(
                PrototypeHead(
                    reordered, preset=self.config.preset, scale=self.config.scale
                )
            )

    def use(self, head: PrototypeHead) -> None:
        """Make it the classifier's, and watch what it is trained by."""
        device = next(self.classifier.backbone.parameters()).device
        self.classifier.head = self.head = head.to(device)
        self.sums = torch.zeros(head.num_classes, head.dim, device=device)
        objective = build_objective(self.config, head)

        def watched(z: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
            self.sums.index_add_(
                0, labels, normalize(z.detach().to(self.sums.dtype), dim=1)
            )
            return objective(z, labels)

        self.classifier.objective = watched
