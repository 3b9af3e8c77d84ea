"""A scikit-learn classifier over features: a linear or small network map, trained to fixed prototypes."""
# scikit-learn ships no types:
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportArgumentType=false

from __future__ import annotations

from itertools import pairwise
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from protosphere.extras import require
from protosphere.nn.head import PrototypeHead

require("sklearn")
from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: E402
from sklearn.utils import check_random_state  # noqa: E402
from sklearn.utils.multiclass import check_classification_targets  # noqa: E402
from sklearn.utils.validation import check_is_fitted, validate_data  # noqa: E402


class PrototypeClassifier(ClassifierMixin, BaseEstimator):
    """For people who have embeddings and no network: features, standardised, to prototypes by a trained map.

    Without hidden layers and with preset 'lindstrom' the problem is convex, and with a simplex it is multinomial
    logistic regression. Trained on the whole data at once by L-BFGS in float64.

    Args:
        dim: of the prototypes; K - 1 up to 512 without it.
        hidden: widths of hidden layers (ReLU), e.g. (64,); none is a linear map.
        scheme, preset, scale: as of `PrototypeHead`.
        alpha: weight of the squared norm of the map, over the number of examples, as in scikit-learn's networks.
        max_iter: most iterations of L-BFGS.
        tol: the largest gradient entry at which it stops.
        random_state: of the initial weights.

    >>> from sklearn.datasets import load_iris
    >>> bool(PrototypeClassifier().fit(*load_iris(return_X_y=True)).score(*load_iris(return_X_y=True)) > 0.95)
    True
    """

    def __init__(
        self,
        dim: int | None = None,
        *,
        hidden: tuple[int, ...] = (),
        scheme: str = "best",
        preset: str = "lindstrom",
        scale: float | str = "auto",
        alpha: float = 1.0,
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.dim = dim
        self.hidden = hidden
        self.scheme = scheme
        self.preset = preset
        self.scale = scale
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> PrototypeClassifier:
        """Train the map on features X and their classes y."""
        features, labels = cast("tuple[NDArray[Any], NDArray[Any]]", validate_data(self, X, y, dtype=np.float64))
        check_classification_targets(labels)
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"'y' must hold at least two classes, got one class: {self.classes_[0]!r}")
        self._mean = features.mean(axis=0)
        deviation = features.std(axis=0)
        self._deviation = np.where(deviation > 0, deviation, 1.0)
        self.head_ = PrototypeHead(
            len(self.classes_), dim=self.dim, scheme=self.scheme, preset=self.preset, scale=self.scale
        ).double()
        self.map_ = _map([features.shape[1], *self.hidden, self.head_.dim], check_random_state(self.random_state))
        self.n_iter_ = self._descend(self._standard(features), torch.as_tensor(numbers.astype(np.int64)))
        return self

    def embed(self, X: ArrayLike) -> NDArray[np.float64]:
        """Where the map puts X, before the prototypes."""
        check_is_fitted(self)
        features = cast("NDArray[Any]", validate_data(self, X, dtype=np.float64, reset=False))
        with torch.no_grad():
            return self.map_(self._standard(features)).numpy()

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """The logits, one a class; for two classes the difference of the second's and the first's."""
        check_is_fitted(self)
        logits = self._logits(X)
        return logits[:, 1] - logits[:, 0] if len(self.classes_) == 2 else logits

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The softmax of the logits."""
        check_is_fitted(self)
        return torch.softmax(torch.as_tensor(self._logits(X)), dim=1).numpy()

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of the nearest prototype."""
        check_is_fitted(self)
        z = torch.as_tensor(self.embed(X))
        return self.classes_[self.head_.decode(z).classes[:, 0].numpy()]

    def _logits(self, X: ArrayLike) -> NDArray[np.float64]:
        with torch.no_grad():
            return self.head_(torch.as_tensor(self.embed(X))).numpy()

    def _standard(self, features: NDArray[np.float64]) -> Tensor:
        return torch.as_tensor((features - self._mean) / self._deviation)

    def _descend(self, features: Tensor, classes: Tensor) -> int:
        """Train `map_` and whatever the head learns; the number of iterations."""
        weights = [p for name, p in self.map_.named_parameters() if name.endswith("weight")]
        learned = [*self.map_.parameters(), *self.head_.parameters()]
        solver = torch.optim.LBFGS(
            learned, max_iter=self.max_iter, tolerance_grad=self.tol, line_search_fn="strong_wolfe"
        )

        def objective() -> float:
            solver.zero_grad()
            penalty = sum((weight.square().sum() for weight in weights), start=torch.zeros(()).double())
            loss = self.head_.loss(self.map_(features), classes) + self.alpha / (2 * len(features)) * penalty
            loss.backward()
            return loss.item()

        solver.step(objective)
        return max(1, int(solver.state[learned[0]]["n_iter"]))


def _map(widths: list[int], rng: np.random.RandomState) -> nn.Sequential:
    """Linear layers with ReLU between them, in float64, drawn from `rng` and nothing global."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        layer = cast("nn.Linear", nn.utils.skip_init(nn.Linear, inputs, outputs, dtype=torch.float64))
        bound = 1 / np.sqrt(inputs)
        with torch.no_grad():
            layer.weight.copy_(torch.as_tensor(rng.uniform(-bound, bound, (outputs, inputs))))
            layer.bias.zero_()
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])
