"""Ways to train compared seed by seed: means, differences of runs with the same seed, and their 95 % intervals.

Runs of one seed share the split, the order of examples and, where shapes agree, the first weights, so their difference
says more than that of two means. A way that was run at several learning rates is taken at the one with the best mean
validation accuracy; test examples have no say in it.
"""

from collections.abc import Callable, Iterable, Mapping
from statistics import fmean

from protosphere.errors import InvalidArgumentError, brief
from protosphere.experiments.record import RunRecord
from protosphere.statistics.intervals import Compared, Mean, mean_with_interval

Rates = dict[float, dict[int, RunRecord]]
"""Runs by learning rate and seed."""

LEARNED = "learned layer"
"""The way that others are compared with unless another is named."""

MOST_TOLD = 12
"""Ways that a complaint names."""

FIELDS = (
    "test_accuracy",
    "validation_accuracy",
    "loss",
    "max_cosine",
    "converse",
    "images_per_second",
    "seconds",
)


def compared(
    records: Iterable[RunRecord],
    way: Callable[[RunRecord], str],
    against: str,
    metric: str = "test_accuracy",
) -> list[Compared]:
    """Every way at every dimension, beside the way called `against`; by dimension, then in the order they come.

    A reference that has one dimension only, as a learned layer has, is that of every dimension.
    """
    groups = _by_way(records, way)
    if not any(
        _values(runs, metric) for rates in groups.values() for runs in rates.values()
    ):
        raise InvalidArgumentError(
            f"'metric' must be a column of the results, e.g. test_accuracy, got {brief(metric)}"
        )
    chosen = {key: _at_best_rate(rates) for key, rates in groups.items()}
    reference = {dim: runs for (name, dim), runs in chosen.items() if name == against}
    if not reference:
        known = [*dict.fromkeys(name for name, _ in groups)]
        told = "; ".join(known[:MOST_TOLD]) + f"; and {len(known) - MOST_TOLD} more" * (
            len(known) > MOST_TOLD
        )
        default = ", the default" * (against == LEARNED)
        raise InvalidArgumentError(
            f"'against' must be a way of the results ({told}), got {brief(against)}{default}"
        )
    only: Mapping[int, RunRecord] = (
        next(iter(reference.values())) if len(reference) == 1 else {}
    )
    rows: list[Compared] = []
    for (name, dim), runs in sorted(chosen.items(), key=lambda item: item[0][1]):
        values = _values(runs, metric)
        if values:
            other = {} if name == against else _values(reference.get(dim, only), metric)
            rate = next(iter(runs.values())).config.lr
            mean = mean_with_interval(list(values.values()))
            rows.append(
                Compared(name, dim, rate, len(values), mean, _paired(values, other))
            )
    return rows


def _by_way(
    records: Iterable[RunRecord], way: Callable[[RunRecord], str]
) -> dict[tuple[str, int], Rates]:
    groups: dict[tuple[str, int], Rates] = {}
    for record in records:
        if record.status == "done":
            rates = groups.setdefault((way(record), record.config.dim), {})
            rates.setdefault(record.config.lr, {})[record.config.seed] = record
    return groups


def _at_best_rate(rates: Rates) -> dict[int, RunRecord]:
    """By seed, the runs at the rate of the best mean validation accuracy; of rates that have the most seeds."""
    return max(
        rates.values(),
        key=lambda runs: (
            len(runs),
            fmean(r.validation_accuracy or 0.0 for r in runs.values()),
        ),
    )


def _values(runs: Mapping[int, RunRecord], metric: str) -> dict[int, float]:
    """By seed a field of the records, accuracies in percent, or one of their metrics, as results call it."""
    scale = 100.0 if metric.endswith("accuracy") else 1.0
    found = {
        seed: getattr(run, metric) if metric in FIELDS else run.metrics.get(metric)
        for seed, run in runs.items()
    }
    return {seed: scale * value for seed, value in found.items() if value is not None}


def _paired(values: Mapping[int, float], reference: Mapping[int, float]) -> Mean | None:
    shared = sorted(values.keys() & reference.keys())
    if len(shared) > 1:
        return mean_with_interval([values[seed] - reference[seed] for seed in shared])
    return None
