"""Compare the test accuracy of all presets on scikit-learn's digits, at one learning rate.

`python -m benchmarks.presets` prints a larger table with more learning rates, `nn.Linear` and other methods.
"""

from __future__ import annotations

import torch
from sklearn.datasets import load_digits
from torch import nn

from protosphere.nn import PRESETS, PrototypeHead

RATE = 0.1
EPOCHS = 20


def accuracy(preset: str, images: torch.Tensor, classes: torch.Tensor) -> float:
    """Train on the first half of the images with the loss of the preset, and return the accuracy on the second."""
    torch.manual_seed(0)
    half = len(images) // 2
    head = PrototypeHead(10, dim=9, preset=preset)
    body = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 9))
    solver = torch.optim.SGD(
        [*body.parameters(), *head.parameters()], RATE, momentum=0.9
    )
    for _ in range(EPOCHS):
        for batch in torch.randperm(half).split(64):
            solver.zero_grad()
            head.loss(body(images[batch]), classes[batch]).backward()
            solver.step()
    with torch.no_grad():
        nearest = head.decode(body(images[half:])).classes[:, 0]
    return 100 * (nearest == classes[half:]).double().mean().item()


def main() -> None:
    """Print a row for each preset."""
    images, classes = (torch.tensor(array) for array in load_digits(return_X_y=True))
    for preset in PRESETS.values():
        print(
            f"{preset.name:12s} {accuracy(preset.name, images.float() / 16, classes):5.1f} %   {preset.summary}"
        )


if __name__ == "__main__":
    main()
