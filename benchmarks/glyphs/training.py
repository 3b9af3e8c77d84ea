"""The training loop, which is the same for all last layers.

Weights are float32. Matrices are multiplied in bfloat16 in training, and in float32 in the evaluation.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

from benchmarks.glyphs.problem import Problem
from benchmarks.glyphs.render import SIDE

BATCH = 256
RATE = 0.1
MOMENTUM = 0.9
CHANNELS = (16, 32)
HIDDEN = 256


def network(dim: int) -> nn.Sequential:
    """Return a network with two convolutions, a hidden layer of 256 units and a linear map to the embedding."""
    first, second = CHANNELS
    side = SIDE // 4
    layers = nn.Sequential(
        nn.Conv2d(1, first, 3, stride=2, padding=1),
        nn.BatchNorm2d(first),
        nn.ReLU(),
        nn.Conv2d(first, second, 3, stride=2, padding=1),
        nn.BatchNorm2d(second),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(second * side * side, HIDDEN),
        nn.BatchNorm1d(HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, dim),
    )
    return layers.to(memory_format=torch.channels_last)


def as_input(images: Tensor) -> Tensor:
    """Return images of type uint8 as input of the network, with values from -0.2 to 0.8."""
    levels = (images.float() / 255 - 0.2).view(-1, 1, SIDE, SIDE)
    return levels.contiguous(memory_format=torch.channels_last)


class Run:
    """A training run that can stop after any step and continue.

    In each epoch, the training images are in another random order. This order depends only on the seed and the epoch,
    so a run that continues has the same batches.

    Args:
        problem: Images and classes.
        layer: The last layer, with methods `loss` and `predict`.
        dim: Dimension of the embedding.
        seed: Seed of the batches, and of the classes that some layers sample.
        rate: Learning rate, which is constant.
        momentum: Momentum of SGD.
    """

    def __init__(
        self,
        problem: Problem,
        layer: nn.Module,
        dim: int,
        seed: int,
        rate: float = RATE,
        momentum: float = MOMENTUM,
    ) -> None:
        self.problem = problem
        self.seed = seed
        self.body = network(dim)
        self.layer = layer
        self.parameters = [*self.body.parameters(), *layer.parameters()]
        self.optimizer = torch.optim.SGD(self.parameters, rate, momentum=momentum)
        self.step = 0
        self.seconds = 0.0

    def batches(self) -> Iterator[Tensor]:
        """Yield the indices of the images in each batch, beginning with the batch of the current step."""
        count = len(self.problem.labels)
        per_epoch = max(1, count // BATCH)
        step = self.step
        while True:
            epoch = step // per_epoch
            generator = torch.Generator().manual_seed(1000 * self.seed + epoch)
            order = torch.randperm(count, generator=generator)
            for index in range(step % per_epoch, per_epoch):
                yield order[index * BATCH : (index + 1) * BATCH]
                step += 1

    def train_until(self, steps: int) -> None:
        """Train until `steps` steps have been taken in total."""
        self.body.train()
        start = time.process_time()
        batches = self.batches()
        torch.manual_seed(7919 * self.seed + self.step)  # for layers that sample
        while self.step < steps:
            batch = next(batches)
            with torch.autocast("cpu", torch.bfloat16):
                z = self.body(as_input(self.problem.images[batch]))
            loss = self.layer.loss(z.float(), self.problem.labels[batch])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.step += 1
        self.seconds += time.process_time() - start

    def correct(self) -> Tensor:
        """Return a mask of the test images whose class is predicted correctly."""
        self.body.eval()
        found: list[Tensor] = []
        with torch.no_grad():
            for start in range(0, len(self.problem.test_labels), 1024):
                rows = slice(start, start + 1024)
                z = self.body(as_input(self.problem.test_images[rows]))
                found.append(self.layer.predict(z) == self.problem.test_labels[rows])
        return torch.cat(found)

    def save(self, path: Path) -> None:
        """Write a checkpoint."""
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        torch.save(
            {
                "body": self.body.state_dict(),
                "layer": self.layer.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "step": self.step,
                "seconds": self.seconds,
            },
            part,
        )
        part.replace(path)

    def load(self, path: Path) -> None:
        """Continue from a checkpoint."""
        state = torch.load(path, weights_only=True)
        self.body.load_state_dict(state["body"])
        self.layer.load_state_dict(state["layer"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step = state["step"]
        self.seconds = state["seconds"]


def accuracies(correct: Tensor, problem: Problem) -> dict[str, float]:
    """Return the accuracies in percent on all test images and on each kind of test images; NaN if there are no images.

    `correct` is the mask that `Run.correct` returns.
    """
    seen = problem.seen[problem.test_labels]
    kinds = {
        "accuracy": torch.ones_like(seen),
        "seen_accuracy": seen,
        "unseen_accuracy": ~seen,
        "text_accuracy": ~problem.test_is_script,
        "script_accuracy": problem.test_is_script,
    }
    return {
        name: 100 * correct[kind].double().mean().item() for name, kind in kinds.items()
    }
