"""One batch of starts annealed: L-BFGS on the smooth problem first, then on sharper and sharper ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protosphere.search.batched_energy import Orbits, smooth_max_cosine, unit_rows
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
