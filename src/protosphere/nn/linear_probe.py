"""Train a linear map or a small network that is followed by a head of fixed prototypes.

The solver is L-BFGS or Adam. The map takes m features of an example to a vector of R^n. The head has a fixed prototype
in R^n for each class. A pass uses each training example once.
"""
# torch has no types for passes backwards and steps:
# pyright: reportUnknownMemberType=false

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from protosphere.nn.feature_scaling import Moments
from protosphere.nn.functional import target_cosines
from protosphere.nn.head import PrototypeHead

CHUNK_ENTRIES = 1 << 23
"""Largest number of features and logits in memory at a time: 64 MB in float64."""

LEAST_GAIN = 0.05
"""Smallest relative decrease of the loss in a pass of Adam for which the learning rate is not halved.

The decrease is measured from the smallest loss of all earlier passes.
"""

HALVINGS = 4
"""Number of halvings of Adam's learning rate after which training continues; at the next halving, training stops."""

SMALLEST_BATCH, STEPS = 16, 40
"""Limits of the batch size for few examples.

Batches are made smaller, so that a pass has about STEPS steps, but not smaller than SMALLEST_BATCH examples.
"""


@dataclass(frozen=True, eq=False)
class Examples:
    """Training examples: N feature vectors with their classes and weights.

    Attributes:
        features: N x m array, or SciPy sparse matrix with N rows.
        classes: N indices of classes.
        weights: N weights, by which the losses of the examples are multiplied.
        moments: Means and variances with which the features are standardized.
    """

    features: Any
    classes: NDArray[np.int64]
    weights: NDArray[np.float64]
    moments: Moments

    def rows(
        self, chosen: NDArray[np.int64] | slice, dtype: torch.dtype
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the standardized features, the classes and the weights of some of the examples.

        Standardized features have about mean 0 and variance 1 over the training examples.

        Args:
            chosen: Indices of B examples, or a slice.
            dtype: Dtype of the features and weights.

        Returns:
            B x m features, B class indices and B weights.
        """
        features = self.moments.standardized(self.features[chosen])
        numbers = torch.as_tensor(self.classes[chosen])
        weights = torch.as_tensor(self.weights[chosen])
        return torch.as_tensor(features).to(dtype), numbers, weights.to(dtype)


@dataclass(frozen=True, eq=False)
class LinearProbe:
    """Model to train: a map from features to R^n, a head of fixed prototypes, and an L2 penalty on the map's weights.

    Attributes:
        map_: Map from features to R^n.
        head: Head that is applied to the outputs of the map. Its scale may be learned.
        alpha: Strength of the L2 penalty. The penalty is alpha / (2 W) times the sum of the squared weights of the map,
            without biases, where W is the total weight of the examples.
        verbose_label: First word of the line that is printed for each pass over the examples, such as 'epoch'. If it is
            None, nothing is printed.
    """

    map_: nn.Sequential
    head: PrototypeHead
    alpha: float
    verbose_label: str | None

    @property
    def parameters(self) -> list[nn.Parameter]:
        """All trained parameters: the parameters of the map, and the scale of the head if it is learned."""
        return [*self.map_.parameters(), *self.head.parameters()]

    def report(self, number: int, loss: float) -> None:
        """Print the loss of a pass over the examples on standard error, unless `verbose_label` is None.

        Args:
            number: Index of the pass, counted from 1.
            loss: Loss of the pass.
        """
        if self.verbose_label is not None:
            sys.stderr.write(f"{self.verbose_label} {number}: loss {loss:.6g}\n")

    def loss(self, features: Tensor, classes: Tensor, weights: Tensor) -> Tensor:
        """Return the sum of the losses of a batch, each multiplied by the weight of its example, without the penalty.

        If the preset of the head has the loss 'cross_entropy', the loss of an example is its cross-entropy. Otherwise,
        the loss is (1 - c)^2, where c is the cosine of the mapped features with the prototype of the class.

        Args:
            features: B x m standardized features.
            classes: B class indices.
            weights: B weights of the examples.
        """
        z = self.map_(features)
        if self.head.preset.loss == "cross_entropy":
            return (weights * self.head.loss(z, classes, reduction="none")).sum()
        _, cosines, _ = target_cosines(z, classes, self.head.projection)
        return (weights * (1 - cosines).square()).sum()

    def penalty(self, total: float) -> Tensor:
        """Return the L2 penalty: alpha / (2 total) times the sum of the squared weights of the map, without biases.

        Args:
            total: Total weight of all examples.
        """
        weights = (
            p for name, p in self.map_.named_parameters() if name.endswith("weight")
        )
        squared_norm = cast("Tensor", sum(weight.square().sum() for weight in weights))
        return self.alpha / (2 * total) * squared_norm


def chunks(count: int, width: int) -> Iterator[slice]:
    """Return slices that divide the rows of an array into chunks of at most 2^23 entries.

    If a single row has more entries, each chunk is one row.

    Args:
        count: Number of rows.
        width: Number of entries per row.
    """
    size = max(1, CHUNK_ENTRIES // max(1, width))
    return (slice(start, start + size) for start in range(0, count, size))


def fit_lbfgs(
    probe: LinearProbe, examples: Examples, max_iter: int, tol: float
) -> tuple[int, bool]:
    """Train a linear probe by L-BFGS on all examples together, in float64.

    The objective is the weighted mean of the losses of the examples plus the L2 penalty.

    Args:
        probe: The model. Its map is trained, and the scale of its head if the scale is learned.
        examples: The examples.
        max_iter: Largest number of iterations.
        tol: L-BFGS stops when no entry of the gradient of the objective is larger than `tol` in absolute value.

    Returns:
        The number of iterations, and whether L-BFGS converged. L-BFGS did not converge if it reached `max_iter`
        iterations or 5/4 `max_iter` evaluations of the objective.
    """
    learned = probe.parameters
    total = float(examples.weights.sum())
    solver = torch.optim.LBFGS(
        learned, max_iter=max_iter, tolerance_grad=tol, line_search_fn="strong_wolfe"
    )
    width = examples.features.shape[1] + probe.head.num_classes
    evaluations = 0
    stretches = list(chunks(len(examples.classes), width))
    kept = examples.rows(stretches[0], torch.float64) if len(stretches) == 1 else None

    def objective() -> float:
        nonlocal evaluations
        solver.zero_grad()
        value = probe.penalty(total)
        value.backward()
        found = value.item()
        for rows in stretches:
            batch = kept or examples.rows(rows, torch.float64)
            loss = probe.loss(*batch) / total
            loss.backward()
            found += loss.item()
        evaluations += 1
        probe.report(evaluations, found)
        return found

    solver.step(objective)
    state = solver.state[learned[0]]
    iterations = int(state["n_iter"])
    within_evaluations = state["func_evals"] < max_iter * 5 // 4
    converged = iterations < max_iter and within_evaluations
    return max(1, iterations), converged


def fit_adam(
    probe: LinearProbe,
    examples: Examples,
    max_iter: int,
    batch_size: int,
    rate: float,
    rng: np.random.RandomState,
) -> tuple[int, bool]:
    """Train a linear probe by Adam on random batches.

    The learning rate is halved after each pass whose loss is not at least 5% below the smallest loss of all earlier
    passes. At the fifth halving, the training stops.

    Args:
        probe: The model. Its map is trained, and the scale of its head if the scale is learned.
        examples: The examples.
        max_iter: Largest number of passes over the examples.
        batch_size: Largest number of examples in a batch; batches are smaller if there are few examples.
        rate: Initial learning rate.
        rng: Random generator for the order of the examples.

    Returns:
        The number of passes, and whether Adam converged. Adam counts as converged if the fifth halving was reached.
    """
    solver = torch.optim.Adam(probe.parameters, lr=rate)
    best = np.inf
    halved = 0
    for done in range(1, max_iter + 1):
        value = one_pass(probe, examples, batch_size, solver, rng)
        probe.report(done, value)
        if value > (1 - LEAST_GAIN) * best:
            halved += 1
            solver.param_groups[0]["lr"] /= 2
        if halved > HALVINGS:
            return done, True
        best = min(best, value)
    return max_iter, False


def one_pass(
    probe: LinearProbe,
    examples: Examples,
    batch_size: int,
    solver: torch.optim.Adam,
    rng: np.random.RandomState,
) -> float:
    """Train a linear probe by one pass of Adam over all examples in random order.

    Args:
        probe: The model. Its map is trained, and the scale of its head if the scale is learned.
        examples: The examples.
        batch_size: Largest number of examples in a batch; batches are smaller if there are few examples.
        solver: Optimizer of the parameters.
        rng: Random generator for the order of the examples.

    Returns:
        The weighted mean of the losses of all examples, without the penalty. The loss of an example is that of the
        model at the time of its batch.
    """
    order = rng.permutation(len(examples.classes))
    total = float(examples.weights.sum())
    dtype = probe.parameters[0].dtype
    found = 0.0
    size = min(batch_size, max(SMALLEST_BATCH, len(order) // STEPS))
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        batch = examples.rows(chosen, dtype)
        loss = probe.loss(*batch)
        weight = max(float(examples.weights[chosen].sum()), np.finfo(np.float64).tiny)
        solver.zero_grad()
        (loss / weight + probe.penalty(total)).backward()
        solver.step()
        found += loss.item() / total
    return found


def drawn_map(widths: list[int], rng: np.random.RandomState) -> nn.Sequential:
    """Return linear layers in float64, with ReLU between them.

    The initial weights are random and depend on `rng` only. The initial biases are 0.

    Args:
        widths: Number of features, widths of the hidden layers, and dimension n of the output, in this order.
        rng: Random generator for the initial weights.
    """
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        layer = cast(
            "nn.Linear",
            nn.utils.skip_init(nn.Linear, inputs, outputs, dtype=torch.float64),
        )
        bound = 1 / np.sqrt(inputs)
        with torch.no_grad():
            drawn = rng.uniform(-bound, bound, (outputs, inputs))
            layer.weight.copy_(torch.as_tensor(drawn))
            layer.bias.zero_()
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])
