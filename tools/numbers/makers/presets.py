"""Makers of the numbers of the study of presets.

The study compares three methods: a learned layer, the preset of Lindström et al. (2024), and the default preset. Each
method was trained at several learning rates.

See `tools/numbers/__init__.py` for the meaning of maker and answer.
"""

from __future__ import annotations

from functools import partial
from statistics import fmean

from protosphere.experiments.record import RunRecord
from protosphere.nn.presets import default_preset as default_preset_of
from protosphere.statistics.intervals import mean_with_interval
from tools.numbers.defaults import default_head, default_preset
from tools.numbers.maker import STUDY, Answer, Maker
from tools.numbers.studies import mean_at_rate, runs, signed
from tools.numbers.tables import markdown

LEARNED = "learned layer"
PUBLISHED = "lindstrom"
RATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)

DATA = {
    "digits": ("scikit-learn's digits, Simard's network", 10),
    "mnist": ("MNIST, Simard's network, 4 epochs", 10),
    "cifar10": ("CIFAR-10 features, linear", 10),
    "cifar100": ("CIFAR-100 features, linear", 100),
    "mlp": ("CIFAR-100 features, hidden layer of 512", 100),
    "scratch": ("CIFAR-100 images, small network, 4 epochs", 100),
    "thousand": ("a thousand classes of features, linear", 1000),
}
"""Dataset and network, and the number K of classes, by the name of the table in results/presets."""


def sweep(name: str) -> str:
    """Return the command that made the table `name` of runs."""
    return f"protosphere sweep examples/presets/{name}.toml --workers 2 --export results/presets/{name}.csv"


def methods(name: str) -> tuple[str, str, str]:
    """Return the three methods that are compared on the dataset `name`.

    The last method is the default preset for the number of classes. If there are no runs with this preset, it is
    `soft_cap`.
    """
    default = default_preset_of(DATA[name][1]).name
    return LEARNED, PUBLISHED, default if runs_of(name, default) else "soft_cap"


def runs_of(name: str, method: str) -> list[RunRecord]:
    """Return the runs of one method on the dataset `name`."""
    records = runs(f"presets/{name}.csv")
    if method == LEARNED:
        return [record for record in records if record.config.head == "linear"]
    return [
        record
        for record in records
        if record.config.head == "prototypes" and record.config.preset == method
    ]


def at_best_rate(records: list[RunRecord]) -> dict[int, RunRecord]:
    """Return the runs at the best learning rate, by seed.

    The rate is chosen among the rates at which no run failed: first by the number of seeds, then by the mean validation
    accuracy.
    """
    by_rate: dict[float, dict[int, RunRecord]] = {}
    for record in records:
        by_rate.setdefault(record.config.lr, {})[record.config.seed] = record
    finished = [
        found
        for found in by_rate.values()
        if all(r.test_accuracy is not None for r in found.values())
    ]
    return max(
        finished,
        key=lambda found: (
            len(found),
            fmean(r.validation_accuracy or 0.0 for r in found.values()),
        ),
    )


def measured() -> Answer:
    """Return the result of `measured_on` for each dataset, by its name."""
    return {name: measured_on(name) for name in DATA}


def accuracies_by_seed(records: dict[int, RunRecord]) -> dict[int, float]:
    """Return the test accuracy in percent of each run, by seed."""
    return {
        seed: 100 * (record.test_accuracy or 0.0) for seed, record in records.items()
    }


def measured_on(name: str) -> Answer:
    """Return the numbers of the dataset `name`.

    Returns:
        "best": [mean test accuracy, learning rate] by method, at the best rate of the method;
        "against the better": [mean difference, half of its 95% interval] of the last method from the better of the
            other two;
        "rates": mean test accuracy by method and learning rate.
    """
    best = {method: at_best_rate(runs_of(name, method)) for method in methods(name)}
    accuracies = {method: accuracies_by_seed(found) for method, found in best.items()}
    better = max(
        (LEARNED, PUBLISHED), key=lambda method: fmean(accuracies[method].values())
    )
    ours = accuracies[methods(name)[-1]]
    theirs = accuracies[better]
    difference = mean_with_interval(
        [ours[seed] - theirs[seed] for seed in sorted(ours.keys() & theirs.keys())]
    )
    return {
        "best": {
            method: [
                fmean(accuracies[method].values()),
                next(iter(found.values())).config.lr,
            ]
            for method, found in best.items()
        },
        "against the better": [difference.value, difference.margin],
        "rates": {
            method: {
                f"{rate:g}": mean_at_rate(runs_of(name, method), rate) for rate in RATES
            }
            for method in methods(name)
        },
    }


def heading(method: str) -> str:
    """Return the name of a method in Markdown, in bold if it is a default preset."""
    if method == LEARNED:
        return method
    return f"`{method}`" if method == PUBLISHED else f"**`{method}`**"


def summary_table(answer: Answer) -> str:
    """Return a Markdown table of accuracies at the best learning rates, with a row for each dataset."""
    rows: list[list[str]] = []
    for name, found in answer.items():
        label, num_classes = DATA[name]
        cells = [
            f"{accuracy:.2f} ({condition(name, method, rate)})"
            for method, (accuracy, rate) in found["best"].items()
        ]
        value, half = found["against the better"]
        rows.append(
            [label, str(num_classes), *cells, f"{signed(value, 2)} ± {half:.2f}"]
        )
    names = [heading(LEARNED), heading(PUBLISHED), "default"]
    return markdown(["data and network", "K", *names, "against the better"], rows)


def condition(name: str, method: str, rate: float) -> str:
    """Return the learning rate as text.

    The preset is added if it is not the default for the number of classes of the dataset `name`.
    """
    expected = (LEARNED, PUBLISHED, default_preset_of(DATA[name][1]).name)
    return f"{rate:g}" if method in expected else f"{rate:g}, `{method}`"


def rates_table(answer: Answer, name: str) -> str:
    """Return a Markdown table of accuracies on one dataset, with a row for each method and a column for each rate."""
    found = answer[name]["rates"]
    rates = [
        rate
        for rate in found[LEARNED]
        if any(row[rate] is not None for row in found.values())
    ]
    rows = [
        [heading(method), *(rate_text(row[rate]) for rate in rates)]
        for method, row in found.items()
    ]
    return markdown(["method", *(f"lr {rate}" for rate in rates)], rows)


def rate_text(value: float | str | None) -> str:
    """Return an accuracy as text; "failed" unchanged, and an empty text for None."""
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.1f}"


MAKERS = (
    Maker(
        "presets",
        sweep("cifar100"),
        measured,
        {
            "summary": summary_table,
            **{name: partial(rates_table, name=name) for name in DATA},
        },
        cost=STUDY,
        depends_on=(default_preset(), default_head(10, 9), default_head(100, 99)),
        tables=tuple(f"results/presets/{name}.csv" for name in DATA),
        seeds=(0, 1, 2),
    ),
)
