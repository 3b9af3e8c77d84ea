"""Noise as targets: the embedding of every training image is pulled to a point of the sphere, its target.

A view is an image after random crops, flips and changes of color. The backbone of the network maps a view to features.
The projection head maps the features to an embedding.

The targets are the points of a spherical code, which do not change. Images of the same batch may exchange their
targets.

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
    """Projection head and loss that pull the embedding of every training image to a fixed point, its target.

    The targets are the points of a spherical code. In training mode, images of the same batch may exchange their
    targets.

    Args:
        backbone: Backbone of the network; unused.
        feature_dim: Number of features that the backbone returns.
        prototypes: Code whose points are the targets, one for each training image.
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
        """Return the B x n embeddings of B x `feature_dim` features. The targets have the same dimension n."""
        return self.projector(features)

    def teacher_features(self, views: Tensor) -> None:
        """Return None, because this objective has no teacher."""
        del views

    def loss(
        self, features: Tensor, teacher_features: Tensor | None, rows: Tensor
    ) -> Tensor:
        """Return the mean squared distance between normalized embeddings of views and the targets of their images.

        In training mode, the images of the batch may exchange targets before this distance is computed for the first
        views, and again before it is computed for the second views.

        Args:
            features: The features of 2 B views, one row per view: the first view of every image, then the second view
                of every image.
            teacher_features: Unused.
            rows: Indices of the B images among the training examples.
        """
        del teacher_features
        views = self.embed(features).chunk(2)
        losses = [self.targets(view, rows) for view in views]
        return torch.stack(losses).mean()

    def after_step(self, backbone: nn.Module) -> None:
        """Do nothing, because this objective has no teacher."""
