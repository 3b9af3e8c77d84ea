"""Which single number of a code tells beforehand how well networks train with it.

A point is a cell of the grid, a scheme in a dimension with a mapping, its accuracy the mean over seeds. Points of one
scheme resemble one another: so the line through all other schemes is asked about each, and intervals are those of
schemes drawn again, with what belongs to them.
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


def _log_energy(record: RunRecord) -> float | None:
    energy = record.metrics.get("code_energy")
    return None if energy is None else log(max(energy, 1e-300))


NUMBERS: dict[str, Callable[[RunRecord], float | None]] = {
    "max cosine": lambda record: record.max_cosine,
    "least cosine": lambda record: record.metrics.get("code_least_cosine"),
    "opposed pairs": lambda record: record.metrics.get("code_opposed_pairs"),
    "mean squared cosine": lambda record: record.metrics.get("code_mean_square"),
    "log energy": _log_energy,
    "agreement with the classes": lambda record: record.metrics.get("code_agreement"),
}
"""What may predict, by its name."""


@dataclass(frozen=True)
class TrainedCell:
    """A scheme in a dimension with a mapping: a number of its code and the accuracy in per cent, means over seeds."""

    scheme: str
    dim: int
    mapping: str
    number: float
    accuracy: float


@dataclass(frozen=True)
class Predictor:
    """How well a line on one number tells accuracy: the share of the variance over cells that it explains.

    `low` and `high` are its 95 % interval, schemes drawn again. `held_out` is the share that lines through the other
    schemes explain; below 0 where they are worse than the mean.
    """

    name: str
    cells: int
    r_squared: float
    low: float
    high: float
    held_out: float


def predictors(records: Iterable[RunRecord], seed: int = 0) -> list[Predictor]:
    """Every number that all runs have, the one that explains most first; runs of learned layers have no code."""
    done = list(records)
    rng = np.random.default_rng(seed)
    found = [_predictor(name, cells_of(name, done), rng) for name in NUMBERS]
    return sorted(
        (one for one in found if one is not None), key=lambda one: -one.r_squared
    )


def cells_of(name: str, records: Iterable[RunRecord]) -> list[TrainedCell]:
    """The cells of runs with prototypes, with a number of `NUMBERS`; none where a run does not have it."""
    runs: dict[tuple[str, int, str], list[tuple[float, float]]] = {}
    for record in records:
        if record.config.head == "prototypes" and record.test_accuracy is not None:
            value = NUMBERS[name](record)
            if value is None:
                return []
            which = (record.config.scheme, record.config.dim, record.config.mapping)
            runs.setdefault(which, []).append((value, 100 * record.test_accuracy))
    return [
        TrainedCell(*which, *(fmean(column) for column in zip(*own, strict=True)))
        for which, own in runs.items()
    ]


def _predictor(
    name: str, cells: Sequence[TrainedCell], rng: np.random.Generator
) -> Predictor | None:
    schemes = np.array([cell.scheme for cell in cells])
    table = np.array([(cell.number, cell.accuracy) for cell in cells])
    if (
        len(set(schemes.tolist())) < 3
        or np.ptp(table[:, 0]) == 0
        or np.ptp(table[:, 1]) == 0
    ):
        return None
    low, high = np.quantile(_resampled(table, schemes, rng), (0.025, 0.975)).tolist()
    return Predictor(
        name,
        len(table),
        correlation(*table.T) ** 2,
        low,
        high,
        _held_out(table, schemes),
    )


def _resampled(table: Points, schemes: Points, rng: np.random.Generator) -> Points:
    names = np.unique(schemes)
    rows = {name: np.flatnonzero(schemes == name) for name in names}
    draws = rng.choice(names, (RESAMPLES, len(names)))
    drawn = (table[np.concatenate([rows[name] for name in draw])] for draw in draws)
    return np.array([correlation(*sample.T) ** 2 for sample in drawn])


def _held_out(table: Points, schemes: Points) -> float:
    """One less the squared errors of least-squares lines through the other schemes, over those of the mean of all."""
    errors = 0.0
    for name in np.unique(schemes):
        own = schemes == name
        x, y = table[~own].T
        centred = x - x.mean()
        spread = float(centred @ centred)
        slope = float(centred @ y) / spread if spread > 0 else 0.0
        errors += float(
            np.square(
                table[own, 1] - slope * table[own, 0] - (y.mean() - slope * x.mean())
            ).sum()
        )
    return 1 - errors / float(np.square(table[:, 1] - table[:, 1].mean()).sum())
