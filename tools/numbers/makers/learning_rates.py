"""Numbers of the study of learning rates: the two default presets beside a learned layer, with and without momentum."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from functools import partial
from statistics import fmean

from protosphere.nn.presets import default_preset as default_preset_of
from tools.numbers.defaults import default_preset, named_preset
from tools.numbers.maker import STUDY, Answer, Maker
from tools.numbers.makers.presets import runs_of
from tools.numbers.run import ROOT
from tools.numbers.studies import mean_at_rate
from tools.numbers.tables import markdown

COMMAND = "python -m benchmarks.slopes"
TABLE = "results/presets/slopes.csv"

DATA = {
    "digits": ("digits, two hidden layers", 10),
    "cifar10-linear": ("CIFAR-10 features, linear", 10),
    "cifar10-hidden": ("CIFAR-10 features, hidden layer of 512", 10),
    "first20-linear": ("first classes of CIFAR-100, linear", 20),
    "first40-linear": ("first classes of CIFAR-100, linear", 40),
    "cifar100-linear": ("CIFAR-100 features, linear", 100),
    "cifar100-hidden": ("CIFAR-100 features, hidden layer of 512", 100),
}
"""By its name in the table: data and network, and K."""

LAYERS = {
    "learned layer": "learned layer",
    "protosphere": "protosphere",
    "slope 2": "soft_cap",
}
"""By its name in the table: what the page calls a last layer."""

COLUMNS = {
    ("0.0", "0.01"): "no momentum, lr 0.01",
    ("0.0", "0.1"): "lr 0.1",
    ("0.0", "0.5"): "lr 0.5",
    ("0.9", "0.01"): "momentum 0.9, lr 0.01",
    ("0.9", "0.1"): "lr 0.1",
    ("0.9", "0.5"): "lr 0.5",
}
"""Momentum and rate of each column of the page."""

FAST = 0.5
"""The highest rate of the sweep of presets on MNIST."""


def measured() -> Answer:
    """Return the accuracies by learning rate, and those of the two presets on MNIST at the highest rate."""
    return {"rates": accuracies(), "mnist": fast_on_mnist()}


def accuracies() -> Answer:
    """Return test accuracy, half of its interval and validation accuracy by data, last layer, momentum and rate."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    with (ROOT / TABLE).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            layer = LAYERS.get(row["last_layer"])
            if layer is None:
                continue
            rates = found.setdefault(row["data"], {}).setdefault(layer, {})
            values = (row["test"], row["half_interval"], row["validation"])
            rates[setting(row["momentum"], row["lr"])] = [float(v) for v in values]
    return found


def setting(momentum: str, rate: str) -> str:
    """Return how an answer calls a momentum and a learning rate."""
    return f"momentum {momentum}, lr {rate}"


def fast_on_mnist() -> Answer:
    """Return the mean test accuracy of the two presets at the highest rate."""
    return {
        preset: mean_at_rate(runs_of("mnist", preset), FAST)
        for preset in ("protosphere", "soft_cap")
    }


def rates_table(answer: Answer) -> str:
    """Return accuracies with half of their intervals, a row a last layer; the default of each K in bold."""
    rows: list[list[str]] = []
    for name, (label, num_classes) in DATA.items():
        data = [label, str(num_classes)]
        for layer, found in answer["rates"][name].items():
            cells = [found[setting(*column)] for column in COLUMNS]
            texts = [f"{test:.1f} ± {half:.1f}" for test, half, _ in cells]
            rows.append([*data, heading(layer, num_classes), *texts])
            data = ["", ""]
    return markdown(["data and network", "K", "preset", *COLUMNS.values()], rows)


def heading(layer: str, num_classes: int) -> str:
    """Return a last layer as the page calls it."""
    if layer == "learned layer":
        return layer
    is_default = layer == default_preset_of(num_classes).name
    return f"**`{layer}`**" if is_default else f"`{layer}`"


def presets_beside(answer: Answer, sizes: Iterable[int]) -> Iterator[tuple[float, ...]]:
    """Yield the test accuracies of `protosphere` and `soft_cap` in every setting with so many classes."""
    wanted = set(sizes)
    for name, (_, num_classes) in DATA.items():
        if num_classes in wanted:
            found = answer["rates"][name]
            for key, (accuracy, *_) in found["protosphere"].items():
                yield accuracy, found["soft_cap"][key][0]


def largest_loss(answer: Answer) -> str:
    """Return how far `protosphere` is below `soft_cap` at most, with at most 30 classes."""
    pairs = presets_beside(answer, (10, 20))
    return f"{max(capped - ours for ours, capped in pairs):.1f}"


def largest_gain(answer: Answer) -> str:
    """Return how far `soft_cap` is above `protosphere` at most, with a hundred classes."""
    pairs = presets_beside(answer, (100,))
    return f"{max(capped - ours for ours, capped in pairs):.0f}"


def slow_gain(answer: Answer) -> str:
    """Return how far `protosphere` is above `soft_cap` on the digits at the lowest rate without momentum."""
    found = answer["rates"]["digits"]
    slow = setting("0.0", "0.01")
    return f"{found['protosphere'][slow][0] - found['soft_cap'][slow][0]:.1f}"


def fast_accuracy(answer: Answer, preset: str) -> str:
    """Return the accuracy of a preset on MNIST at the highest rate."""
    return f"{answer['mnist'][preset]:.1f}%"


def mean_validation(answer: Answer, preset: str, size: int) -> str:
    """Return the mean validation accuracy over rates, momentum and the networks with so many classes."""
    values = [
        validation
        for name, (_, num_classes) in DATA.items()
        if num_classes == size
        for _, _, validation in answer["rates"][name][preset].values()
    ]
    return f"{fmean(values):.1f}"


MAKERS = (
    Maker(
        "learning_rates",
        COMMAND,
        measured,
        {
            "table": rates_table,
            "largest_loss": largest_loss,
            "largest_gain": largest_gain,
            "slow_gain": slow_gain,
            **{
                f"fast_{preset}": partial(fast_accuracy, preset=preset)
                for preset in ("protosphere", "soft_cap")
            },
            **{
                f"{preset}_{size}": partial(mean_validation, preset=preset, size=size)
                for preset in ("protosphere", "soft_cap")
                for size in (10, 20, 40)
            },
        },
        cost=STUDY,
        tables=(TABLE, "results/presets/mnist.csv"),
        depends_on=(
            default_preset(),
            named_preset("protosphere", 10, 9),
            named_preset("soft_cap", 100, 99),
        ),
        seeds=(0, 1, 2),
    ),
)
