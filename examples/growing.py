"""Seven digits first, three more later: old prototypes do not move, so what was learned stays useful.

`--json` prints the accuracies for programs.
"""

from __future__ import annotations

import argparse
import json

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn

from protosphere.nn import PrototypeHead

IMAGES, CLASSES = (torch.tensor(array) for array in load_digits(return_X_y=True))
IMAGES = IMAGES.float() / 16
HALF = len(IMAGES) // 2


def train(model: nn.Module, known: Tensor, epochs: int) -> None:
    """Train on the images of the first half that are `known`."""
    solver = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    numbers = torch.arange(HALF)[known[:HALF]]
    for _ in range(epochs):
        for batch in numbers[torch.randperm(len(numbers))].split(64):
            solver.zero_grad()
            nn.functional.cross_entropy(model(IMAGES[batch]), CLASSES[batch]).backward()
            solver.step()


@torch.no_grad()
def accuracy(model: nn.Module, chosen: Tensor) -> float:
    """On the images of the second half that are `chosen`, in percent."""
    test = torch.arange(HALF, len(IMAGES))[chosen[HALF:]]
    return 100 * (model(IMAGES[test]).argmax(1) == CLASSES[test]).double().mean().item()


def main() -> None:
    """Seven classes with room for a hundred, then ten."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()

    torch.manual_seed(0)
    head = PrototypeHead(7, dim=16, reserve=100)
    body = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 16))
    model, old = nn.Sequential(body, head), CLASSES < 7
    lines = [f"now {head.code}", f"all {head.reserve}"]

    train(model, old, epochs=20)
    answer: dict[str, float | bool] = {"seven_digits": accuracy(model, old)}
    lines.append(f"seven digits: {answer['seven_digits']:.1f}% right")

    before = head.prototypes()
    head.grow(10)
    answer["old_prototypes_stay"] = torch.equal(head.prototypes()[:7], before)
    lines.append(f"now {head.code}")
    lines.append(f"the seven old prototypes are the same, bit for bit: {answer['old_prototypes_stay']}")

    train(model, CLASSES >= 0, epochs=10)
    answer |= {"old_digits": accuracy(model, old), "new_digits": accuracy(model, ~old)}
    shares = f"{answer['old_digits']:.1f}% of the old, {answer['new_digits']:.1f}% of the new"
    lines.append(f"after ten epochs of all ten digits: {shares}")
    print(json.dumps(answer) if given.json else "\n".join(lines))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
