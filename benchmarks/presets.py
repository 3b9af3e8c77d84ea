"""Compare the test accuracy of presets, of other ways to train against fixed prototypes, and of `nn.Linear`.

`python -m benchmarks.presets` trains on the digits, in about two minutes. `python -m benchmarks.presets mnist` trains
on another dataset. The table has a row for each method and a column for each learning rate. An entry is the mean over
the seeds and, in brackets, the lowest accuracy.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass, replace
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

import protosphere as ps
from benchmarks._images import Images, digit_halves, load
from protosphere.nn import PrototypeHead
from protosphere.nn.functional import unit
from protosphere.spherical.statistics import confident_scale

RATES = (0.01, 0.1, 0.5)


@dataclass(frozen=True)
class Recipe:
    """Settings of the training by SGD with a cosine schedule. `dim` is the dimension n of the prototypes."""

    dim: int
    epochs: int
    batch: int
    seeds: int
    examples: int | None = None
    momentum: float = 0.9
    weight_decay: float = 5e-4
    hidden: tuple[int, ...] = (128, 64)
    images: str | None = None


RECIPES = {
    "digits": Recipe(dim=9, epochs=30, batch=64, seeds=3),
    "shallow": Recipe(
        dim=9,
        epochs=15,
        batch=64,
        seeds=8,
        weight_decay=0.0,
        hidden=(64,),
        images="digits",
    ),
    "halves": Recipe(dim=9, epochs=30, batch=64, seeds=10, images="digits"),
    "mnist": Recipe(dim=9, epochs=3, batch=256, seeds=2),
    "fashion": Recipe(dim=9, epochs=3, batch=256, seeds=2),
    "cifar100": Recipe(dim=64, epochs=6, batch=128, seeds=1, examples=10_000),
}


class Candidate(nn.Module):
    """Head that is not a preset. `kind` says how z is normalized. The scale is that of the default preset."""

    def __init__(self, kind: str, code: ps.SphericalCode) -> None:
        super().__init__()
        self.kind = kind
        self.scale = confident_scale(code.num_classes, float(code.max_cosine))
        self.points = torch.tensor(code.points, dtype=torch.float32)
        if "batch norm" in kind:
            self.batch_norm = nn.BatchNorm1d(code.dim, affine=False)
        else:
            self.batch_norm = nn.Identity()
        if "learned" in kind:
            self.log_scale = nn.Parameter(torch.zeros(()))
        else:
            self.log_scale = torch.zeros(())
        self.mean_square = torch.ones(())

    def forward(self, z: Tensor) -> Tensor:
        """Return the logits."""
        return (
            self.scale
            * self.log_scale.exp()
            * self._embedded(self.batch_norm(z))
            @ self.points.T
        )

    def _embedded(self, z: Tensor) -> Tensor:
        length = z.norm(dim=1, keepdim=True)
        if self.kind == "clipped norm":
            return z / length.clamp(min=1)
        if self.kind == "unit slope":  # like z c for short z
            return z / self.scale / (1 + (length / self.scale) ** 2).sqrt()
        if self.kind == "running norm":
            if self.training:
                self.mean_square = (
                    0.9 * self.mean_square + 0.1 * length.detach().square().mean()
                )
            square = length.square().mean() if self.training else self.mean_square
            return z / (square + 1e-6).sqrt()
        if self.kind == "batch norm, no unit":
            return z / math.sqrt(z.shape[1])
        return unit(z)


CANDIDATES = (
    *(
        "plain cosines",
        "cosines, learned scale",
        "batch norm, unit",
        "batch norm, no unit",
        "running norm",
    ),
    *("clipped norm", "unit slope"),
)
PRESETS = ("protosphere", "lindstrom", "kasarla", "mettes")
METHODS = (*PRESETS, *CANDIDATES)


def backbone(images: Images, hidden: tuple[int, ...]) -> tuple[nn.Module, int]:
    """Return a small network for the images, and the number of its output features.

    For digits, `hidden` has the widths of the hidden layers. For other images, it is ignored.
    """
    channels = images.train.shape[1]
    size = images.train.shape[2]
    if size == 8:
        dense = [
            layer
            for pair in pairwise((64, *hidden))
            for layer in (nn.Linear(*pair), nn.ReLU())
        ]
        return nn.Sequential(nn.Flatten(), *dense), hidden[-1]
    widths = (8, 16) if channels == 1 else (32, 64, 128)
    layers: list[nn.Module] = []
    for before, after in zip((channels, *widths[:-1]), widths, strict=True):
        norm = [nn.BatchNorm2d(after)] if channels == 3 else []
        layers += [
            nn.Conv2d(
                before,
                after,
                5 if channels == 1 else 3,
                stride=2,
                padding=2 - channels // 3,
            ),
            *norm,
            nn.ReLU(),
        ]
    side = math.ceil(size / 2 ** len(widths))
    return nn.Sequential(
        *layers, nn.Flatten(), nn.Linear(widths[-1] * side * side, 128), nn.ReLU()
    ), 128


def network(method: str, images: Images, recipe: Recipe) -> nn.Module:
    """Return a network for a method: "nn.Linear", the name of a preset, or the `kind` of a `Candidate`."""
    body, features = backbone(images, recipe.hidden)
    if method == "nn.Linear":
        return nn.Sequential(body, nn.Linear(features, images.num_classes))
    code = ps.best(num_classes=images.num_classes, dim=recipe.dim, iterations=0)
    head = (
        PrototypeHead(code, preset=method)
        if method in PRESETS
        else Candidate(method, code)
    )
    return nn.Sequential(body, nn.Linear(features, recipe.dim), head)


def loss_of(model: nn.Module, x: Tensor, classes: Tensor) -> Tensor:
    """Return the loss of a batch: that of the head's preset, or the cross-entropy if the head has no preset."""
    head = model[-1]
    if isinstance(head, PrototypeHead) and head.preset.loss != "cross_entropy":
        return head.loss(model[:-1](x), classes)
    return cross_entropy(model(x), classes)


