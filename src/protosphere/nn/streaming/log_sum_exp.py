"""Log-sum-exps over several sets of points, merged, and the dtype in which sums are taken."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

HALF_TYPES = (torch.float16, torch.bfloat16)


def widened(z: Tensor) -> Tensor:
    """Return z in the dtype in which sums are taken: float32 for half types, else its own."""
    if z.dtype in HALF_TYPES:
        return z.float()
    return z


def merged_log_sum_exps(
    pieces: Sequence[tuple[Tensor, Tensor]],
) -> tuple[Tensor, Tensor]:
    """Return the log-sum-exp over several sets of points, and the mean of all of them.

    Args:
        pieces: For each set its log-sum-exps, B values, and its means under the softmax, B x n.

    Returns:
        The B log-sum-exps and the B x n means of the union.
    """
    if len(pieces) == 1:
        return pieces[0]
    values = torch.stack([value for value, _ in pieces])
    means = torch.stack([mean for _, mean in pieces])
    value = values.logsumexp(0)
    shares = torch.exp(values - value)[:, :, None]
    return value, (shares * means).sum(0)
