"""Makers of the numbers of the study of what separation is worth.

The study asks which statistic of a code predicts accuracy, and how much accuracy an aligned mapping adds.

See `tools/numbers/__init__.py` for the meaning of maker and answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from protosphere.experiments.record import RunRecord
from protosphere.statistics.intervals import mean_with_interval
from protosphere.statistics.regression import Regression, regression
from reproduction.predictors import cells_of, predictors
from reproduction.results import Results, results_by_network
from reproduction.variance import spreads
from tools.numbers.defaults import named_preset
from tools.numbers.maker import STUDY, Answer, Maker
from tools.numbers.makers.paper import HOURS
from tools.numbers.studies import runs, signed
from tools.numbers.tables import markdown, percent

FEATURES = "cifar100-features"
BEST = "mean squared cosine"
NUMBERS = {
    BEST: "mean squared cosine",
    "max cosine": "maximum cosine",
    "log energy": "log energy",
}
"""Headings of the columns, by the name of the statistic."""

DATA = {
    FEATURES: ("CIFAR-100, features", "cifar100"),
    "cifar100-hours": ("CIFAR-100, `strided` from scratch", "cifar100"),
    "mnist-hours": ("MNIST, Simard's network", "mnist"),
}
"""Name on the page and dataset of images of each table in results/."""

DIMS = (16, 32, 64)

Method = tuple[str, str, str]
"""Head, scheme and mapping of a run."""

RANDOM: Method = ("prototypes", "best", "random")
ALIGNED: Method = ("prototypes", "best", "align")
OPPOSED: Method = ("prototypes", "best", "oppose")
SEMANTIC: Method = ("prototypes", "semantic", "align")
BOTTLENECK: Method = ("bottleneck", "best", "fixed")

DIFFERENCES = {
    "`best`: aligned minus random": (ALIGNED, RANDOM),
    "`best`: opposed minus random": (OPPOSED, RANDOM),
    "`best` at random minus a learned bottleneck": (RANDOM, BOTTLENECK),
    "`best` aligned minus a learned bottleneck": (ALIGNED, BOTTLENECK),
    "`semantic` minus a learned bottleneck": (SEMANTIC, BOTTLENECK),
}
"""Pairs (method, reference method), by the name of their difference on the page."""


def measured() -> Answer:
    """Return the numbers of the study.

    Returns:
        "predictors": result of `predicted` for each table of runs;
        "differences": result of `compared` for each pair in `DIFFERENCES`;
        "spreads": [standard deviation of accuracy, half of its 95% interval] for each of the factors in
            `reproduction.variance.FACTORS`.
    """
    features = results_of(FEATURES)
    return {
        "predictors": {table: predicted(results_of(table)) for table in DATA},
        "differences": {
            name: compared(features, *DIFFERENCES[name]) for name in DIFFERENCES
        },
        "spreads": {
            spread.factor: [spread.deviation.value, spread.deviation.margin]
            for spread in spreads(features.records)
        },
    }


def results_of(table: str) -> Results:
    """Return the results of the runs in a table in results/. All these runs must have the same network."""
    (results,) = results_by_network(DATA[table][1], runs(f"{table}.csv"))
    return results


def predicted(results: Results) -> Answer:
    """Return how well statistics of codes predict accuracy.

    Returns:
        "runs": number of runs;
        "cells": number of configurations;
        "numbers": for each statistic in `NUMBERS`, `r_squared` and `held_out` of its `Predictor`;
        "slope": slope of `line_of`.
    """
    with_code = [run for run in results.unaligned if run.config.head == "prototypes"]
    found = {predictor.name: predictor for predictor in predictors(with_code)}
    return {
        "runs": len(with_code),
        "cells": found[BEST].cells,
        "numbers": {
            name: [found[name].r_squared, found[name].held_out] for name in NUMBERS
        },
        "slope": line_of(with_code).slope,
    }


def line_of(records: Iterable[RunRecord]) -> Regression:
    """Return the linear regression of accuracy in percent on the mean squared cosine."""
    cells = cells_of(BEST, records)
    line = regression(
        [cell.number for cell in cells], [cell.accuracy for cell in cells]
    )
    assert line is not None, "codes of these runs differ in their mean squared cosine"
    return line


def compared(results: Results, method: Method, reference: Method) -> Answer:
    """Return [mean difference over the seeds, half of its 95% interval] in percentage points, by dimension.

    The difference is the accuracy of `method` minus that of `reference`.
    """
    found: dict[str, list[float | None]] = {}
    for dim in DIMS:
        ours = by_seed(results, method, dim)
        theirs = by_seed(results, reference, dim)
        shared = sorted(ours.keys() & theirs.keys())
        difference = mean_with_interval([ours[seed] - theirs[seed] for seed in shared])
        found[str(dim)] = [difference.value, difference.margin]
    return found


def by_seed(results: Results, method: Method, dim: int) -> dict[int, float]:
    """Return the mean accuracies in percent of a method in dimension `dim`, by seed."""
    accuracies: dict[int, list[float]] = {}
    for record in results.alike:
        config = record.config
        found = (config.head, config.scheme, config.mapping)
        if found == method and config.dim == dim and record.test_accuracy is not None:
            accuracies.setdefault(config.seed, []).append(100 * record.test_accuracy)
    return {seed: fmean(values) for seed, values in accuracies.items()}


def predictor_table(answer: Answer) -> str:
    """Return a Markdown table with a row for each table of runs and a column for each statistic.

    An entry is the percentage of the variance of accuracy that the statistic explains. In brackets is the same
    percentage for schemes to which the regression was not fitted.
    """
    rows: list[list[str]] = []
    for table, found in answer["predictors"].items():
        shares = [
            f"{percent(explained)} ({share_text(held_out)})"
            for explained, held_out in found["numbers"].values()
        ]
        counts = [str(found["runs"]), str(found["cells"])]
        hundredth = signed(found["slope"] / 100, 2)
        rows.append([DATA[table][0], *counts, *shares, hundredth])
    headings = ["data", "runs", "configurations", *NUMBERS.values(), "0.01 costs"]
    return markdown(headings, rows)


def share_text(share: float) -> str:
    """Return a share of the variance as a percentage; "nothing" if it is not above 0."""
    return percent(share) if share > 0 else "nothing"


def difference_table(answer: Answer) -> str:
    """Return a Markdown table of differences in accuracy. Rows are pairs of methods, and columns are dimensions."""
    rows = [
        [name, *(f"{signed(mean, 1)} ± {half:.1f}" for mean, half in found.values())]
        for name, found in answer["differences"].items()
    ]
    return markdown(["", *(f"n = {dim}" for dim in DIMS)], rows)


def spread_text(answer: Answer) -> str:
    """Return the standard deviation of accuracy that each factor alone causes, as text."""
    return "; ".join(
        f"{factor} {deviation:.2f} ± {half:.2f}"
        for factor, (deviation, half) in answer["spreads"].items()
    )


MAKERS = (
    Maker(
        "separation_worth",
        HOURS,
        measured,
        {
            "predictors": predictor_table,
            "differences": difference_table,
            "spreads": spread_text,
        },
        cost=STUDY,
        tables=tuple(f"results/{table}.csv" for table in DATA),
        depends_on=(named_preset("lindstrom", 100, 64),),
        seeds=tuple(range(7)),
    ),
)
