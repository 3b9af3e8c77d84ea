"""Measure how well statistics of a code predict the accuracy of networks that are trained with the code.

The accuracy is predicted by a linear regression on one statistic. The data of the regression are configurations, that
is, combinations of a scheme, a dimension and a mapping. The accuracy of a configuration is the mean over seeds.
Configurations of the same scheme resemble each other. So predictions are tested on schemes to which the regression was
not fitted, and intervals are computed by a bootstrap that resamples whole schemes (a cluster bootstrap).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean

import numpy as np

from protosphere.experiments.record import RunRecord
from protosphere.statistics.regression import correlation
from protosphere.types import Points

RESAMPLES = 2000
"""Number of bootstrap samples."""

FEWEST_SCHEMES = 3
"""Smallest number of schemes for a regression."""


def _log_energy(record: RunRecord) -> float | None:
    energy = record.metrics.get("code_energy")
    return None if energy is None else log(max(energy, 1e-300))


NUMBERS: dict[str, Callable[[RunRecord], float | None]] = {
    "max cosine": lambda record: record.max_cosine,
    "minimum cosine": lambda record: record.metrics.get("code_min_cosine"),
    "antipodal pairs": lambda record: record.metrics.get("code_antipodal_pairs"),
    "mean squared cosine": lambda record: record.metrics.get("code_mean_square"),
    "log energy": _log_energy,
    "agreement with the classes": lambda record: record.metrics.get("code_agreement"),
}
"""Statistics of a code that may predict accuracy, by name."""


@dataclass(frozen=True)
class TrainedCell:
    """A configuration that was trained, with means over seeds.

    Attributes:
        scheme: Name of the scheme, such as 'simplex'.
        dim: Dimension n.
        mapping: Value of the setting `mapping`, which says how prototypes were assigned to classes.
        number: Value of the statistic that may predict accuracy.
        accuracy: Test accuracy in percent.
    """

    scheme: str
    dim: int
    mapping: str
    number: float
    accuracy: float


@dataclass(frozen=True)
class Predictor:
    """Quality of the prediction of accuracy by a linear regression on one statistic.

    Attributes:
        name: Name of the statistic, a key of `NUMBERS`.
        cells: Number of configurations.
        r_squared: R² of the regression over all configurations, the fraction of the variance that it explains.
        low: Lower end of the 95% interval of `r_squared`, by a bootstrap that resamples schemes.
        high: Upper end of this interval.
        held_out: R² of predictions for each scheme by a regression that is fitted to all other schemes. It is negative
            if these predictions are worse than the mean accuracy.
    """

    name: str
    cells: int
    r_squared: float
    low: float
    high: float
    held_out: float


def predictors(records: Iterable[RunRecord], seed: int = 0) -> list[Predictor]:
    """Rank statistics of codes by the fraction of the variance of accuracy that they explain.

    Only statistics that all runs with prototypes have are ranked.

    Args:
        records: Finished runs. Runs of learned layers have no code and are ignored.
        seed: Seed of the random resampling.

    Returns:
        The predictors, sorted by `r_squared`, with the largest first.
    """
    runs = list(records)
    rng = np.random.default_rng(seed)
    found: list[Predictor] = []
    for name in NUMBERS:
        predictor = _predictor(name, cells_of(name, runs), rng)
        if predictor is not None:
            found.append(predictor)
    return sorted(found, key=lambda predictor: -predictor.r_squared)


def cells_of(name: str, records: Iterable[RunRecord]) -> list[TrainedCell]:
    """Return the configurations of runs with prototypes, with one statistic of their codes.

    Args:
        name: Name of the statistic, a key of `NUMBERS`.
        records: Finished runs.

    Returns:
        The configurations; an empty list if a run does not have the statistic.
    """
    numbers: dict[tuple[str, int, str], list[float]] = {}
    accuracies: dict[tuple[str, int, str], list[float]] = {}
    for record in records:
        config = record.config
        if config.head != "prototypes" or record.test_accuracy is None:
            continue
        number = NUMBERS[name](record)
        if number is None:
            return []
        key = (config.scheme, config.dim, config.mapping)
        numbers.setdefault(key, []).append(number)
        accuracies.setdefault(key, []).append(100 * record.test_accuracy)
    cells: list[TrainedCell] = []
    for key, own in numbers.items():
        cells.append(TrainedCell(*key, fmean(own), fmean(accuracies[key])))
    return cells


def _predictor(
    name: str, cells: Sequence[TrainedCell], rng: np.random.Generator
) -> Predictor | None:
    """Return the quality of the prediction by one statistic.

    The result is None if there are fewer than `FEWEST_SCHEMES` schemes, or if the statistic or the accuracy is
    constant.
    """
    schemes = np.array([cell.scheme for cell in cells])
    table = np.array([(cell.number, cell.accuracy) for cell in cells])
    if len(np.unique(schemes)) < FEWEST_SCHEMES:
        return None
    numbers, accuracies = table.T
    if np.ptp(numbers) == 0 or np.ptp(accuracies) == 0:
        return None
    low, high = np.quantile(_resampled(table, schemes, rng), (0.025, 0.975)).tolist()
    return Predictor(
        name=name,
        cells=len(table),
        r_squared=correlation(numbers, accuracies) ** 2,
        low=low,
        high=high,
        held_out=_held_out(table, schemes),
    )


def _resampled(table: Points, schemes: Points, rng: np.random.Generator) -> Points:
    """Return R² of the regression for each bootstrap sample of schemes.

    `table` has a row (statistic, accuracy) for each configuration, and `schemes` has the scheme of each row.
    """
    names = np.unique(schemes)
    rows = {name: np.flatnonzero(schemes == name) for name in names}
    shares: list[float] = []
    for draw in rng.choice(names, (RESAMPLES, len(names))):
        sample = table[np.concatenate([rows[name] for name in draw])]
        shares.append(correlation(*sample.T) ** 2)
    return np.array(shares)


def _held_out(table: Points, schemes: Points) -> float:
    """Return `Predictor.held_out`.

    `table` has a row (statistic, accuracy) for each configuration, and `schemes` has the scheme of each row.
    """
    errors = 0.0
    for name in np.unique(schemes):
        own = schemes == name
        x, y = table[~own].T
        centered = x - x.mean()
        spread = float(centered @ centered)
        slope = float(centered @ y) / spread if spread > 0 else 0.0
        intercept = y.mean() - slope * x.mean()
        residuals = table[own, 1] - slope * table[own, 0] - intercept
        errors += float(np.square(residuals).sum())
    accuracies = table[:, 1]
    total = float(np.square(accuracies - accuracies.mean()).sum())
    return 1 - errors / total
