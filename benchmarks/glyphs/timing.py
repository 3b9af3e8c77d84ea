"""Measure time and memory of a training step with each last layer. The layers take turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize
from torch.profiler import ProfilerActivity, profile

import protosphere as ps
from benchmarks.glyphs import layers
from benchmarks.glyphs.methods import DIM, DefaultHead
from benchmarks.glyphs.problem import HANGUL_PARTS
from benchmarks.glyphs.render import SIDE
from benchmarks.glyphs.training import BATCH, MOMENTUM, RATE, as_input, network
from protosphere.nn import PrototypeHead

ROUNDS = 9
CALLS = 5
WARM_UP = 1


class Plain(layers.Learned):
    """`nn.Linear` with `cross_entropy`, the usual last layer."""

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy."""
        return cross_entropy(self.layer(z), labels)


class PlainCosine(layers.Cosine):
    """A learned direction for each class, with `cross_entropy` of the scaled cosines."""

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy."""
        logits = self.scale * normalize(z) @ normalize(self.weight).T
        return cross_entropy(logits, labels)


class TorchStreamed(layers.Learned):
    """`torch.nn.functional.linear_cross_entropy`, which never holds all logits in memory."""

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy."""
        return nn.functional.linear_cross_entropy(
            z,
            self.layer.weight,
            labels,
            linear_bias=self.layer.bias,
            options=nn.LinearCrossEntropyOptions(),
        )


class CutCrossEntropy(layers.Learned):
    """The loss of the package cut-cross-entropy, compiled by torch, for a learned layer without bias."""

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy."""
        from cut_cross_entropy import linear_cross_entropy

        return linear_cross_entropy(z, self.layer.weight, labels, impl="torch_compile")


class Composed(nn.Module):
    """A `PrototypeHead` of a given code."""

    def __init__(self, code: ps.SphericalCode) -> None:
        super().__init__()
        self.head = PrototypeHead(code)

    def loss(self, z: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of the head's preset."""
        return self.head.loss(z, labels)


@dataclass(frozen=True)
class Timed:
    """Time and memory of one last layer.

    Attributes:
        method: Name of the last layer.
        dim: Dimension of the embedding.
        num_classes: Number of classes.
        step_ms: Median time of a training step of the whole network, in milliseconds.
        layer_ms: Median time of the last layer alone in milliseconds: loss, gradient and update.
        layer_mb: Parameters, buffers and optimizer state of the last layer, in MB.
        working_mb: Peak memory that is allocated while loss and gradient of the last layer are computed, in MB.
    """

    method: str
    dim: int
    num_classes: int
    step_ms: float
    layer_ms: float
    layer_mb: float
    working_mb: float


def _layer_step(layer: nn.Module, dim: int, num_classes: int) -> Callable[[], None]:
    """Return a function that takes a training step of the last layer alone: loss, gradient and update."""
    z = torch.randn(BATCH, dim, requires_grad=True)
    labels = torch.randint(num_classes, (BATCH,))
    parameters = list(layer.parameters())
    optimizer = torch.optim.SGD(parameters or [torch.zeros(1)], RATE, MOMENTUM)

    def step() -> None:
        z.grad = None
        optimizer.zero_grad()
        layer.loss(z, labels).backward()
        optimizer.step()

    return step


def _whole_step(layer: nn.Module, dim: int, num_classes: int) -> Callable[[], None]:
    """Return a function that takes a training step of the whole network in float32."""
    body = network(dim)
    parameters = [*body.parameters(), *layer.parameters()]
    optimizer = torch.optim.SGD(parameters, RATE, MOMENTUM)
    pixels = torch.randint(256, (BATCH, SIDE * SIDE), dtype=torch.uint8)
    labels = torch.randint(num_classes, (BATCH,))

    def step() -> None:
        z = body(as_input(pixels))
        loss = layer.loss(z, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def taking_turns(steps: dict[str, Callable[[], None]]) -> dict[str, float]:
    """Return the median time of each function in milliseconds.

    The functions take turns, so that the load of the machine affects all of them. In a turn, a function is called
    `CALLS` times in a row, so that caches are used as in training.
    """
    times: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(WARM_UP + ROUNDS):
        for name, step in steps.items():
            for _ in range(CALLS):
                start = time.perf_counter()
                step()
                if turn >= WARM_UP:
                    times[name].append(1000 * (time.perf_counter() - start))
    return {name: statistics.median(found) for name, found in times.items()}


def layer_megabytes(layer: nn.Module) -> float:
    """Return the size of a layer's parameters, their momentum and its buffers in MB."""
    parameters = sum(p.numel() * p.element_size() for p in layer.parameters())
    buffers = sum(b.numel() * b.element_size() for b in layer.buffers())
    return (2 * parameters + buffers) / 2**20


def working_megabytes(step: Callable[[], None]) -> float:
    """Return the peak of the memory in MB that is allocated during a call."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as found:
        step()
    changes = [
        (event.start_ns(), event.nbytes())
        for event in found.profiler.kineto_results.events()
        if event.name() == "[memory]"
    ]
    held = most = 0
    for _, change in sorted(changes):
        held += change
        most = max(most, held)
    return most / 2**20


def contestants() -> dict[str, tuple[nn.Module, int]]:
    """Return the last layers for all Hangul syllables by name. Each comes with its dimension."""
    count = 1
    for size in HANGUL_PARTS:
        count *= size
    vectors = torch.randn(count, 128, generator=torch.Generator().manual_seed(0))
    quantized = ps.from_embeddings(vectors.numpy(), DIM, parts=16)
    dense = ps.from_embeddings(vectors.numpy(), DIM)
    return {
        "learned": (Plain(DIM, count), DIM),
        "learned_256": (Plain(256, count), 256),
        "linear_cross_entropy": (TorchStreamed(DIM, count), DIM),
        "cut_cross_entropy": (CutCrossEntropy(DIM, count), DIM),
        "cosine": (PlainCosine(DIM, count), DIM),
        "sampled_softmax": (layers.SampledSoftmax(DIM, count), DIM),
        "partial_fc": (layers.PartialFC(DIM, count), DIM),
        "multi_head": (layers.MultiHead(DIM, HANGUL_PARTS), DIM),
        "default_head": (DefaultHead(DIM, count), DIM),
        "parts": (Composed(ps.compose(sizes=HANGUL_PARTS)), DIM),
        "means": (Composed(dense), DIM),
        "quantized": (Composed(quantized), DIM),
    }


def measure(threads: int) -> list[Timed]:
    """Return the measurements of every last layer, with `threads` threads.

    The package cut-cross-entropy is left out if it is not installed.
    """
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    count = 11_172
    made = contestants()
    try:
        import cut_cross_entropy  # noqa: F401
    except ImportError:
        del made["cut_cross_entropy"]
    alone = {
        name: _layer_step(layer, dim, count) for name, (layer, dim) in made.items()
    }
    whole = {
        name: _whole_step(layer, dim, count) for name, (layer, dim) in made.items()
    }
    layer_times = taking_turns(alone)
    step_times = taking_turns(whole)
    return [
        Timed(
            name,
            dim,
            count,
            round(step_times[name], 2),
            round(layer_times[name], 3),
            round(layer_megabytes(layer), 2),
            round(working_megabytes(alone[name]), 2),
        )
        for name, (layer, dim) in made.items()
    ]
