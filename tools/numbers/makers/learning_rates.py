"""Makers of the numbers of the study of learning rates.

The study compares the two default presets, `protosphere` and `soft_cap`, with a learned layer, trained by SGD with and
without momentum.

See `tools/numbers/__init__.py` for the meaning of maker and answer.
"""

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
"""Dataset and network, and the number K of classes, by the name in the table."""

LAYERS = {
    "learned layer": "learned layer",
    "protosphere": "protosphere",
    "slope 2": "soft_cap",
}
"""Names of last layers in the answer, by the name in the table."""

COLUMNS = {
    ("0.0", "0.01"): "no momentum, lr 0.01",
    ("0.0", "0.1"): "lr 0.1",
    ("0.0", "0.5"): "lr 0.5",
    ("0.9", "0.01"): "momentum 0.9, lr 0.01",
    ("0.9", "0.1"): "lr 0.1",
    ("0.9", "0.5"): "lr 0.5",
}
"""Headings of the columns of the page, by momentum and learning rate."""

FAST = 0.5
"""The highest rate of the sweep of presets on MNIST."""


def measured() -> Answer:
    """Return the result of `accuracies` as "rates", and the result of `fast_on_mnist` as "mnist"."""
    return {"rates": accuracies(), "mnist": fast_on_mnist()}


def accuracies() -> Answer:
    """Return [test accuracy, half of its 95% interval, validation accuracy] in percent.

    The keys are the name of the dataset and network, the last layer, and the text that `setting` returns.
    """
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
    """Return the key for a momentum and a learning rate in the answer."""
    return f"momentum {momentum}, lr {rate}"


def fast_on_mnist() -> Answer:
    """Return the mean test accuracies in percent of both presets on MNIST at the learning rate `FAST`."""
    return {
        preset: mean_at_rate(runs_of("mnist", preset), FAST)
        for preset in ("protosphere", "soft_cap")
    }


def rates_table(answer: Answer) -> str:
    """Return a Markdown table of accuracies and half of their 95% intervals, with a row for each network and layer.

    The preset that is the default for the number of classes is in bold.
    """
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
    """Return the name of a last layer in Markdown, in bold if it is the default preset for this number of classes."""
    if layer == "learned layer":
        return layer
    is_default = layer == default_preset_of(num_classes).name
    return f"**`{layer}`**" if is_default else f"`{layer}`"


def presets_beside(answer: Answer, sizes: Iterable[int]) -> Iterator[tuple[float, ...]]:
    """Yield pairs of test accuracies, of `protosphere` and of `soft_cap`, trained in the same way.

    Args:
        answer: Answer of the maker.
        sizes: Numbers of classes of the networks to include.
    """
    wanted = set(sizes)
    for name, (_, num_classes) in DATA.items():
        if num_classes in wanted:
            found = answer["rates"][name]
            for key, (accuracy, *_) in found["protosphere"].items():
                yield accuracy, found["soft_cap"][key][0]


def largest_loss(answer: Answer) -> str:
    """Return the largest difference in accuracy, `soft_cap` minus `protosphere`, with 10 or 20 classes."""
    pairs = presets_beside(answer, (10, 20))
    return f"{max(capped - ours for ours, capped in pairs):.1f}"


def largest_gain(answer: Answer) -> str:
    """Return the largest difference in accuracy, `soft_cap` minus `protosphere`, with 100 classes."""
    pairs = presets_beside(answer, (100,))
    return f"{max(capped - ours for ours, capped in pairs):.0f}"


def slow_gain(answer: Answer) -> str:
    """Return the difference in accuracy, `protosphere` minus `soft_cap`, on the digits at rate 0.01, no momentum."""
    found = answer["rates"]["digits"]
    slow = setting("0.0", "0.01")
    return f"{found['protosphere'][slow][0] - found['soft_cap'][slow][0]:.1f}"


def fast_accuracy(answer: Answer, preset: str) -> str:
    """Return the mean test accuracy of a preset on MNIST at the learning rate `FAST`."""
    return f"{answer['mnist'][preset]:.1f}%"


def mean_validation(answer: Answer, preset: str, size: int) -> str:
    """Return the validation accuracy of a preset: the mean over networks with `size` classes, momenta and rates."""
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
