"""Compare a learned last layer with fixed prototypes in the same network, on scikit-learn's digits.

`python examples/replace_last_layer.py` trains the network 36 times in less than a minute: with both last layers, by SGD
with and without momentum, at three learning rates and with three seeds. It trains on the first half of the images and
tests on the second. `--momentum 0 --rate 0.01 --seeds 1` runs only a part, and `--json` prints JSON.
"""

from __future__ import annotations

import argparse
import json

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn

from protosphere.nn import PrototypeHead

IMAGES, CLASSES = (torch.tensor(array) for array in load_digits(return_X_y=True))
HALF = len(IMAGES) // 2
EPOCHS = 30
BATCH = 64


def network(last: nn.Module) -> nn.Module:
    """Return a network with two hidden layers and the given last layer."""
    return nn.Sequential(
        nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), last
    )


def learned() -> nn.Module:
    """Return the usual learned layer."""
    return nn.Linear(64, 10)


def prototypes() -> nn.Module:
    """Return a linear map to a prototype head: a simplex in 9 dimensions. The training loop need not change."""
    head = PrototypeHead(10, dim=9)
    return nn.Sequential(nn.Linear(64, head.dim), head)


def standardized() -> Tensor:
    """Return the images, shifted and scaled so that the first half has mean 0 and standard deviation 1."""
    train = IMAGES[:HALF]
    return ((IMAGES - train.mean()) / train.std()).float()


def accuracy(make_last, rate: float, momentum: float, seed: int) -> float:
    """Train on the first half of the images, and return the accuracy on the second half in percent."""
    torch.manual_seed(seed)
    model = network(make_last())
    images = standardized()
    solver = torch.optim.SGD(
        model.parameters(), rate, momentum=momentum, weight_decay=5e-4
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(solver, EPOCHS)
    draw = torch.Generator().manual_seed(seed)
    for _ in range(EPOCHS):
        for batch in torch.randperm(HALF, generator=draw).split(BATCH)[: HALF // BATCH]:
            solver.zero_grad()
            nn.functional.cross_entropy(model(images[batch]), CLASSES[batch]).backward()
            solver.step()
        schedule.step()
    with torch.no_grad():
        return (
            100
            * (model(images[HALF:]).argmax(1) == CLASSES[HALF:]).double().mean().item()
        )


def accuracies(momentum: float, rate: float, seeds: int) -> dict[str, list[float]]:
    """Return the accuracies of both last layers, with one value for each seed."""
    return {
        "learned": [accuracy(learned, rate, momentum, seed) for seed in range(seeds)],
        "prototypes": [
            accuracy(prototypes, rate, momentum, seed) for seed in range(seeds)
        ],
    }


def arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--momentum", type=float, nargs="+", default=[0.9, 0.0])
    parser.add_argument("--rate", type=float, nargs="+", default=[0.01, 0.1, 0.5])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> None:
    """Print the table. Each row is printed as soon as it is measured."""
    given = arguments()
    answer: dict[str, dict[str, list[float]]] = {}
    if not given.json:
        print(
            "test accuracy in percent, by seed        nn.Linear          prototypes         worst difference"
        )
    for momentum in given.momentum:
        for rate in given.rate:
            found = accuracies(momentum, rate, given.seeds)
            answer[f"momentum {momentum:g}, rate {rate:g}"] = found
            if not given.json:
                print_row(momentum, rate, found)
    if given.json:
        print(json.dumps(answer))


def print_row(momentum: float, rate: float, found: dict[str, list[float]]) -> None:
    """Print the accuracies for one momentum and learning rate, and the worst difference from the learned layer."""
    worst = min(
        ours - plain
        for plain, ours in zip(found["learned"], found["prototypes"], strict=True)
    )
    cells = "    ".join(
        " ".join(f"{value:4.1f}" for value in values) for values in found.values()
    )
    print(
        f"momentum {momentum}, learning rate {rate:<4}          {cells}     {worst:+.1f}",
        flush=True,
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
