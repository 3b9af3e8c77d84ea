"""Measure `ps.from_embeddings`, which makes prototypes from one vector per class: time, peak memory and maximum cosine.

`python -m benchmarks.from_embeddings --layers` compares last layers instead, with 50,000 classes in 64 dimensions and
two threads. A head with dense prototypes, a head with quantized prototypes (16 parts) and `nn.Linear` take turns. A
step computes loss and gradient of a batch of 256. For `nn.Linear`, it also computes the gradient of the weights and
updates them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

import protosphere as ps
from benchmarks._memory import peak_megabytes
from benchmarks.parts import BATCH, dense_step, medians, megabytes
from protosphere.nn import CosineCrossEntropy, PrototypeHead

LAYER_CLASSES = 50_000
LAYER_DIM = 64
LAYER_PARTS = 16
STEPS = 15


def head_step(head: PrototypeHead, z: Tensor, target: Tensor) -> Callable[[], None]:
    """Return a function that computes the loss of a batch and its gradient."""
    loss = CosineCrossEntropy(head, scale=16)

    def step() -> None:
        loss(z, target).backward()

    return step


def layers() -> dict[str, dict[str, float]]:
    """Return the time to make the layer, the time of a step and the memory, for two heads and `nn.Linear`."""
    torch.set_num_threads(2)
    torch.manual_seed(0)
    vectors = torch.randn(LAYER_CLASSES, 2 * LAYER_DIM).numpy()
    z = torch.randn(BATCH, LAYER_DIM, requires_grad=True)
    target = torch.randint(LAYER_CLASSES, (BATCH,))
    answer: dict[str, dict[str, float]] = {}
    steps: list[Callable[[], object]] = [dense_step(z, target, LAYER_CLASSES)]
    for name, parts in {"dense": None, "quantized": LAYER_PARTS}.items():
        begun = time.perf_counter()
        head = PrototypeHead(ps.from_embeddings(vectors, dim=LAYER_DIM, parts=parts))
        seconds = time.perf_counter() - begun
        steps.append(head_step(head, z, target))
        answer[name] = {"made_s": seconds, "layer_mb": megabytes(head)}
    linear_mb = 4e-6 * LAYER_CLASSES * (LAYER_DIM + 1)
    answer["linear"] = {"made_s": 0.0, "layer_mb": linear_mb}
    for name, seconds in zip(
        ("linear", "dense", "quantized"), medians(steps, STEPS), strict=True
    ):
        answer[name]["step_ms"] = 1e3 * seconds
    return answer


def report_layers(answer: dict[str, dict[str, float]]) -> None:
    """Print a line for each layer."""
    for name, found in answer.items():
        print(
            f"{name}: made in {found['made_s']:.1f} s, {found['step_ms']:.1f} ms a step, {found['layer_mb']:.1f} MB"
        )


def main() -> None:
    """Print the result as text or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--parts", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--layers", action="store_true", help="compare last layers with nn.Linear"
    )
    given = parser.parse_args()
    if given.layers:
        answer = layers()
        print(json.dumps(answer)) if given.json else report_layers(answer)
        return
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((given.classes, given.dim), dtype=np.float32)
    begun = time.perf_counter()
    worked = time.process_time()
    code = ps.from_embeddings(vectors, parts=given.parts)
    answer = {
        "num_classes": given.classes,
        "dim": given.dim,
        "parts": given.parts,
        "seconds": time.perf_counter() - begun,
        "cpu_seconds": time.process_time() - worked,
        "peak_mb": peak_megabytes(),
        "max_cosine": float(code.max_cosine),
        "method": code.certificate.method,
        "description": code.explain(),
    }
    if given.json:
        print(json.dumps(answer))
        return
    print(
        f"K = {given.classes:,}, n = {given.dim}, {given.parts} parts: {answer['seconds']:.1f} s "
        f"({answer['cpu_seconds']:.1f} s of CPU), peak {answer['peak_mb']:.0f} MB\n{code.explain()}\n"
        f"max cosine at most {answer['max_cosine']:.6f} ({answer['method']})"
    )


if __name__ == "__main__":
    main()
