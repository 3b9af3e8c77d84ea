"""Cross-entropy of dot products with fixed prototypes, as a function with torch's argument names.

The log-sum-exp of some numbers is the logarithm of the sum of their exponentials.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from protosphere.errors import InvalidArgumentError, as_integer, brief
from protosphere.nn.projections.choose import projection_for
from protosphere.nn.projections.dense import DenseBlock
from protosphere.nn.projections.projection import BlockSpec, Projection, ProjectionPlan
from protosphere.nn.streaming.cross_entropy import IGNORED_CLASS, streamed_cross_entropy
from protosphere.nn.vectors import checked_wide
from protosphere.spherical.spherical_code import SphericalCode

if TYPE_CHECKING:
    from protosphere.nn.head import PrototypeHead

Prototypes: TypeAlias = "SphericalCode | PrototypeHead | Projection | Tensor"
"""Types that `linear_cross_entropy` accepts as prototypes."""

_projections: WeakKeyDictionary[SphericalCode, dict[Any, Projection]] = (
    WeakKeyDictionary()
)


def linear_cross_entropy(
    input: Tensor,
    prototypes: Prototypes,
    target: Tensor,
    *,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int = IGNORED_CLASS,
    label_smoothing: float = 0.0,
    scale: float | Tensor = 1.0,
    shift: bool | int = 0,
    return_lse: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the cross-entropy of the logits `scale * input @ prototypes.T` without materializing these logits.

    The arguments have the names of `torch.nn.functional.linear_cross_entropy` and of the package cut-cross-entropy. The
    prototypes get no gradient. If `prototypes` is a large code with a known structure, the function uses this
    structure, which takes less time and memory than a matrix.

    Args:
        input: (..., n) vectors.
        prototypes: A code, a head, a projection or a K x n tensor. For a head, which transforms the vectors and has a
            scale of its own, the logits are `scale * head(input)`.
        target: (...) class indices, or (..., K) probabilities of the classes.
        weight: K class weights. The loss of an example is multiplied by the weight of its class. If the targets are
            probabilities, the term of each class is multiplied by the weight of this class. None means weights of 1.
        reduction: 'none' for one loss per vector, 'sum' for the sum of these losses, or 'mean' for their mean. If
            `target` has class indices, the mean is the sum of the losses divided by the sum of the class weights of the
            targets.
        ignore_index: Entry of `target` for vectors that do not contribute to the loss. It is not used if `target` has
            probabilities.
        label_smoothing: Fraction of the target's probability that is spread evenly over all classes.
        scale: Factor by which dot products are multiplied to give logits: a number or a scalar tensor.
        shift: Number of positions between an input and its target in a sequence, as for next-token prediction: the
            vectors `input[..., :-shift, :]` have the targets `target[..., shift:]`. True means 1, False means 0.
        return_lse: If True, the log-sum-exps of the logits are returned as well. If False, only the loss is returned.

    Returns:
        If `return_lse` is False, the loss: a scalar, or one loss per vector if `reduction` is 'none'. If `return_lse`
        is True, a tuple of the loss and the log-sum-exp of each vector's logits. The loss and the log-sum-exps are
        differentiable.

    Raises:
        InvalidArgumentError: If an argument is not valid, or the shapes do not match.

    Example:
        >>> import protosphere as ps, torch
        >>> from protosphere.nn.functional import linear_cross_entropy
        >>> z = torch.tensor([[2.0, 0.0], [0.0, 1.0]])
        >>> code = ps.construct("cross_polytope", num_classes=4, dim=2)
        >>> linear_cross_entropy(z, code, torch.tensor([0, 2]))
        tensor(0.4402)
    """
    for name, tensor in (("input", input), ("target", target)):
        _require_tensor(name, tensor)
    positions = as_integer(
        "shift", int(shift) if shift is True or shift is False else shift, minimum=0
    )
    vectors, projection = _logit_vectors(input, prototypes)
    if isinstance(scale, Tensor) or scale != 1.0:
        vectors = vectors * scale
    if positions:
        vectors, target = _shifted(vectors, target, positions)
    loss = streamed_cross_entropy(
        projection, vectors, target, weight, label_smoothing, reduction, ignore_index
    )
    if not return_lse:
        return loss
    rows = vectors.reshape(-1, vectors.shape[-1])
    log_sum_exps = projection.log_sum_exp(rows)
    return loss, log_sum_exps.reshape(vectors.shape[:-1])


def _require_tensor(name: str, value: object) -> None:
    if not isinstance(value, Tensor):
        raise InvalidArgumentError(f"'{name}' must be a tensor, got {brief(value)}")


def _logit_vectors(
    vectors: Tensor, prototypes: Prototypes
) -> tuple[Tensor, Projection]:
    if isinstance(prototypes, Tensor):
        projection = _matrix_projection(prototypes)
    elif isinstance(prototypes, SphericalCode):
        projection = _code_projection(prototypes, vectors)
    elif isinstance(prototypes, Projection):
        projection = prototypes
    elif hasattr(prototypes, "embed") and hasattr(prototypes, "projection"):
        wide = checked_wide(vectors, prototypes.dim)
        return prototypes.embed(wide), prototypes.projection
    else:
        raise InvalidArgumentError(
            f"'prototypes' must be a code, a head, a projection or a K x n tensor, got {brief(prototypes)}"
        )
    return checked_wide(vectors, projection.dim), projection


def _matrix_projection(matrix: Tensor) -> Projection:
    if matrix.ndim != 2 or not matrix.is_floating_point():
        got = f"{matrix.dtype} of shape {tuple(matrix.shape)}"
        raise InvalidArgumentError(
            f"'prototypes' must be a K x n tensor of a floating type, got {got}"
        )
    if matrix.requires_grad:
        raise InvalidArgumentError(
            "'prototypes' must be constant, got a tensor that requires a gradient; prototypes.detach(), or "
            "torch.nn.functional.linear_cross_entropy to learn them"
        )
    num_classes, dim = matrix.shape
    spec = BlockSpec(num_classes, 1, lambda first, last: DenseBlock(matrix[first:last]))
    return Projection(ProjectionPlan("dense", (spec,)), num_classes, dim)


def _code_projection(code: SphericalCode, like: Tensor) -> Projection:
    # projections are cached by dtype and device
    dtype = torch.float64 if like.dtype == torch.float64 else torch.float32
    kept = _projections.setdefault(code, {})
    key = (dtype, like.device)
    if key not in kept:
        with torch.device("cpu"):
            kept[key] = projection_for(code, dtype=dtype).to(like.device)
    return kept[key]


def _shifted(vectors: Tensor, target: Tensor, shift: int) -> tuple[Tensor, Tensor]:
    # each vector is paired with the target `shift` positions later
    if vectors.ndim < 2 or shift >= vectors.shape[-2]:
        raise InvalidArgumentError(
            f"'shift' must be below the number of positions, the last dimension of 'input' but one, got {shift} for "
            f"shape {tuple(vectors.shape)}"
        )
    by_class = vectors.ndim == target.ndim
    ahead = target[..., shift:, :] if by_class else target[..., shift:]
    return vectors[..., :-shift, :], ahead
