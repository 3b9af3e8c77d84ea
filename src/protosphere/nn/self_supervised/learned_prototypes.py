"""Prototypes that are trained.

The module `LearnedPrototypes` has the methods of a `Projection`, which is the module for dot products with fixed
prototypes. So losses can use either module.

The log-sum-exp of some numbers is the logarithm of the sum of their exponentials.
"""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear

from protosphere.errors import InvalidArgumentError, as_choice, as_integer
from protosphere.nn.functional import unit
from protosphere.nn.kernels.threaded import without_autocast
from protosphere.nn.projections.block import TopK
from protosphere.nn.streaming.cross_entropy import (
    REDUCTIONS,
    checked_classes,
    classes_in_range,
)
from protosphere.nn.vectors import check_vectors, checked_wide, widened

NORMALIZED_NAMES = (
    ("weight_g", "weight_v"),
    ("parametrizations.weight.original0", "parametrizations.weight.original1"),
)
"""For each of torch's two implementations of weight normalization, the names of two parameters.

The first parameter has the norms of the rows of a weight matrix, and the second has their directions.
"""


class LearnedPrototypes(nn.Module):
    """Module with K trained unit vectors, the usual last layer of SwAV and DINO: a linear layer with normalized rows.

    Losses can use this module in place of a `Projection`, the module for dot products with fixed prototypes.

    Args:
        num_classes: Number K of prototypes, at least 2.
        dim: Dimension n.
        seed: Seed of the initial prototypes, which are random points, uniform on the sphere. By default, torch's global
            generator draws them.

    Attributes:
        num_classes: Number K of prototypes.
        dim: Dimension n.
        weight: K x n parameter. The prototypes are its rows divided by their norms.

    Raises:
        InvalidArgumentError: If an argument is not an integer in its range.

    Example:
        >>> import torch
        >>> from protosphere.nn import LearnedPrototypes
        >>> prototypes = LearnedPrototypes(100, 16, seed=0)
        >>> prototypes(torch.randn(4, 16)).shape
        torch.Size([4, 100])
    """

    def __init__(self, num_classes: int, dim: int, *, seed: int | None = None) -> None:
        super().__init__()
        self.num_classes = as_integer("num_classes", num_classes, minimum=2)
        self.dim = as_integer("dim", dim, minimum=1)
        self.weight = nn.Parameter(torch.empty(self.num_classes, self.dim))
        self.reset_parameters(seed)

    def reset_parameters(self, seed: int | None = None) -> None:
        """Set the prototypes to new random points, uniform on the sphere.

        Args:
            seed: Seed of the random points. By default, torch's global generator draws them.
        """
        generator = None
        if seed is not None:
            given = as_integer("seed", seed, minimum=0)
            generator = torch.Generator().manual_seed(given)
        if self.weight.is_meta:
            return
        size = (self.num_classes, self.dim)
        draws = torch.randn(size, generator=generator, device="cpu")
        with torch.no_grad():
            self.weight.copy_(unit(draws))

    def unit_rows(self, like: Tensor) -> Tensor:
        """Return the K prototypes as rows of n coordinates, with gradients for the parameter `weight`.

        Args:
            like: Tensor of which only the dtype is used. If its dtype or the dtype of the weight is float64, the
                prototypes are in float64. Otherwise they are in float32.
        """
        wide = widened(self.weight)
        finer = torch.promote_types(wide.dtype, like.dtype)
        return unit(wide.to(finer))

    def forward(self, z: Tensor) -> Tensor:
        """Return the B x K dot products of the rows of z with the prototypes, in the dtype of z.

        If z is in float16 or bfloat16, the computation uses float32.

        Args:
            z: B x n vectors.
        """
        check_vectors(z, self.dim)
        return self._products(widened(z)).to(z.dtype)

    def _products(self, wide: Tensor) -> Tensor:
        with without_autocast(wide):
            rows = self.unit_rows(wide)
            return linear(wide.to(rows.dtype), rows)

    def log_sum_exp(self, z: Tensor) -> Tensor:
        """Return, for each row of z, the log-sum-exp of its dot products with the prototypes.

        Args:
            z: B x n vectors.

        Returns:
            B log-sum-exps. They are in float32 if z is in float16 or bfloat16.
        """
        check_vectors(z, self.dim)
        return self._products(widened(z)).logsumexp(1)

    def log_sum_exp_and_mean(
        self, z: Tensor, with_mean: bool = True
    ) -> tuple[Tensor, Tensor]:
        """Return, for each row of z, the log-sum-exp of its dot products with the prototypes, and a mean prototype.

        The mean prototype of a row is the mean of all prototypes, weighted by the softmax of the row's dot products.

        Args:
            z: B x n vectors.
            with_mean: If True, the means are computed. If False, they are not.

        Returns:
            A tuple of two tensors: the B log-sum-exps, and the B x n means. If `with_mean` is False, the second tensor
            is empty and has the shape B x 0.
        """
        products = self._products(widened(z))
        values = products.logsumexp(1)
        if not with_mean:
            return values, values.new_empty(len(values), 0)
        means, _ = self.weighted_prototypes(products.softmax(1))
        return values, means

    def weighted_prototypes(
        self, weights: Tensor, factors: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return, for each row of weights, the weighted sum of the prototypes and the sum of the weights.

        Args:
            weights: B x K weights, one row per example.
            factors: K factors, one per prototype, by which the weights are multiplied. None means factors of 1.

        Returns:
            A tuple of two tensors: the B x n weighted sums of the prototypes, and the B sums of the weights. Both are
            computed from the weights after the multiplication by the factors. If the weights are in float16 or
            bfloat16, both are in float32.
        """
        wide = widened(weights)
        if factors is not None:
            wide = wide * factors
        with without_autocast(wide):
            rows = self.unit_rows(wide)
            return wide.to(rows.dtype) @ rows, wide.sum(1)

    def cross_entropy(
        self,
        z: Tensor,
        target: Tensor,
        weight: Tensor | None = None,
        label_smoothing: float = 0.0,
        reduction: str = "mean",
        scale: float | Tensor = 1.0,
        ignore_index: int = -100,
    ) -> Tensor:
        """Return `torch.nn.functional.cross_entropy` of the logits `scale * self(z)`.

        Args:
            z: (..., n) vectors.
            target: (...) class indices, or (..., K) probabilities of the classes.
            weight: K class weights, by which the losses of the classes are multiplied. None means weights of 1.
            label_smoothing: Fraction of the target's probability that is spread evenly over all classes.
            reduction: 'none' for one loss per vector, 'sum' for the sum of these losses, or 'mean' for their mean. If
                `target` has class indices, the mean is the sum of the losses divided by the sum of the class weights of
                the targets.
            scale: Factor by which the dot products with the prototypes are multiplied to give logits.
            ignore_index: Entry of `target` for vectors that do not contribute to the loss. It is not used if `target`
                has probabilities.

        Returns:
            The loss, a scalar. If `reduction` is 'none', a tensor of shape (...) with one loss per vector.

        Raises:
            InvalidArgumentError: If `target` is not valid, or `reduction` is not one of its three values.
        """
        as_choice("reduction", reduction, REDUCTIONS)
        wide = checked_wide(z, self.dim)
        rows = self._checked_target(z, target, ignore_index)
        logits = scale * self._products(wide.reshape(-1, self.dim))
        if rows.is_floating_point():
            rows = rows.to(logits.dtype)
        loss = cross_entropy(
            logits,
            rows,
            weight,
            ignore_index=ignore_index,
            reduction=reduction,
            label_smoothing=label_smoothing,
        )
        return loss.reshape(z.shape[:-1]) if reduction == "none" else loss

    def _checked_target(self, z: Tensor, target: Tensor, ignored: int) -> Tensor:
        if not target.is_floating_point():
            checked_classes(z, target, self.num_classes, ignored)
            return target.flatten().long()
        needed = (*z.shape[:-1], self.num_classes)
        if target.shape != needed:
            raise InvalidArgumentError(
                f"'target' must hold probabilities of shape {needed}, or classes, got shape {tuple(target.shape)}"
            )
        return target.reshape(-1, self.num_classes)

    def prototypes(self, index: Tensor | None = None) -> Tensor:
        """Return the prototypes of the given classes, one per row, without gradient.

        Args:
            index: Vector of class indices. By default, all K prototypes are returned.

        Raises:
            InvalidArgumentError: If `index` has an entry that is not a class.
        """
        with torch.no_grad():
            rows = self.weight
            if index is not None:
                rows = rows[classes_in_range("index", index, self.num_classes)]
            return unit(widened(rows))

    def top(self, z: Tensor, k: int = 1) -> TopK:
        """Return the k largest dot products of each row of z with the prototypes, and the classes of these prototypes.

        The results have no gradient.

        Args:
            z: B x n vectors.
            k: Number of classes, at most K.

        Returns:
            The B x k dot products, in descending order, and the B x k class indices of the prototypes.

        Raises:
            InvalidArgumentError: If `k` is not between 1 and K.
        """
        if as_integer("k", k, minimum=1) > self.num_classes:
            raise InvalidArgumentError(
                f"'k' must be at most the {self.num_classes} classes, got {k}"
            )
        with torch.no_grad():
            values, classes = self(z).topk(k, dim=1)
        return values, classes

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        # public DINO heads store their prototypes as a weight-normalized linear layer
        rename_normalized_weight(state_dict, prefix, error_msgs)
        cast("Any", super())._load_from_state_dict(
            state_dict,
            prefix,
            local_metadata,
            strict,
            missing_keys,
            unexpected_keys,
            error_msgs,
        )  # torch has no types for it

    def extra_repr(self) -> str:
        """Return the number of prototypes and the dimension as the text that `print(model)` shows for this module."""
        return f"K={self.num_classes}, n={self.dim}"


def rename_normalized_weight(
    state: dict[str, Any], prefix: str, errors: list[str]
) -> None:
    """Convert the entries of a weight-normalized linear layer in a state dict to an entry `weight`, in place.

    Weight normalization stores the directions and the norms of the rows of the weight. The entry with the directions is
    renamed to `weight`, and the entry with the norms is removed.

    Args:
        state: State dict.
        prefix: Name of the layer, followed by a dot.
        errors: List of error messages. If a norm is not 1, a message is appended, because prototypes are unit vectors.
    """
    for norm_name, direction_name in NORMALIZED_NAMES:
        direction = state.pop(prefix + direction_name, None)
        lengths = state.pop(prefix + norm_name, None)
        if direction is None:
            continue
        state[prefix + "weight"] = direction
        if lengths is not None and not torch.allclose(lengths, lengths.new_ones(())):
            errors.append(
                f"'{prefix}{norm_name}' must be 1 everywhere: prototypes are unit vectors, got others"
            )
