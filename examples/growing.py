"""Train on seven digits first and add three digits later: how accuracy on the old digits changes.

`python examples/growing.py` trains a network with a prototype head on the digits 0 to 6, and grows the head to ten
classes. Then the training continues in three ways: with the new digits alone, with the new digits and 100 stored images
of the old digits (rehearsal), and with all images. A learned last layer with ten outputs is trained in the same way.
The program prints the mean test accuracy over five seeds in percent. `--json` prints JSON.
"""

from __future__ import annotations

import argparse
import copy
import json
import statistics
from collections.abc import Callable

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn

from protosphere.nn import PrototypeHead

IMAGES, CLASSES = (torch.tensor(array) for array in load_digits(return_X_y=True))
IMAGES = IMAGES.float() / 16
HALF = len(IMAGES) // 2
STORED = 100
SEEDS = 5


def train(model: nn.Module, rows: Tensor, epochs: int) -> None:
    """Train on the images with the indices `rows`."""
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    for _ in range(epochs):
        for batch in rows[torch.randperm(len(rows))].split(64):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(IMAGES[batch]), CLASSES[batch]).backward()
            optimizer.step()


@torch.no_grad()
def accuracy(model: nn.Module, rows: Tensor) -> float:
    """Return the accuracy in percent on the images with the indices `rows`."""
    return 100 * (model(IMAGES[rows]).argmax(1) == CLASSES[rows]).double().mean().item()


def later_rows(old: Tensor, new: Tensor) -> dict[str, Tensor]:
    """Return the three choices of images for the second training, as indices by name.

    `old` and `new` are the indices of the training images of old and of new digits.
    """
    stored = old[torch.randperm(len(old))[:STORED]]
    return {
        "new digits alone": new,
        f"new digits and {STORED} stored images of old digits": torch.cat(
            [stored, new]
        ),
        "all images": torch.cat([old, new]),
    }


def grown(model: nn.Module) -> nn.Module:
    """Return a copy of the model. If it has a prototype head, the head of the copy has ten classes."""
    model = copy.deepcopy(model)
    for head in model.modules():
        if isinstance(head, PrototypeHead):
            before = head.prototypes()
            head.grow(10)
            assert torch.equal(head.prototypes()[:7], before), (
                "old prototypes never move"
            )
    return model


def prototypes() -> nn.Module:
    """Return a linear map to a prototype head with seven classes and a reserve for 100."""
    return nn.Sequential(nn.Linear(128, 16), PrototypeHead(7, dim=16, reserve=100))


def learned() -> nn.Module:
    """Return a learned layer, which has ten outputs from the start."""
    return nn.Linear(128, 10)


def measured(
    make_last: Callable[[], nn.Module], seed: int
) -> dict[str, dict[str, float]]:
    """Train on seven digits, then continue in each of the three ways, and return accuracies in percent.

    The first key is the choice of images for the second training, or "nothing more" for the model before it. The second
    key says on which test images the accuracy was measured: "old", "new" or "all".
    """
    torch.manual_seed(seed)
    train_rows = torch.arange(HALF)
    test_rows = torch.arange(HALF, len(IMAGES))
    is_old = CLASSES < 7
    tests = {
        "old": test_rows[is_old[HALF:]],
        "new": test_rows[~is_old[HALF:]],
        "all": test_rows,
    }
    old = train_rows[is_old[:HALF]]
    new = train_rows[~is_old[:HALF]]
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), make_last())
    train(model, old, epochs=20)
    found = {"nothing more": {"old": accuracy(model, tests["old"])}}
    for name, rows in later_rows(old, new).items():
        later = grown(model)
        train(later, rows, epochs=10)
        found[name] = {part: accuracy(later, chosen) for part, chosen in tests.items()}
    return found


def means(make_last: Callable[[], nn.Module]) -> dict[str, dict[str, float]]:
    """Return the accuracies of `measured`, as means over the seeds."""
    runs = [measured(make_last, seed) for seed in range(SEEDS)]
    return {
        name: {
            part: round(statistics.fmean(run[name][part] for run in runs), 1)
            for part in parts
        }
        for name, parts in runs[0].items()
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--json", action="store_true", help="print the accuracies as JSON"
    )
    as_json = parser.parse_args().json
    table = {
        "prototype head": means(prototypes),
        "learned layer": means(learned),
    }
    if as_json:
        ours = table["prototype head"]
        shares = {"seven_digits": ours["nothing more"]["old"]}
        shares |= {
            "old_digits": ours["all images"]["old"],
            "new_digits": ours["all images"]["new"],
        }
        print(json.dumps({**shares, **table}))
        return
    for last, rows in table.items():
        for name, parts in rows.items():
            cells = ", ".join(f"{part} {value:.1f}%" for part, value in parts.items())
            print(f"{last}, {name}: {cells}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