def accuracy(
    method: str, images: Images, recipe: Recipe, rate: float, seed: int
) -> float:
    """Train a network and return its test accuracy in percent."""
    torch.manual_seed(seed)
    model = network(method, images, recipe)
    solver = torch.optim.SGD(
        model.parameters(),
        rate,
        momentum=recipe.momentum,
        weight_decay=recipe.weight_decay,
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(solver, recipe.epochs)
    count = recipe.examples or len(images.train)
    draw = torch.Generator().manual_seed(seed)
    for _ in range(recipe.epochs):
        for batch in torch.randperm(count, generator=draw).split(recipe.batch)[
            : count // recipe.batch
        ]:
            solver.zero_grad()
            loss_of(model, images.train[batch], images.train_classes[batch]).backward()
            solver.step()
        schedule.step()
    model.eval()
    with torch.no_grad():
        right = [
            model(x).argmax(1) == y
            for x, y in zip(
                images.test.split(1000), images.test_classes.split(1000), strict=True
            )
        ]
    return 100 * torch.cat(right).double().mean().item()


Runs = dict[str, dict[str, list[float]]]
"""Accuracies by method and learning rate, one for each seed."""


def table(
    name: str,
    images: Images,
    recipe: Recipe,
    methods: tuple[str, ...],
    rates: tuple[float, ...],
    quiet: bool,
) -> Runs:
    """Train every method, and return all accuracies.

    Unless `quiet` is True, the rows of the table are printed, with `nn.Linear` first. The last column is the smallest
    difference from `nn.Linear` among runs with the same learning rate and seed.
    """
    if not quiet:
        print(f"\n{name}, {recipe}\n")
        print(
            f"| method | {' | '.join(f'lr {rate}' for rate in rates)} | worst run against nn.Linear |"
        )
        print(f"|---|{'---|' * len(rates)}---|", flush=True)
    answer: Runs = {}
    beside: list[float] = []
    # ones that chose nothing
    if name == "halves":
        seeds = range(100, 100 + recipe.seeds)
    else:
        seeds = range(recipe.seeds)
    for method in ("nn.Linear", *methods):
        runs = [
            [
                accuracy(
                    method,
                    digit_halves(seed) if name == "halves" else images,
                    recipe,
                    rate,
                    seed,
                )
                for seed in seeds
            ]
            for rate in rates
        ]
        flat = [one for column in runs for one in column]
        beside = beside or flat
        cells = [
            f"{sum(column) / len(column):.1f} ({min(column):.1f})" for column in runs
        ]
        worst = min(one - other for one, other in zip(flat, beside, strict=True))
        answer[method] = {
            str(rate): column for rate, column in zip(rates, runs, strict=True)
        }
        if not quiet:
            print(f"| {method} | {' | '.join(cells)} | {worst:+.1f} |", flush=True)
    return answer


def main() -> None:
    """Print the table of one dataset."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", default="digits", choices=RECIPES)
    parser.add_argument(
        "--methods", default=";".join(METHODS), help="separated by semicolons"
    )
    parser.add_argument("--rates", default=",".join(map(str, RATES)))
    for option in ("dim", "epochs", "seeds"):
        parser.add_argument(f"--{option}", type=int)
    parser.add_argument("--momentum", type=float)
    parser.add_argument(
        "--json",
        action="store_true",
        help="print the accuracy of every run for programs",
    )
    given = parser.parse_args()
    chosen = {
        name: getattr(given, name) for name in ("dim", "epochs", "seeds", "momentum")
    }
    recipe = replace(
        RECIPES[given.data],
        **{name: value for name, value in chosen.items() if value is not None},
    )
    methods = tuple(method.strip() for method in given.methods.split(";"))
    torch.set_num_threads(1)
    images = load(recipe.images or given.data)
    rates = tuple(map(float, given.rates.split(",")))
    answer = table(given.data, images, recipe, methods, rates, given.json)
    if given.json:
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
