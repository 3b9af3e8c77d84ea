"""Seven digits first, three more later: old prototypes do not move, so what was learned stays useful."""

from __future__ import annotations

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
    torch.manual_seed(0)
    head = PrototypeHead(7, dim=16, reserve=100)
    body = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 16))
    model, old = nn.Sequential(body, head), CLASSES < 7
    print(f"now {head.code}\nall {head.reserve}")

    train(model, old, epochs=20)
    print(f"seven digits: {accuracy(model, old):.1f} % right")

    before = head.prototypes()
    head.grow(10)
    print(f"now {head.code}")
    print(f"the seven old prototypes are the same, bit for bit: {torch.equal(head.prototypes()[:7], before)}")
    train(model, CLASSES >= 0, epochs=10)
    shares = f"{accuracy(model, old):.1f} % of the old, {accuracy(model, ~old):.1f} % of the new"
    print(f"after ten epochs of all ten digits: {shares}")


if __name__ == "__main__":
    main()
