"""Train on the digits 0 to 7, and measure which share of the images of 8 and 9 each score rejects.

`--json` prints JSON.
"""

from __future__ import annotations

import argparse
import json

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn

from protosphere.nn import PrototypeHead, threshold_at_tpr

KINDS = ("max_cosine", "margin", "energy")


def trained(images: Tensor, classes: Tensor) -> tuple[nn.Module, PrototypeHead]:
    """Return a network and its head, trained on the images."""
    head = PrototypeHead(8, dim=7)
    body = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 7))
    solver = torch.optim.SGD(body.parameters(), 0.1, momentum=0.9, weight_decay=5e-4)
    for _ in range(30):
        for batch in torch.randperm(len(images)).split(64):
            solver.zero_grad()
            head.loss(body(images[batch]), classes[batch]).backward()
            solver.step()
    return body, head


def shares(held_out: Tensor, test: Tensor, known: Tensor) -> dict[str, float]:
    """Return the threshold of a score, the share of known test images accepted, and the share of unknown ones rejected.

    Args:
        held_out: Scores of held-out images of known classes. The threshold accepts 95% of them.
        test: Scores of the test images.
        known: Mask of the test images that have a known class.
    """
    threshold = threshold_at_tpr(held_out, accept=0.95)
    accepted = (test >= threshold).double()
    return {
        "threshold": threshold,
        "accepted": accepted[known].mean().item(),
        "rejected": 1 - accepted[~known].mean().item(),
    }


def main() -> None:
    """Train, choose a threshold for each score on held-out images, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()

    torch.manual_seed(0)
    images, classes = (torch.tensor(array) for array in load_digits(return_X_y=True))
    images = images.float() / 16
    known = classes < 8
    train = images[:900]
    held_out = images[900:1350]
    test = images[1350:]
    body, head = trained(train[known[:900]], classes[:900][known[:900]])
    with torch.no_grad():
        seen = body(held_out[known[900:1350]])
        shown = body(test)

    answer = {"default": shares(head.score(seen), head.score(shown), known[1350:])}
    for kind in KINDS:
        answer[kind] = shares(
            head.score(seen, kind), head.score(shown, kind), known[1350:]
        )
    if given.json:
        print(json.dumps(answer))
        return
    for kind, found in answer.items():
        print(
            f"{kind:10s} threshold {found['threshold']:6.3f}: {found['accepted']:.0%} of known images accepted,"
            f" {found['rejected']:.0%} of 8, 9 rejected"
        )


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
