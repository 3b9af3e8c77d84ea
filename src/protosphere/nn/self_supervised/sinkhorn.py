"""Sinkhorn's iteration for soft assignments in which all prototypes are used equally."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import Tensor

from protosphere.errors import InvalidArgumentError, as_integer, as_positive
from protosphere.nn.self_supervised.all_processes import all_reduced
from protosphere.nn.vectors import widened


def sinkhorn(scores: Tensor, *, epsilon: float = 0.05, iterations: int = 3) -> Tensor:
    """Return soft assignments of B examples to K prototypes in which all prototypes are used equally.

    The computation starts from the matrix exp(scores / epsilon). Each iteration first rescales every column, so that
    all columns have the sum 1. Then it rescales every row, so that all rows sum to 1. If torch.distributed is
    initialized, the column sums include the examples of all processes. The computation uses logarithms, so small values
    of epsilon do not cause overflow.

    As the number of iterations grows, the result converges to the solution of an optimal transport problem. Among all
    nonnegative B x K matrices A whose rows sum to 1 and whose columns sum to B / K, the solution maximizes sum_ik
    scores_ik A_ik - epsilon sum_ik A_ik log A_ik.

    Args:
        scores: B x K matrix of similarities between the examples (rows) and the prototypes (columns), such as cosines.
        epsilon: Weight of the entropy, above 0; smaller values give assignments closer to 0 and 1.
        iterations: Number of iterations, at least 1.

    Returns:
        B x K probabilities, without gradient, in float32 if `scores` is in float16 or bfloat16. All rows sum to 1, and
        all columns have about the same sum over the examples of all processes.

    Raises:
        InvalidArgumentError: If `scores` is empty or not a floating-point matrix, or an option is out of range.

    References:
        Cuturi, *Sinkhorn distances: lightspeed computation of optimal transport* (2013); Caron, Misra, Mairal, Goyal,
        Bojanowski, Joulin, *Unsupervised learning of visual features by contrasting cluster assignments* (2020), arXiv
        2006.09882.

    Example:
        >>> import torch
        >>> from protosphere.nn import sinkhorn
        >>> assignments = sinkhorn(torch.tensor([[0.9, 0.8], [0.7, 0.1]]), iterations=50)
        >>> assignments.argmax(1)  # prototype 0 is best for both examples; example 0 loses less with 1
        tensor([1, 0])
    """
    as_positive("epsilon", epsilon)
    as_integer("iterations", iterations, minimum=1)
    if scores.ndim != 2 or not scores.is_floating_point() or not scores.numel():
        got = f"{scores.dtype} of shape {tuple(scores.shape)}"
        raise InvalidArgumentError(
            f"'scores' must be a matrix of a floating type, examples by prototypes, got {got}"
        )
    with torch.no_grad():
        logs = widened(scores.detach()) / epsilon
        for _ in range(iterations):
            logs -= _log_column_sums(logs)
            logs -= logs.logsumexp(1, keepdim=True)
        return logs.exp_()


def _log_column_sums(logs: Tensor) -> Tensor:
    # sums of exp(logs) over the rows of all processes
    highest = all_reduced(logs.amax(0), dist.ReduceOp.MAX)
    sums = (logs - highest).exp_().sum(0)
    return highest + all_reduced(sums).log()
