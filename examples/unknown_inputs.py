"""Trained on the digits 0 to 7; 8 and 9 come as a surprise: how many are noticed, by each score."""

from __future__ import annotations

import torch
from sklearn.datasets import load_digits
from torch import nn

from protosphere.nn import PrototypeHead, threshold_at


def main() -> None:
    """Train, choose a threshold on known images, and count."""
    torch.manual_seed(0)
    images, classes = (torch.tensor(array) for array in load_digits(return_X_y=True))
    images, known = images.float() / 16, classes < 8
    train = torch.arange(900)[known[:900]]
    held_out, test = torch.arange(900, 1350), torch.arange(1350, 1797)

    head = PrototypeHead(8, dim=7)
    body = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 7))
    solver = torch.optim.SGD(body.parameters(), 0.1, momentum=0.9, weight_decay=5e-4)
    for _ in range(30):
        for batch in train[torch.randperm(len(train))].split(64):
            solver.zero_grad()
            head.loss(body(images[batch]), classes[batch]).backward()
            solver.step()

    for kind in ("max_cosine", "margin", "energy"):
        with torch.no_grad():
            threshold = threshold_at(head.score(body(images[held_out[known[held_out]]]), kind), accept=0.95)
            accepted = head.score(body(images[test]), kind) >= threshold
        kept, noticed = accepted[known[test]].double().mean(), 1 - accepted[~known[test]].double().mean()
        print(
            f"{kind:10s} threshold {threshold:6.3f}: {kept:.0%} of known images accepted, {noticed:.0%} of 8, 9 noticed"
        )


if __name__ == "__main__":
    main()
