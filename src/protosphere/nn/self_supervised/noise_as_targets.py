"""Noise as targets: a loss that trains the embedding of each example toward a fixed point on the sphere.

An embedding is the vector that a network computes from an example. The target of an example is its point. Within each
batch, the examples exchange their points so that the sum of the squared distances between embeddings and points becomes
minimal.
"""

from __future__ import annotations

import numpy as np
import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor, nn

from protosphere.errors import InvalidArgumentError, as_integer, brief
from protosphere.nn.functional import unit
from protosphere.nn.kernels.buffers import as_tensor
from protosphere.nn.kernels.threaded import without_autocast
from protosphere.nn.projections import projection_for
from protosphere.nn.self_supervised.all_processes import all_gathered
from protosphere.nn.vectors import check_vectors, widened
from protosphere.spherical.spherical_code import SphericalCode


class NoiseAsTargets(nn.Module):
    """Mean squared distance of normalized embeddings to fixed targets, which are rematched within each batch.

    At first, every example has a random target. In training mode, the targets of the examples in a batch are
    redistributed among these examples so that the sum of squared distances is minimal (an exact linear assignment), and
    the new assignment is stored. If torch.distributed is initialized, the batches of all processes are matched
    together, and all processes have the same assignment.

    Args:
        code: Code whose K points are the targets, such as `ps.best(num_examples, dim)`.
        num_examples: Number of examples. The default is K. With more than K examples, several examples have the same
            target, and all targets are used about equally often. With fewer than K examples, some targets are not used.
        seed: Seed of the initial random assignment.

    Attributes:
        assignment: Index of the target of each example, a buffer that is saved in the state_dict.

    Raises:
        InvalidArgumentError: If an argument is out of range.

    References:
        Bojanowski and Joulin, *Unsupervised learning by predicting noise* (2017), arXiv 1704.05310.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn import NoiseAsTargets
        >>> loss = NoiseAsTargets(ps.best(num_classes=100, dim=16))
        >>> z = torch.randn(8, 16, requires_grad=True)
        >>> loss(z, torch.arange(8)).backward()
    """

    assignment: Tensor

    def __init__(
        self, code: SphericalCode, num_examples: int | None = None, *, seed: int = 0
    ) -> None:
        super().__init__()
        _require_code(code)
        count = code.num_classes if num_examples is None else num_examples
        count = as_integer("num_examples", count, minimum=1)
        given = as_integer("seed", seed, minimum=0)
        generator = torch.Generator().manual_seed(given)
        size = max(count, code.num_classes)
        order = torch.randperm(size, generator=generator, device="cpu")
        self.projection = projection_for(code)
        self.register_buffer("assignment", order[:count] % code.num_classes)

    def forward(self, z: Tensor, index: Tensor) -> Tensor:
        """Return the mean squared distance of the normalized embeddings to their targets, as a scalar.

        In training mode, the targets of the batch are first exchanged among its examples so that this distance is
        minimal, and the new assignment is stored.

        Args:
            z: B x n embeddings. They need not be normalized.
            index: B indices of the examples, from 0 to `num_examples` - 1. If an example occurs twice, the first of its
                rows is used for the matching.

        Raises:
            InvalidArgumentError: If the shape or dtype of `z` or `index` is wrong, or if `index` has an entry that is
                not the index of an example. In training mode, the error is also raised if `z` is not finite.
        """
        check_vectors(z, self.projection.dim)
        self._check_index(z, index)
        with without_autocast(z):
            vectors = unit(widened(z))
            if self.training:
                self._rematch(vectors.detach(), index)
            targets = self.projection.rows(self.assignment[index], vectors)
            return (vectors - targets).square().sum(1).mean()

    def _rematch(self, vectors: Tensor, index: Tensor) -> None:
        # the batches of all processes are matched together
        examples = all_gathered(index).cpu().numpy()
        rows = all_gathered(vectors).cpu().double()
        if not rows.isfinite().all():
            raise InvalidArgumentError("'z' must be finite, got nan or infinity")
        different, first = np.unique(examples, return_index=True)
        chosen = as_tensor(different).to(self.assignment.device)
        held = self.assignment[chosen]
        targets = self.projection.rows(held, vectors).cpu().double()
        cosines = rows[as_tensor(first)] @ targets.T
        _, columns = linear_sum_assignment(cosines.numpy(), maximize=True)
        order = as_tensor(columns).to(held.device)
        self.assignment[chosen] = held[order]

    def _check_index(self, z: Tensor, index: Tensor) -> None:
        count = len(self.assignment)
        is_integer = not (index.is_floating_point() or index.dtype == torch.bool)
        if not is_integer or index.shape != z.shape[:1] or not len(z):
            got = f"{index.dtype} of shape {tuple(index.shape)}"
            raise InvalidArgumentError(
                f"'index' must hold the number of each of the {len(z)} examples, at least 1, got {got}"
            )
        lowest = int(index.min())
        highest = int(index.max())
        if lowest < 0 or highest >= count:
            raise InvalidArgumentError(
                f"'index' must lie in 0, ..., {count - 1}, got {lowest}..{highest}"
            )

    def extra_repr(self) -> str:
        """Return a text with the number of examples, for `print(model)`."""
        return f"{len(self.assignment)} examples"


def _require_code(code: object) -> None:
    if not isinstance(code, SphericalCode):
        raise InvalidArgumentError(f"'code' must be a SphericalCode, got {brief(code)}")
