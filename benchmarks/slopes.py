"""Measure the accuracy of the two default presets, by learning rate, momentum and number of classes.

`python -m benchmarks.slopes` trains on the digits, on CIFAR-10 features and on CIFAR-100 features. For features, the
network is a linear map, or has a hidden layer of 512. The last layers are a learned layer, the preset `protosphere`,
and the preset `soft_cap` with several slopes; "slope 2" is the preset itself. On the first 20 and 40 classes of
CIFAR-100, only the two presets are trained, at three rates.

It writes results/presets/slopes.csv, with the mean validation and test accuracy over the seeds, and half of the 95%
confidence interval of the test accuracy, in percent. It takes about an hour on one core.
"""

from __future__ import annotations

import argparse
import csv
import statistics
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import torch
from scipy.stats import t
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

import protosphere as ps
from benchmarks._features import Labeled, digits, image_features
from protosphere.nn import PrototypeHead

RESULTS = Path(__file__).parents[1] / "results" / "presets" / "slopes.csv"
LAST_LAYERS = (
    "learned layer",
    "protosphere",
    "slope 2",
    "slope 3",
    "slope 4",
    "slope 6",
)
RATES = (0.01, 0.05, 0.1, 0.2, 0.5)
MOMENTA = (0.0, 0.9)


class Setting(NamedTuple):
    """Training, validation and test examples, and settings of the training."""

    train: Labeled
    validation: Labeled
    test: Labeled
    hidden: tuple[int, ...]
    epochs: int
    batch: int
    last_layers: tuple[str, ...] = LAST_LAYERS
    rates: tuple[float, ...] = RATES
    seeds: int = 3


def part(examples: Labeled, rows: Tensor | slice) -> Labeled:
    """Return the examples in the given rows."""
    return Labeled(examples.inputs[rows], examples.classes[rows])


def digit_setting() -> Setting:
    """Return the digits: the first half for training and validation, and the second half for testing.

    One fifth of the first half is for validation.
    """
    images, classes = digits()
    half = len(images) // 2
    mean = images[:half].mean()
    deviation = images[:half].std()
    examples = Labeled((images - mean) / deviation, classes)
    order = torch.randperm(half, generator=torch.Generator().manual_seed(0))
    validation = order[: half // 5]
    train = order[half // 5 :]
    return Setting(
        part(examples, train),
        part(examples, validation),
        part(examples, slice(half, None)),
        (128, 64),
        30,
        64,
    )


def feature_setting(name: str, hidden: tuple[int, ...]) -> Setting:
    """Return features of images. One tenth of the training examples is for validation."""
    examples = image_features(name, "train")
    count = len(examples.classes)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(0))
    validation = order[: count // 10]
    train = order[count // 10 :]
    return Setting(
        part(examples, train),
        part(examples, validation),
        image_features(name, "test"),
        hidden,
        12,
        256,
    )


def first_classes(count: int) -> Setting:
    """Return the features of the first `count` classes of CIFAR-100, with fewer last layers, rates and seeds."""
    whole = feature_setting("cifar100", ())
    train, validation, test = (
        part(examples, examples.classes < count)
        for examples in (whole.train, whole.validation, whole.test)
    )
    layers = ("protosphere", "slope 2")
    rates = (0.01, 0.1, 0.5)
    return Setting(
        train, validation, test, (), whole.epochs, whole.batch, layers, rates, seeds=2
    )


SETTINGS = {
    "digits": digit_setting,
    "cifar10-linear": lambda: feature_setting("cifar10", ()),
    "cifar10-hidden": lambda: feature_setting("cifar10", (512,)),
    "cifar100-linear": lambda: feature_setting("cifar100", ()),
    "cifar100-hidden": lambda: feature_setting("cifar100", (512,)),
    "first20-linear": lambda: first_classes(20),
    "first40-linear": lambda: first_classes(40),
}


def last_layer(name: str, features: int, num_classes: int) -> nn.Module:
    """Return a last layer. `name` is "learned layer", "protosphere", or a slope of `soft_cap` such as "slope 2"."""
    if name == "learned layer":
        return nn.Linear(features, num_classes)
    code = ps.construct("simplex", num_classes=num_classes, dim=num_classes - 1)
    if name == "protosphere":
        head = PrototypeHead(code, preset="protosphere")
    else:
        head = PrototypeHead(code, preset="soft_cap")
        head.preset = replace(head.preset, slope=float(name.removeprefix("slope ")))
    return nn.Sequential(nn.Linear(features, head.dim), head)


def network(name: str, setting: Setting) -> nn.Sequential:
    """Return an untrained network with the hidden layers of the setting and the last layer `name`."""
    num_classes = int(setting.train.classes.max()) + 1
    width = setting.train.inputs.shape[1]
    layers: list[nn.Module] = []
    for next_width in setting.hidden:
        layers += [nn.Linear(width, next_width), nn.ReLU()]
        width = next_width
    return nn.Sequential(*layers, last_layer(name, width, num_classes))


def percent_right(model: nn.Module, examples: Labeled) -> float:
    """Return the accuracy in percent."""
    with torch.no_grad():
        return (
            100
            * (model(examples.inputs).argmax(1) == examples.classes)
            .double()
            .mean()
            .item()
        )


def accuracies(
    name: str, setting: Setting, rate: float, momentum: float, seed: int
) -> tuple[float, float]:
    """Train a network, and return its validation accuracy and test accuracy in percent."""
    torch.manual_seed(seed)
    model = network(name, setting)
    optimizer = torch.optim.SGD(
        model.parameters(), rate, momentum=momentum, weight_decay=5e-4
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, setting.epochs)
    generator = torch.Generator().manual_seed(seed)
    count = len(setting.train.classes)
    for _ in range(setting.epochs):
        for batch in torch.randperm(count, generator=generator).split(setting.batch)[
            : count // setting.batch
        ]:
            optimizer.zero_grad()
            cross_entropy(
                model(setting.train.inputs[batch]), setting.train.classes[batch]
            ).backward()
            optimizer.step()
        schedule.step()
    return percent_right(model, setting.validation), percent_right(model, setting.test)


def row(
    data: str, setting: Setting, name: str, momentum: float, rate: float
) -> dict[str, object]:
    """Train with each seed, and return a row of the table with the mean accuracies."""
    runs = [
        accuracies(name, setting, rate, momentum, seed) for seed in range(setting.seeds)
    ]
    validation, test = zip(*runs, strict=True)
    half_interval = (
        float(t.ppf(0.975, setting.seeds - 1))
        * statistics.stdev(test)
        / setting.seeds**0.5
    )
    return {
        "data": data,
        "last_layer": name,
        "momentum": momentum,
        "lr": rate,
        "validation": f"{statistics.fmean(validation):.2f}",
        "test": f"{statistics.fmean(test):.2f}",
        "half_interval": f"{half_interval:.2f}",
        "seeds": setting.seeds,
    }


def main() -> None:
    """Train on all datasets. Write the table if the command line selects no dataset."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "data", nargs="?", choices=SETTINGS, help="one data set; all of them without it"
    )
    given = parser.parse_args().data
    torch.set_num_threads(1)
    table = []
    for data in SETTINGS if given is None else (given,):
        setting = SETTINGS[data]()
        for name in setting.last_layers:
            for momentum in MOMENTA:
                for rate in setting.rates:
                    table.append(row(data, setting, name, momentum, rate))
                    print(*table[-1].values(), sep=",", flush=True)
    if given is None:
        with RESULTS.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, table[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)


if __name__ == "__main__":
    main()
