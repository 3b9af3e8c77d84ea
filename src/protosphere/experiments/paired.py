"""Compare training methods by the differences between runs with the same seed, with 95% confidence intervals.

A method is a scheme or a learned head together with settings. The record of a run holds its settings, its status and
its results.

Two runs with the same seed have the same validation split, the same order of examples and, if the shapes agree, the
same initial weights. So the mean difference over such pairs of runs usually has less variance than the difference
between the means of independent runs.

A method may have been run with several learning rates, temperatures or objective options. Then only one combination of
these settings is compared: the one with the most seeds or, among several with the most seeds, the one with the best
mean validation accuracy. Test examples do not influence this choice.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from protosphere.errors import InvalidArgumentError, brief
from protosphere.experiments.record import RunRecord
from protosphere.statistics.intervals import Compared, Mean, mean_with_interval

Method = tuple[str, int]
"""Type of a pair (name of a training method, dimension n)."""

Tuned = tuple[float, float, str]
"""Type of the settings that are chosen by validation accuracy: (learning rate, temperature, objective options as
JSON)."""

Rates = dict[Tuned, dict[int, RunRecord]]
"""Type of a mapping from tuned settings to the runs with these settings, by seed."""

LEARNED = "learned layer"
"""Name of the method that the other methods are compared with by default."""

MOST_LISTED = 12
"""Largest number of methods that an error message lists."""

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
    method: Callable[[RunRecord], str],
    against: str,
    metric: str = "test_accuracy",
) -> list[Compared]:
    """Compare every training method with a reference method at the same dimension, seed by seed.

    If the reference method was run at a single dimension only, as a learned layer is, it is compared with the methods
    at every dimension.

    Args:
        records: Records of runs. Only records with the status "done" are used.
        method: Function from a record to the name of its method.
        against: Name of the reference method, or the beginning of this name if no other name begins in the same way.
        metric: Name of a column of the results, such as test_accuracy.

    Returns:
        A row for each method and dimension with values of the metric. It contains the mean of the metric over the
        seeds. It also contains the mean difference from the reference method over the seeds that both methods have.
        This difference is None for the reference method itself, and if there are fewer than two such seeds. Accuracies
        are in percent. The rows are sorted by dimension. Rows of the same dimension have the order of the records.

    Raises:
        InvalidArgumentError: If no finished run has `metric`, or if `against` is neither the name of the method of a
            finished run nor the beginning of exactly one such name.
    """
    groups = _by_method(records, method)
    against = reference_method((name for name, _ in groups), against)
    _check_metric(groups, metric)
    chosen = {key: _with_best_settings(rates) for key, rates in groups.items()}
    reference = {dim: runs for (name, dim), runs in chosen.items() if name == against}
    of_every_dim: Mapping[int, RunRecord] = {}
    if len(reference) == 1:
        of_every_dim = next(iter(reference.values()))
    rows: list[Compared] = []
    for (name, dim), runs in sorted(chosen.items(), key=_dimension):
        values = _metric_by_seed(runs, metric)
        if not values:
            continue
        other: dict[int, float] = {}
        if name != against:
            other = _metric_by_seed(reference.get(dim, of_every_dim), metric)
        rate = next(iter(runs.values())).config.lr
        mean = mean_with_interval(list(values.values()))
        difference = _mean_difference(values, other)
        rows.append(Compared(name, dim, rate, len(values), mean, difference))
    return rows


def _dimension(item: tuple[Method, Mapping[int, RunRecord]]) -> int:
    (_, dim), _ = item
    return dim


def _check_metric(groups: Mapping[Method, Rates], metric: str) -> None:
    for rates in groups.values():
        for runs in rates.values():
            if _metric_by_seed(runs, metric):
                return
    raise InvalidArgumentError(
        f"'metric' must be a column of the results, e.g. test_accuracy, got {brief(metric)}"
    )


def reference_method(names: Iterable[str], against: str) -> str:
    """Return the full name of the reference method.

    Args:
        names: Names of the methods of the results; a name may be repeated.
        against: Name of a method, or the beginning of its name.

    Raises:
        InvalidArgumentError: If `against` is neither the name of a method nor the beginning of exactly one name.

    Example:
        >>> from protosphere.experiments.paired import reference_method
        >>> reference_method(["bch, epochs 6", "learned layer, epochs 6"], "bch")
        'bch, epochs 6'
    """
    known = [*dict.fromkeys(names)]
    if against in known:
        return against
    found = [name for name in known if name.startswith(against)]
    if len(found) == 1:
        return found[0]
    default = ", the default" if against == LEARNED else ""
    got = f"got {brief(against)}{default}"
    if found:
        raise InvalidArgumentError(
            f"'against' must name one method, {got}, with which several names begin: {_listed(found)}"
        )
    raise InvalidArgumentError(
        f"'against' must be a method of the results ({_listed(known)}), {got}"
    )


def _listed(names: Sequence[str]) -> str:
    text = "; ".join(names[:MOST_LISTED])
    if len(names) > MOST_LISTED:
        text += f"; and {len(names) - MOST_LISTED} more"
    return text


def _by_method(
    records: Iterable[RunRecord], method: Callable[[RunRecord], str]
) -> dict[Method, Rates]:
    groups: dict[Method, Rates] = {}
    for record in records:
        if record.status != "done":
            continue
        config = record.config
        rates = groups.setdefault((method(record), config.dim), {})
        options = json.dumps(dict(config.objective_options), sort_keys=True)
        tuned = (config.lr, config.temperature, options)
        runs = rates.setdefault(tuned, {})
        runs[config.seed] = record
    return groups


def _with_best_settings(rates: Rates) -> dict[int, RunRecord]:
    def quality(runs: Mapping[int, RunRecord]) -> tuple[int, float]:
        accuracy = fmean(run.validation_accuracy or 0.0 for run in runs.values())
        return len(runs), accuracy

    return max(rates.values(), key=quality)


def _metric_by_seed(runs: Mapping[int, RunRecord], metric: str) -> dict[int, float]:
    # accuracies are in percent
    scale = 100.0 if metric.endswith("accuracy") else 1.0
    found: dict[int, float] = {}
    for seed, run in runs.items():
        if metric in FIELDS:
            value = getattr(run, metric)
        else:
            value = run.metrics.get(metric)
        if value is not None:
            found[seed] = scale * value
    return found


def _mean_difference(
    values: Mapping[int, float], reference: Mapping[int, float]
) -> Mean | None:
    shared = sorted(values.keys() & reference.keys())
    if len(shared) < 2:
        return None
    return mean_with_interval([values[seed] - reference[seed] for seed in shared])
