"""Numbers of the study of presets: the default beside a learned layer, at every learning rate."""

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
"""By its table in results/presets: data and network, and K."""


def sweep(name: str) -> str:
    """Return the command that made a table."""
    return f"protosphere sweep examples/presets/{name}.toml --workers 2 --export results/presets/{name}.csv"


def methods(name: str) -> tuple[str, str, str]:
    """Return what is compared on a data set; the last is the default for its number of classes, if it was run there."""
    default = default_preset_of(DATA[name][1]).name
    return LEARNED, PUBLISHED, default if runs_of(name, default) else "soft_cap"


def runs_of(name: str, method: str) -> list[RunRecord]:
    """Return the runs of one method."""
    records = runs(f"presets/{name}.csv")
    if method == LEARNED:
        return [record for record in records if record.config.head == "linear"]
    return [
        record
        for record in records
        if record.config.head == "prototypes" and record.config.preset == method
    ]


def at_best_rate(records: list[RunRecord]) -> dict[int, RunRecord]:
    """Return the runs by seed at the rate with the best mean validation accuracy, of rates where none failed."""
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
    """Return by data set each method at its best rate and at every rate, and the default against the better other."""
    return {name: measured_on(name) for name in DATA}


def accuracies_by_seed(records: dict[int, RunRecord]) -> dict[int, float]:
    """Return test accuracies in percent."""
    return {
        seed: 100 * (record.test_accuracy or 0.0) for seed, record in records.items()
    }


def measured_on(name: str) -> Answer:
    """Return the numbers of one data set."""
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
    """Return a method as the page calls it; the default in bold."""
    if method == LEARNED:
        return method
    return f"`{method}`" if method == PUBLISHED else f"**`{method}`**"


def summary_table(answer: Answer) -> str:
    """Return each method at its best rate, a row a data set."""
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
    """Return the rate, and the preset where it is not the default for this number of classes."""
    expected = (LEARNED, PUBLISHED, default_preset_of(DATA[name][1]).name)
    return f"{rate:g}" if method in expected else f"{rate:g}, `{method}`"


def rates_table(answer: Answer, name: str) -> str:
    """Return the accuracies of one data set at each rate that was run."""
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
    """Return an accuracy, "failed", or nothing where there was no run."""
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
