"""One batch of starts from a low temperature to a high one: the smooth problem first, the sharp one last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protosphere.search.batched_energy import MAX_GRAM_ENTRIES, Orbits, smooth_max_cosine, unit_rows
from protosphere.search.batched_lbfgs import batched_lbfgs
from protosphere.search.budget import Budget

if TYPE_CHECKING:
    from torch import Tensor

SETTLED = 1e-3
"""A start has settled at temperature t once twenty evaluations gain less than this over t."""


def anneal_batch(
    orbits: Orbits,
    representatives: Tensor,
    temperature: Tensor,
    *,
    last: float,
    factor: float,
    steps: int,
    budget: Budget,
    limit: float = 1.0,
    energy: str = "log_sum_exp",
) -> Tensor:
    """Representatives (B, m, n) after L-BFGS at `temperature` (B,), then `factor` times that and so on up to `last`."""
    batch, count, dim = representatives.shape
    weight = count / orbits.num_points
    rows = representatives
    while True:
        rows = unit_rows(rows)[0]
        found = batched_lbfgs(
            smooth_max_cosine(orbits, dim, temperature, energy),
            rows.reshape(batch, -1),
            steps=steps,
            tolerance=SETTLED / temperature,
            spend=lambda evaluations: budget.spend(evaluations * weight, limit),
        )
        rows = found.reshape(batch, count, dim)
        if bool((temperature >= last).all()) or budget.share >= limit:
            return unit_rows(rows)[0]
        temperature = (temperature * factor).clamp_max(last)


def largest_cosines(points: Tensor) -> Tensor:
    """(B, K, n) to (B,): the largest cosine of each code, a slice of rows at a time."""
    import torch

    batch, count, _ = points.shape
    rows = max(1, MAX_GRAM_ENTRIES // (batch * count))
    found = points.new_full((batch,), -float("inf"))
    for start in range(0, count, rows):
        gram = points[:, start : start + rows] @ points.mT
        index = torch.arange(gram.shape[1], device=points.device)
        gram[:, index, start + index] = -float("inf")
        found = torch.maximum(found, gram.amax(dim=(1, 2)))
    return found
