"""One batch of starts annealed: L-BFGS on the smooth problem first, then on sharper and sharper ones."""

import math

from torch import Tensor

from protosphere.search.batched_energy import Orbits, smooth_max_cosine, unit_rows
from protosphere.search.batched_lbfgs import batched_lbfgs
from protosphere.search.budget import Budget

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
    slowness: float = 1.0,
    overhead: float = 0.0,
) -> Tensor:
    """Representatives (B, m, n) after L-BFGS at `temperature` (B,), then `factor` times that and so on up to `last`.

    What is left of the budget is shared among the temperatures to come, so that a short descent sees all of them.
    `slowness` is how many evaluations of the budget one of these takes, `overhead` how many a step takes beside them.
    """
    batch, count, dim = representatives.shape
    rows, weight = representatives, slowness * count / orbits.num_points
    while True:
        rows = unit_rows(rows)[0]
        stages = 1 + max(0, math.ceil(math.log(last / float(temperature.min())) / math.log(factor) - 1e-6))
        affordable = budget.left(limit, 1) / (stages * (batch * weight + overhead))
        found = batched_lbfgs(
            smooth_max_cosine(orbits, dim, temperature, energy),
            rows.reshape(batch, -1),
            steps=max(2, min(steps, int(min(affordable, steps)))),
            tolerance=SETTLED / temperature,
            spend=lambda evaluations: budget.spend(evaluations * weight + overhead, limit),
        )
        rows = found.reshape(batch, count, dim)
        if bool((temperature >= last).all()) or budget.share >= limit:
            return unit_rows(rows)[0]
        temperature = (temperature * factor).clamp_max(last)
