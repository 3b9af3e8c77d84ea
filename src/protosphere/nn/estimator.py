"""`PrototypeClassifier`: a scikit-learn classifier with fixed prototypes."""
# scikit-learn ships no types:
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportArgumentType=false, reportUnknownArgumentType=false

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,  # pyright: ignore[reportPrivateUsage] - what its own estimators check by
    check_is_fitted,
    validate_data,
)

from protosphere.errors import InvalidArgumentError, as_choice, as_integer, brief
from protosphere.nn.feature_scaling import moments
from protosphere.nn.head import PrototypeHead
from protosphere.nn.linear_probe import (
    Examples,
    LinearProbe,
    chunks,
    drawn_map,
    fit_adam,
    fit_lbfgs,
    one_pass,
)

LARGEST_AT_ONCE = 1 << 27
"""Largest value of N n (m + K) for which the solver 'auto' chooses L-BFGS, for N examples with m features.

This is about the number of multiplications in a pass over the examples. At this limit, 200 passes take a few seconds.
"""

CLASSES_FROM = 64
"""Smallest number of classes for which the logits of a simplex are computed by its formula, not a matrix product."""


class PrototypeClassifier(ClassifierMixin, BaseEstimator):
    """scikit-learn classifier that maps standardized features to R^n and compares the results with fixed prototypes.

    The map to R^n is linear or a small network. With a linear map, the preset 'lindstrom' and a fixed scale, the
    training problem is convex; if the prototypes also form a simplex, the model is multinomial logistic regression.
    Features may be given as a SciPy sparse matrix, which is converted to a NumPy array a few rows at a time.

    Args:
        dim: Dimension n of the prototypes. The default for K classes is the smaller of K - 1 and 512.
        hidden: Widths of the hidden ReLU layers, such as (64,). If the tuple is empty, the map is linear.
        scheme: Name of the scheme of the prototypes, one of `ps.available()`; 'best' is the best known code, found
            without a search.
        preset: Name of the rule by which logits are computed, one of `PRESETS`. The default is 'protosphere' for at
            most 30 classes and 'soft_cap' for more.
        scale: Scale of the logits: 'auto' (the preset's scale, fixed), 'learn' (a parameter that starts at the preset's
            scale) or a number.
        alpha: Strength of the L2 penalty, as in scikit-learn's neural networks. The penalty is alpha / (2 N) times the
            squared norm of the map's weights, without biases. It is added to the mean loss of N examples.
        solver: 'lbfgs' (all examples at once, in float64), 'adam' (batches, in float32) or 'auto'. For N examples with
            m features, 'auto' chooses L-BFGS if N n (m + K) is at most 2^27, and otherwise Adam.
        batch_size: Largest batch size of 'adam' and of `partial_fit`; batches are smaller if there are few examples.
        learning_rate: Learning rate of 'adam' and of `partial_fit`.
        max_iter: Largest number of L-BFGS iterations or of Adam epochs, where an epoch is one pass over all examples.
            If the solver does not converge within this number, `fit` gives a ConvergenceWarning.
        tol: L-BFGS stops when no entry of the gradient is larger than `tol` in absolute value.
        class_weight: Weights by which the losses of the classes are multiplied, as in scikit-learn: a dictionary from
            classes to weights, 'balanced' (weights inversely proportional to the class frequencies), or None (all 1).
        random_state: Source of the random numbers for the initial weights and the order of the examples: an integer
            seed, a NumPy `RandomState`, or None for NumPy's global generator.
        verbose: If True, the loss of each pass over the examples is printed on standard error. If False, nothing is
            printed.

    Attributes:
        classes_: The K classes in sorted order.
        head_: `PrototypeHead` of these classes.
        map_: Map from standardized features to R^n, an `nn.Sequential`.
        n_iter_: Number of L-BFGS iterations or Adam epochs of `fit`, or number of calls of `partial_fit`.

    Example:
        >>> from protosphere.nn import PrototypeClassifier
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
        preset: str | None = None,
        scale: float | str = "auto",
        alpha: float = 1.0,
        solver: str = "auto",
        batch_size: int = 256,
        learning_rate: float = 0.01,
        max_iter: int = 200,
        tol: float = 1e-4,
        class_weight: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.dim = dim
        self.hidden = hidden
        self.scheme = scheme
        self.preset = preset
        self.scale = scale
        self.alpha = alpha
        self.solver = solver
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> PrototypeClassifier:
        """Train the map from features to R^n, starting from new random weights.

        Args:
            X: N x m features, an array or a sparse matrix.
            y: N class labels.
            sample_weight: N nonnegative weights of the examples. By default, all weights are 1.

        Returns:
            The estimator itself.

        Raises:
            InvalidArgumentError: If `solver`, `max_iter` or `hidden` is not valid.
            ValueError: If the examples are not valid, or there are fewer than two classes.
        """
        as_choice("solver", self.solver, ("auto", "lbfgs", "adam"))
        as_integer("max_iter", self.max_iter, minimum=1)
        features, labels, weights = self._validated(X, y, sample_weight, reset=True)
        self._moments = moments(features, weights)
        classes, numbers = np.unique(labels, return_inverse=True)
        self._create_head_and_map(classes, features.shape[1])
        examples = Examples(features, numbers.astype(np.int64), weights, self._moments)
        work = len(labels) * self.head_.dim * (features.shape[1] + len(self.classes_))
        if self.solver == "lbfgs" or (
            self.solver == "auto" and work <= LARGEST_AT_ONCE
        ):
            self.n_iter_, converged = fit_lbfgs(
                self._probe("evaluation"), examples, self.max_iter, self.tol
            )
        else:
            self._to(torch.float32)
            self.n_iter_, converged = fit_adam(
                self._probe("pass"),
                examples,
                self.max_iter,
                self.batch_size,
                self.learning_rate,
                self._rng,
            )
            self._to(torch.float64)
        if not converged:
            text = f"no convergence within {self.max_iter} iterations; a larger 'max_iter' would help"
            warnings.warn(text, ConvergenceWarning, stacklevel=2)
        return self

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> PrototypeClassifier:
        """Train the map from features to R^n further, by one pass of Adam over the examples.

        Args:
            X: N x m features, an array or a sparse matrix.
            y: N class labels.
            classes: All classes that will occur in any call. They must be given in the first call, unless `fit` has
                been called before. In later calls, they may be left out.
            sample_weight: N nonnegative weights of the examples. By default, all weights are 1.

        Returns:
            The estimator itself.

        Raises:
            ValueError: If `classes` is missing in the first call or differs in a later call, `y` has a class that is
                not in `classes`, `class_weight` is 'balanced', or the examples are not valid.
        """
        first = not hasattr(self, "classes_")
        if self.class_weight == "balanced":
            raise ValueError(
                "'class_weight' must be weights for partial_fit, which cannot balance what is to come"
            )
        if first and classes is None:
            raise ValueError(
                "'classes' must be passed on the first call to partial_fit: all there will ever be"
            )
        known = self.classes_ if classes is None else np.unique(np.asarray(classes))
        if not first and not np.array_equal(known, self.classes_):
            raise ValueError(
                f"'classes' must be the {len(self.classes_)} of the first call to partial_fit, or left out"
            )
        features, labels, weights = self._validated(X, y, sample_weight, reset=first)
        numbers = _class_indices(labels, known)
        if first:
            self._create_head_and_map(known, features.shape[1])
            self._moments = moments(features, weights)
            self.n_iter_ = 0
        else:
            self._moments = self._moments.together(moments(features, weights))
        probe = self._probe("pass")
        if self._adam is None:
            self._adam = torch.optim.Adam(probe.parameters, lr=self.learning_rate)
        self.n_iter_ += 1
        examples = Examples(features, numbers, weights, self._moments)
        probe.report(
            self.n_iter_,
            one_pass(probe, examples, self.batch_size, self._adam, self._rng),
        )
        return self

    def embed(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the N x n outputs of the trained map `map_`, one row per example.

        The head compares these rows with the prototypes.

        Args:
            X: N x m features, an array or a sparse matrix.
        """
        check_is_fitted(self)
        features = cast(
            "Any",
            validate_data(self, X, dtype=np.float64, accept_sparse="csr", reset=False),
        )
        found = np.empty((features.shape[0], self.head_.dim))
        with torch.no_grad():
            for rows in chunks(features.shape[0], features.shape[1]):
                found[rows] = self.map_(
                    torch.as_tensor(self._moments.standardized(features[rows]))
                ).numpy()
        return found

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the N x K logits or, if there are two classes, a vector of N differences of logits.

        A difference is the logit of the second class minus the logit of the first class.

        Args:
            X: N x m features, an array or a sparse matrix.
        """
        logits = self._logits(X).numpy()
        return logits[:, 1] - logits[:, 0] if len(self.classes_) == 2 else logits

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the N x K probabilities of the classes: the softmax of the logits.

        Args:
            X: N x m features, an array or a sparse matrix.
        """
        return torch.softmax(self._logits(X), dim=1).numpy()

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the N x K log-probabilities of the classes, which are accurate even if a probability underflows.

        Args:
            X: N x m features, an array or a sparse matrix.
        """
        return torch.log_softmax(self._logits(X), dim=1).numpy()

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return, for each of the N examples, the class with the nearest prototype.

        Args:
            X: N x m features, an array or a sparse matrix.
        """
        z = torch.as_tensor(self.embed(X))
        return self.classes_[self.head_.decode(z).classes[:, 0].numpy()]

    def _logits(self, X: ArrayLike) -> torch.Tensor:
        z = torch.as_tensor(self.embed(X))
        with torch.no_grad():
            return self.head_(z)

    def _to(self, dtype: torch.dtype) -> None:
        self.map_.to(dtype)
        self.head_.to(dtype)

    def _validated(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, reset: bool
    ) -> tuple[Any, NDArray[Any], NDArray[np.float64]]:
        checked = validate_data(
            self, X, y, dtype=np.float64, accept_sparse="csr", reset=reset
        )
        features, labels = cast("tuple[Any, NDArray[Any]]", checked)
        check_classification_targets(labels)
        weights = _check_sample_weight(
            sample_weight, features, dtype=np.float64, ensure_non_negative=True
        )
        if self.class_weight is not None:
            weights = weights * compute_sample_weight(self.class_weight, labels)
        return features, labels, weights

    def _create_head_and_map(self, classes: NDArray[Any], num_features: int) -> None:
        widths = _checked_widths(self.hidden)
        if len(classes) < 2:
            raise ValueError(
                f"'y' must hold at least two classes, got one class: {classes[0]!r}"
            )
        options: dict[str, Any] = {"preset": self.preset, "scale": self.scale}
        head = PrototypeHead(len(classes), dim=self.dim, scheme=self.scheme, **options)
        if len(classes) >= CLASSES_FROM and head.projection.kind == "dense":
            with suppress(InvalidArgumentError):  # the code is not a simplex
                head = PrototypeHead(head.code, projection="simplex", **options)
        self.classes_ = classes
        self.head_ = head.double()
        self._adam = None
        self._rng = check_random_state(self.random_state)
        self.map_ = drawn_map([num_features, *widths, self.head_.dim], self._rng)

    def _probe(self, unit: str) -> LinearProbe:
        return LinearProbe(
            self.map_, self.head_, self.alpha, unit if self.verbose else None
        )


def _checked_widths(hidden: Any) -> list[int]:
    with suppress(TypeError, InvalidArgumentError):
        return [as_integer("hidden", width, minimum=1) for width in hidden]
    raise InvalidArgumentError(
        f"'hidden' must be the widths of hidden layers, such as (64,), got {brief(hidden)}; "
        "a width is an integer above 0"
    )


def _class_indices(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int64]:
    numbers = np.searchsorted(classes, labels).clip(0, len(classes) - 1)
    unknown = np.unique(labels[classes[numbers] != labels])
    if len(unknown):
        raise ValueError(
            f"'y' must hold classes that were there at first, got {unknown[:5].tolist()}"
        )
    return numbers.astype(np.int64)
