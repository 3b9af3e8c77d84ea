"""Test whether the separation of prototypes matters in self-supervised learning.

Lindström et al. (2024) leave this question open. Runs of `examples/self_supervised/study.toml` are compared within a
setting, that is, for the same objective, number of prototypes and dimension. The temperature of each method is the one
with the best mean accuracy on held-out images; test images are not used for this choice. Differences are computed
between runs with the same seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from protosphere.errors import InvalidArgumentError
from protosphere.experiments.config import TrainingConfig
from protosphere.experiments.record import RunRecord
from protosphere.statistics.intervals import Mean, mean_with_interval
from protosphere.statistics.regression import Regression, regression

LEARNED = "learned"
RANDOM = "uniform at random"
SEPARATED = "best separated"
SIMPLEX = "simplex"
NARROW = "narrow clusters"
WIDE = "wide clusters"
TIGHT = "tight frame of close points"

WIDEST_NARROW = 0.45
"""Largest value of the option `spread` of the scheme `clusters` for which clusters count as narrow."""

FIXED_METHODS = {
    "uniform": RANDOM,
    "best": SEPARATED,
    "simplex": SIMPLEX,
    "rotated_bases": TIGHT,
}

PREDICTORS = {
    "maximum cosine": "max_cosine",
    "mean squared cosine": "code_mean_square",
    "minimum cosine": "code_min_cosine",
}
"""Statistics of a code that may predict accuracy, each with the name of its field in a record."""


@dataclass(frozen=True, order=True)
class Setting:
    """Properties in which runs must agree to be compared.

    Attributes:
        objective: Self-supervised objective.
        num_prototypes: Number of prototypes.
        dim: Dimension n.
    """

    objective: str
    num_prototypes: int
    dim: int

    def __str__(self) -> str:
        if self.objective == "noise_as_targets":  # one target per image
            return f"{self.objective}, n = {self.dim}"
        return f"{self.objective}, K = {self.num_prototypes:,}, n = {self.dim}"


@dataclass(frozen=True)
class MethodResult:
    """Runs of a method in a setting, at the temperature that was chosen on held-out images.

    Attributes:
        setting: Objective, number of prototypes and dimension.
        method: Kind of prototypes, such as "learned" or "simplex".
        temperature: The chosen temperature.
        runs: Records of the runs by seed.
    """

    setting: Setting
    method: str
    temperature: float
    runs: Mapping[int, RunRecord]

    def values(self, metric: str = "test_accuracy") -> dict[int, float]:
        """Return the values of a metric by seed; accuracies are in percent."""
        scale = 100.0 if metric.endswith("accuracy") else 1.0
        found: dict[int, float] = {}
        for seed, record in self.runs.items():
            value = metric_of(record, metric)
            if value is not None:
                found[seed] = scale * value
        return found

    def mean(self, metric: str = "test_accuracy") -> Mean | None:
        """Return the mean of a metric over seeds, with its 95% interval; None if no run has the metric."""
        values = list(self.values(metric).values())
        return mean_with_interval(values) if values else None


def metric_of(record: RunRecord, metric: str) -> float | None:
    """Return a field or a metric of a record by name; None if the record does not have it.

    Args:
        record: Record of a run.
        metric: Name of a field of the record, or key of its `metrics`.
    """
    if hasattr(record, metric):
        return getattr(record, metric)
    return record.metrics.get(metric)


def setting_of(config: TrainingConfig) -> Setting:
    """Return the setting of a config: objective, number of prototypes and dimension."""
    return Setting(config.objective, config.num_prototypes, config.dim)


def method_of(config: TrainingConfig) -> str:
    """Return the kind of prototypes of a config, such as "learned" or "simplex".

    Raises:
        InvalidArgumentError: If the study does not include the scheme of the config.
    """
    if config.head != "prototypes":
        return LEARNED
    if config.scheme == "clusters":
        spread = float(config.scheme_options.get("spread", 0.0))
        return NARROW if spread <= WIDEST_NARROW else WIDE
    if config.scheme not in FIXED_METHODS:
        raise InvalidArgumentError(
            f"the study has no scheme '{config.scheme}'; it has: {', '.join(FIXED_METHODS)}, clusters"
        )
    return FIXED_METHODS[config.scheme]


def method_results(records: Iterable[RunRecord]) -> list[MethodResult]:
    """Return the results of every method in every setting, sorted by setting.

    For each of them, only the runs with the best temperature are kept. Options of the objective are chosen together
    with the temperature.
    """
    groups: dict[tuple[Setting, str], dict[str, dict[int, RunRecord]]] = {}
    for record in records:
        config = record.config
        if record.status != "done" or not config.is_self_supervised:
            continue
        tuned = json.dumps([config.temperature, dict(config.objective_options)])
        runs = groups.setdefault((setting_of(config), method_of(config)), {})
        runs.setdefault(tuned, {})[config.seed] = record
    found: list[MethodResult] = []
    for (setting, method), by_temperature in groups.items():
        runs = max(by_temperature.values(), key=_quality)
        temperature = next(iter(runs.values())).config.temperature
        found.append(MethodResult(setting, method, temperature, runs))
    return sorted(found, key=lambda result: result.setting)


def _quality(runs: Mapping[int, RunRecord]) -> tuple[int, float]:
    """Return the key by which temperatures are compared: number of seeds, then mean accuracy on held-out images."""
    return len(runs), fmean(run.validation_accuracy or 0.0 for run in runs.values())


def paired_difference(
    results: Sequence[MethodResult],
    method: str,
    reference: str,
    metric: str = "test_accuracy",
) -> Mean | None:
    """Return the mean difference of two methods, with its 95% interval; None if they have no seed in common.

    The mean is over all settings and seeds for which there are runs of both methods.

    Args:
        results: Results of any settings.
        method: Name of the method.
        reference: Name of the method whose values are subtracted.
        metric: Name of the metric that is compared.
    """
    by_name = {(result.setting, result.method): result for result in results}
    differences: list[float] = []
    for setting in dict.fromkeys(result.setting for result in results):
        one = by_name.get((setting, method))
        other = by_name.get((setting, reference))
        if one is None or other is None:
            continue
        values = one.values(metric)
        references = other.values(metric)
        shared = values.keys() & references.keys()
        differences += [values[seed] - references[seed] for seed in sorted(shared)]
    return mean_with_interval(differences) if differences else None


def verdict(difference: Mean | None) -> str:
    """Return "helps" if the interval of a difference is above 0, "hurts" if it is below 0, else "not decided"."""
    if difference is None or difference.margin is None:
        return "not decided"
    if difference.value > difference.margin:
        return "helps"
    if difference.value < -difference.margin:
        return "hurts"
    return "not decided"


def prediction(
    results: Iterable[MethodResult], predictor: str, metric: str = "test_accuracy"
) -> Regression | None:
    """Return the linear regression of accuracy on a statistic of the fixed codes; None if it is not defined.

    Differences between settings are removed first: for each setting, the mean accuracy and the mean statistic of its
    fixed codes are subtracted.

    Args:
        results: Results of any settings.
        predictor: Name of the statistic, a field or a metric of records.
        metric: Name of the metric that is predicted.
    """
    by_setting: dict[Setting, list[tuple[float, float]]] = {}
    for result in results:
        if result.method == LEARNED:
            continue
        number = result.mean(predictor)
        accuracy = result.mean(metric)
        if number is not None and accuracy is not None:
            pairs = by_setting.setdefault(result.setting, [])
            pairs.append((number.value, accuracy.value))
    numbers: list[float] = []
    accuracies: list[float] = []
    for pairs in by_setting.values():
        number_mean = fmean(number for number, _ in pairs)
        accuracy_mean = fmean(accuracy for _, accuracy in pairs)
        numbers += [number - number_mean for number, _ in pairs]
        accuracies += [accuracy - accuracy_mean for _, accuracy in pairs]
    return regression(numbers, accuracies)
