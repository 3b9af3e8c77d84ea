"""Swapped prediction: each view predicts the Sinkhorn assignment of the other view to the prototypes.

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
    """Projection head and loss of swapped prediction (SwAV).

    Args:
        backbone: Backbone of the network; unused.
        feature_dim: Number of features that the backbone returns.
        prototypes: Fixed or learned prototypes.
        temperature: Number by which cosines are divided to give the logits of the predictions.
        epsilon: Weight of the entropy in the Sinkhorn assignments.
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
        """Return the B x n embeddings of B feature vectors."""
        return self.projector(features)

    def teacher_features(self, views: Tensor) -> None:
        """Return None: this objective has no teacher."""
        del views

    def loss(
        self, features: Tensor, teacher_features: Tensor | None, rows: Tensor
    ) -> Tensor:
        """Return the mean loss of a batch of B images: each view predicts the assignment of the other view."""
        del teacher_features, rows
        return self.prediction(self.embed(features).chunk(2))

    def after_step(self, backbone: nn.Module) -> None:
        """Do nothing: this objective has no teacher."""
