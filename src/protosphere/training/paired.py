"""Ways to train compared seed by seed: means, differences of runs with the same seed, and their 95 % intervals.

Runs of one seed share the split, the order of examples and, where shapes agree, the first weights, so their difference
says more than that of two means. A way that was run at several learning rates is taken at the one with the best mean
validation accuracy; test examples have no say in it.
"""

from collections.abc import Callable, Iterable, Mapping
from statistics import fmean

from protosphere.errors import InvalidArgumentError, brief
from protosphere.intervals import Compared, Mean, mean_with_interval
from protosphere.training.records import RunRecord

Metric = Callable[[RunRecord], float | None]
"""A figure of a finished run."""


def metric_named(name: str) -> Metric:
    """A field of a record, accuracies in percent, or one of its metrics, as results call it."""
    scale = 100.0 if name.endswith("accuracy") else 1.0

    def metric(record: RunRecord) -> float | None:
        value = getattr(record, name) if name in FIELDS else record.metrics.get(name)
        return None if value is None else scale * value

    return metric


LEARNED = "learned layer"
"""The way that others are compared with unless another is named."""

MOST_TOLD = 12
"""Ways that a complaint names."""

FIELDS = ("test_accuracy", "validation_accuracy", "loss", "max_cosine", "seconds")


def compared(
    records: Iterable[RunRecord], way: Callable[[RunRecord], str], against: str, metric: str = "test_accuracy"
) -> list[Compared]:
    """Every way at every dimension, beside the way called `against`; by dimension, then in the order they come.

    A reference that has one dimension only, as a learned layer has, is that of every dimension.
    """
    value, groups = metric_named(metric), _by_way(records, way)
    chosen = {key: _at_best_rate(runs) for key, runs in groups.items()}
    if all(value(record) is None for runs in groups.values() for record in runs):
        raise InvalidArgumentError(f"'metric' must be a column of the results, e.g. test_accuracy, got {brief(metric)}")
    reference = {dim: runs for (name, dim), runs in chosen.items() if name == against}
    if not reference:
        known = [*dict.fromkeys(name for name, _ in groups)]
        told = "; ".join(known[:MOST_TOLD]) + f"; and {len(known) - MOST_TOLD} more" * (len(known) > MOST_TOLD)
        default = ", the default" * (against == LEARNED)
        raise InvalidArgumentError(f"'against' must be a way of the results ({told}), got {brief(against)}{default}")
    only: Mapping[int, RunRecord] = next(iter(reference.values())) if len(reference) == 1 else {}
    rows: list[Compared] = []
    for (name, dim), runs in sorted(chosen.items(), key=lambda item: item[0][1]):
        values = _values(runs, value)
        if values:
            other = {} if name == against else _values(reference.get(dim, only), value)
            rate, mean = next(iter(runs.values())).recipe.lr, mean_with_interval(list(values.values()))
            rows.append(Compared(name, dim, rate, len(values), mean, _paired(values, other)))
    return rows


def _by_way(records: Iterable[RunRecord], way: Callable[[RunRecord], str]) -> dict[tuple[str, int], list[RunRecord]]:
    groups: dict[tuple[str, int], list[RunRecord]] = {}
    for record in records:
        if record.status == "done":
            groups.setdefault((way(record), record.recipe.dim), []).append(record)
    return groups


def _at_best_rate(runs: Iterable[RunRecord]) -> dict[int, RunRecord]:
    """By seed, those at the rate of the best mean validation accuracy; of rates that have the most seeds."""
    rates: dict[float, dict[int, RunRecord]] = {}
    for record in runs:
        rates.setdefault(record.recipe.lr, {})[record.recipe.seed] = record
    return max(rates.values(), key=lambda found: (len(found), _mean_validation(found)))


def _mean_validation(runs: Mapping[int, RunRecord]) -> float:
    return fmean(record.validation_accuracy or 0.0 for record in runs.values())


def _values(runs: Mapping[int, RunRecord], metric: Metric) -> dict[int, float]:
    found = {seed: metric(record) for seed, record in runs.items()}
    return {seed: value for seed, value in found.items() if value is not None}


def _paired(values: Mapping[int, float], reference: Mapping[int, float]) -> Mean | None:
    shared = sorted(values.keys() & reference.keys())
    return mean_with_interval([values[seed] - reference[seed] for seed in shared]) if len(shared) > 1 else None
