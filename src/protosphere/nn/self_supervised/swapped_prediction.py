"""The loss of SwAV: predict the prototype assignment of one view of an image from another view.

A view of an image is a changed copy of the image, such as a crop. An assignment of a view consists of K probabilities,
one for each prototype.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError, as_integer, as_positive
from protosphere.nn.kernels.threaded import without_autocast
from protosphere.nn.projections import Projection
from protosphere.nn.self_supervised.learned_prototypes import LearnedPrototypes
from protosphere.nn.self_supervised.prototype_module import (
    Prototypes,
    projection_of,
    prototype_module,
)
from protosphere.nn.self_supervised.sinkhorn import sinkhorn
from protosphere.nn.self_supervised.view_pairs import (
    by_view,
    check_views,
    from_logits,
    mean_cross_entropy,
    predictions,
    unit_vectors,
)


class SwappedPrediction(nn.Module):
    """Cross-entropy between the predictions of each view and the Sinkhorn assignments of every other view (SwAV).

    A prediction is the softmax of the cosines of an embedding with all K prototypes, divided by the temperature.
    Sinkhorn assignments are probabilities of the prototypes for each image that use all prototypes about equally often
    in a batch. Learned prototypes are parameters of the loss. Fixed prototypes are not trained. With fixed prototypes,
    only the Sinkhorn assignments need B x K cosines in memory, for one view of B images at a time.

    Args:
        prototypes: The prototypes: a `SphericalCode`, `PrototypeHead`, `Projection` or `LearnedPrototypes`.
        temperature: Number by which cosines are divided to give the logits of the predictions.
        epsilon: Weight of the entropy in the Sinkhorn assignments, above 0; smaller values give probabilities that are
            closer to 0 and 1.
        iterations: Number of Sinkhorn iterations for the assignments.

    Raises:
        InvalidArgumentError: If an argument is out of range.

    References:
        Caron, Misra, Mairal, Goyal, Bojanowski, Joulin, *Unsupervised learning of visual features by contrasting
        cluster assignments* (2020), arXiv 2006.09882.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn import SwappedPrediction
        >>> loss = SwappedPrediction(ps.best(num_classes=64, dim=16))
        >>> embeddings = torch.randn(8, 16, requires_grad=True)
        >>> loss([embeddings, embeddings + 0.1 * torch.randn(8, 16)]).backward()
    """

    def __init__(
        self,
        prototypes: Prototypes,
        *,
        temperature: float = 0.1,
        epsilon: float = 0.05,
        iterations: int = 3,
    ) -> None:
        super().__init__()
        self.prototypes = prototype_module(prototypes)
        self.temperature = as_positive("temperature", temperature)
        self.epsilon = as_positive("epsilon", epsilon)
        self.iterations = as_integer("iterations", iterations, minimum=1)

    def assignments(self, z: Tensor) -> Tensor:
        """Return the Sinkhorn assignments of one view: the probabilities of the K prototypes for each image.

        Args:
            z: B x n embeddings of the view. They need not be normalized.

        Returns:
            B x K probabilities, without gradient, in float32 if `z` is in float16 or bfloat16.

        Raises:
            InvalidArgumentError: If `z` is not a floating-point B x n tensor.
        """
        projection = projection_of(self.prototypes)
        check_views("z", [z], projection.dim)
        with torch.no_grad(), without_autocast(z):
            (vectors,) = unit_vectors([z])
            return self._assignments(projection(vectors))

    def _assignments(self, cosines: Tensor) -> Tensor:
        return sinkhorn(cosines, epsilon=self.epsilon, iterations=self.iterations)

    def forward(self, views: Sequence[Tensor]) -> Tensor:
        """Return the mean cross-entropy over the batch and all ordered pairs of different views, as a scalar.

        The cross-entropy of a pair compares the prediction of one view with the Sinkhorn assignment of the other view.

        Args:
            views: Embeddings of two or more views of the same B images, one B x n tensor per view. They need not be
                normalized.

        Raises:
            InvalidArgumentError: If there are fewer than two views, or the views differ in shape.
        """
        projection = projection_of(self.prototypes)
        check_views("views", views, projection.dim)
        if len(views) < 2:
            raise InvalidArgumentError(
                f"'views' must hold at least 2 views of the images, got {len(views)}"
            )
        with without_autocast(views[0]):
            vectors = unit_vectors(views)
            if isinstance(projection, LearnedPrototypes):
                return self._loss_of_learned(vectors, projection)
            return self._loss_of_fixed(vectors, projection)

    def _loss_of_fixed(self, vectors: list[Tensor], projection: Projection) -> Tensor:
        # the cross-entropy depends on an assignment only by the mean of the prototypes that it weights
        targets: list[Tensor] = []
        for view in vectors:
            assigned = self._assignments(projection(view.detach()))
            targets.append(projection.weighted_prototypes(assigned)[0])
        found = predictions(torch.cat(vectors), projection, self.temperature)
        return mean_cross_entropy(by_view(found, len(vectors)), targets)

    def _loss_of_learned(
        self, vectors: list[Tensor], projection: LearnedPrototypes
    ) -> Tensor:
        cosines = projection(torch.cat(vectors))
        each_view = cosines.detach().chunk(len(vectors))
        targets = [self._assignments(view) for view in each_view]
        found = from_logits(cosines / self.temperature)
        return mean_cross_entropy(by_view(found, len(vectors)), targets)

    def extra_repr(self) -> str:
        """Return a text with the temperature, epsilon and the number of iterations, for `print(model)`."""
        return f"temperature={self.temperature}, epsilon={self.epsilon}, iterations={self.iterations}"
