"""Swapped prediction (SwAV): from each view of an image, the network predicts the assignment of the other view.

The backbone of the network maps a view to features. The projection head maps the features to an embedding, which the
loss compares with the prototypes.

A view is an image after random crops, flips and changes of color. The assignment of a view is a probability for each
prototype. Sinkhorn's algorithm computes the assignments of a batch such that all prototypes are used equally.

M. Caron et al., Unsupervised learning of visual features by contrasting cluster assignments, NeurIPS 2020.
"""

from torch import Tensor, nn

from protosphere.experiments.objectives.projector import build_projector
from protosphere.experiments.objectives.registry import Prototypes, objective
from protosphere.nn import SwappedPrediction


@objective(
    "swav",
    summary="each view predicts the Sinkhorn assignment of the other",
    reference="Caron et al. 2020, arXiv 2006.09882",
)
class SwappedPredictionHead(nn.Module):
    """Projection head and loss of the objective `swav`: each view of an image predicts the assignment of the other.

    Args:
        backbone: Backbone of the network; unused.
        feature_dim: Number of features that the backbone returns.
        prototypes: Fixed or learned prototypes.
        temperature: Number by which cosines are divided to give the logits of the predictions.
        epsilon: Weight of the entropy in the computation of the Sinkhorn assignments.
        iterations: Number of Sinkhorn iterations.
    """

    def __init__(
        self,
        backbone: nn.Module,
        feature_dim: int,
        prototypes: Prototypes,
        temperature: float,
        *,
        epsilon: float = 0.05,
        iterations: int = 3,
    ) -> None:
        super().__init__()
        del backbone
        self.projector = build_projector(feature_dim, prototypes.dim)
        self.prediction = SwappedPrediction(
            prototypes, temperature=temperature, epsilon=epsilon, iterations=iterations
        )

    def embed(self, features: Tensor) -> Tensor:
        """Return the B x n embeddings that the projection head computes from B feature vectors of the backbone."""
        return self.projector(features)

    def teacher_features(self, views: Tensor) -> None:
        """Return None, because this objective has no teacher."""
        del views

    def loss(
        self, features: Tensor, teacher_features: Tensor | None, rows: Tensor
    ) -> Tensor:
        """Return the mean loss of a batch of B images, in which each view predicts the assignment of the other view.

        Args:
            features: The features of 2 B views: the first view of every image, then the second view of every image.
            teacher_features: Unused.
            rows: Unused.
        """
        del teacher_features, rows
        return self.prediction(self.embed(features).chunk(2))

    def after_step(self, backbone: nn.Module) -> None:
        """Do nothing, because this objective has no teacher network to update after a step of the optimizer."""
