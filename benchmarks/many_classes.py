"""Measure the accuracy of a linear map to fixed prototypes with more classes than dimensions.

Inputs are synthetic: each class has a random mean of 128 features, and an input is the mean of its class plus noise. A
learned layer can nearly always tell the classes apart. For each number of classes K, the program trains these last
layers:

- a learned layer;
- for several dimensions n, a linear map to `PrototypeHead(K, dim=n)`;
- a linear map to the normalized class means;
- a linear map to prototypes of `ps.from_embeddings`;
- for 500 classes, a linear map to prototypes that `ps.assign` has assigned to the classes.

`python -m benchmarks.many_classes` writes results/many_classes/linear.csv in about ten minutes on one core. The table
has the mean test accuracy over the seeds and half of its 95% confidence interval. `--classes 500` trains only this part
and prints its rows. `--json` prints JSON.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from scipy.stats import t
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

import protosphere as ps
from protosphere.errors import ManyClassesWarning
from protosphere.nn import PrototypeHead

RESULTS = Path(__file__).parents[1] / "results" / "many_classes" / "linear.csv"
FEATURES = 128
NOISE = 0.5
BATCH = 512
STEPS = 600
GRID = {100: (8, 16, 32, 99), 500: (16, 32, 64, 128, 499), 2000: (128, 256, 512)}
ALIGNED = {500: (32,)}
EMBEDDED = {100: (16,), 500: (32,), 2000: (64, 128)}
SEEDS = {100: 3, 500: 3, 2000: 1}


def draw(means: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return `count` inputs of random classes, and their classes. `means` has the mean of each class as a row."""
    classes = torch.randint(len(means), (count,))
    noise = torch.randn(count, FEATURES)
    return means[classes] + NOISE * noise, classes


def learned_layer(means: Tensor) -> nn.Module:
    """Return a learned layer."""
    return nn.Linear(FEATURES, len(means))


def best_prototypes(means: Tensor, dim: int) -> nn.Module:
    """Return a linear map to `PrototypeHead(K, dim=n)`, whose prototypes do not depend on the classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManyClassesWarning)
        head = PrototypeHead(len(means), dim=dim)
    return nn.Sequential(nn.Linear(FEATURES, dim), head)


def mean_prototypes(means: Tensor) -> nn.Module:
    """Return a linear map to prototypes that are the normalized class means."""
    code = ps.from_points(means.double().numpy(), normalize=True)
    return nn.Sequential(nn.Linear(FEATURES, FEATURES), PrototypeHead(code))


def embedded_prototypes(means: Tensor, dim: int) -> nn.Module:
    """Return a linear map to prototypes that `ps.from_embeddings` makes from the class means."""
    code = ps.from_embeddings(means.numpy(), dim)
    return nn.Sequential(nn.Linear(FEATURES, dim), PrototypeHead(code))


def aligned_prototypes(means: Tensor, dim: int) -> nn.Module:
    """Return a linear map to the points of `ps.best`, assigned to the classes by the cosines of the class means."""
    directions = nn.functional.normalize(means.double()).numpy()
    code = ps.assign(
        ps.best(num_classes=len(means), dim=dim, iterations=0),
        directions @ directions.T,
    )
    return nn.Sequential(nn.Linear(FEATURES, dim), PrototypeHead(code))


def accuracy(make: Callable[[Tensor], nn.Module], num_classes: int, seed: int) -> float:
    """Train the layer that `make` returns for the class means, and return its test accuracy in percent."""
    torch.manual_seed(seed)
    means = torch.randn(num_classes, FEATURES)
    model = make(means)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    for _ in range(STEPS):
        inputs, classes = draw(means, BATCH)
        optimizer.zero_grad()
        cross_entropy(model(inputs), classes).backward()
        optimizer.step()
        schedule.step()
    inputs, classes = draw(means, 4000)
    with torch.no_grad():
        return 100 * (model(inputs).argmax(1) == classes).double().mean().item()


def half_interval(values: list[float]) -> str:
    """Return half of the 95% confidence interval of the mean as text; an empty text for a single value."""
    if len(values) < 2:
        return ""
    return f"{float(t.ppf(0.975, len(values) - 1)) * statistics.stdev(values) / len(values) ** 0.5:.1f}"


def row(
    name: str,
    make: Callable[[Tensor], nn.Module],
    num_classes: int,
    dim: int,
    seeds: int,
) -> dict[str, object]:
    """Train a last layer with each seed, and return a row of the table with the mean accuracy."""
    values = [accuracy(make, num_classes, seed) for seed in range(seeds)]
    return {
        "num_classes": num_classes,
        "features": FEATURES,
        "last_layer": name,
        "dim": dim,
        "accuracy": f"{statistics.fmean(values):.1f}",
        "half_interval": half_interval(values),
        "seeds": seeds,
    }


def rows(num_classes: int, dims: tuple[int, ...]) -> Iterator[dict[str, object]]:
    """Yield the rows of the table for one number of classes. `dims` has the dimensions of the default head."""
    seeds = SEEDS.get(num_classes, 1)
    yield row("learned layer", learned_layer, num_classes, num_classes, seeds)
    yield row(
        "class means as prototypes", mean_prototypes, num_classes, FEATURES, seeds
    )
    for dim in EMBEDDED.get(num_classes, ()):
        yield row(
            "class means by from_embeddings",
            lambda means, dim=dim: embedded_prototypes(means, dim),
            num_classes,
            dim,
            seeds,
        )
    for dim in dims:
        yield row(
            "default head",
            lambda means, dim=dim: best_prototypes(means, dim),
            num_classes,
            dim,
            seeds,
        )
    for dim in ALIGNED.get(num_classes, ()):
        yield row(
            "aligned head",
            lambda means, dim=dim: aligned_prototypes(means, dim),
            num_classes,
            dim,
            seeds=1,
        )


def main() -> None:
    """Train all last layers. Write the table if the command line selects no part of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--classes", type=int, help="one number of classes; all of the table without it"
    )
    parser.add_argument(
        "--dims", help="dimensions, separated by commas; those of the table without it"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON list")
    given = parser.parse_args()
    torch.set_num_threads(1)
    if given.classes is None:
        grid = GRID
    else:
        grid = {given.classes: GRID.get(given.classes, (given.classes // 2,))}
    if given.dims:
        grid = {count: tuple(map(int, given.dims.split(","))) for count in grid}
    table = []
    for num_classes, dims in grid.items():
        for one in rows(num_classes, dims):
            table.append(one)
            if not given.json:
                print(*one.values(), sep=",", flush=True)
    if given.json:
        print(json.dumps(table))
    if given.classes is None and given.dims is None:
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        with RESULTS.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, table[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)


if __name__ == "__main__":
    main()
