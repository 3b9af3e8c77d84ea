"""Noise as targets: every image has a target point on the sphere, and images of the same batch may exchange targets.

P. Bojanowski, A. Joulin, Unsupervised learning by predicting noise, ICML 2017.
"""

import torch
from torch import Tensor, nn

from protosphere.experiments.objectives.projector import build_projector
from protosphere.experiments.objectives.registry import objective
from protosphere.nn import NoiseAsTargets
from protosphere.spherical.spherical_code import SphericalCode


@objective(
    "noise_as_targets",
    summary="every image has a fixed target, exchanged within batches",
    reference="Bojanowski and Joulin 2017, arXiv 1704.05310",
    targets_per_image=True,
    learned=False,
)
class NoiseAsTargetsHead(nn.Module):
    """Projection head, and one fixed target point for each training image; both views of an image have the same target.

    Args:
        backbone: Backbone of the network; unused.
        feature_dim: Number of features that the backbone returns.
        prototypes: Code whose points are the targets.
        temperature: Unused, because the loss has no softmax.
    """

    def __init__(
        self,
        backbone: nn.Module,
        feature_dim: int,
        prototypes: SphericalCode,
        temperature: float,
    ) -> None:
        super().__init__()
        del backbone, temperature
        self.projector = build_projector(feature_dim, prototypes.dim)
        self.targets = NoiseAsTargets(prototypes)

    def embed(self, features: Tensor) -> Tensor:
        """Return the B x n embeddings of B feature vectors."""
        return self.projector(features)

    def teacher_features(self, views: Tensor) -> None:
        """Return None: this objective has no teacher."""
        del views

    def loss(
        self, features: Tensor, teacher_features: Tensor | None, rows: Tensor
    ) -> Tensor:
        """Return the mean loss of a batch of B images: the mean squared distance of the views from their targets."""
        del teacher_features
        views = self.embed(features).chunk(2)
        losses = [self.targets(view, rows) for view in views]
        return torch.stack(losses).mean()

    def after_step(self, backbone: nn.Module) -> None:
        """Do nothing: this objective has no teacher."""
