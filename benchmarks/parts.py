"""Compare heads for classes made of parts with a learned `nn.Linear`: time of a step, and memory.

`python -m benchmarks.parts` times loss and gradient of one batch of 256:

- all combinations: 11,172 classes, which are all combinations of 19, 21 and 28 values, with n = 65;
- some combinations: one million random combinations of P parts with 256 values each, with n = 128 or the next multiple
  of P;
- quantized: one million random vectors of 128 numbers, compressed by `ps.from_embeddings` to P bytes each.

Steps of the two layers alternate, and the ratio of times is the ratio of their medians. The step of `nn.Linear` also
computes the gradient of the weights and updates them. `--classes` replaces the million, `--parts` sets P of the second
case, and `--bytes` sets P of the third. `--json` prints JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from math import prod

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

import protosphere as ps
from protosphere.nn import PrototypeHead
from protosphere.nn.projections.combinations import CombinationsBlock
from protosphere.nn.projections.part_tables import PartTables
from protosphere.nn.projections.projection import BlockSpec, Projection, ProjectionPlan

BATCH = 256
THREADS = 2
SIZES = (19, 21, 28)


def medians(steps: list[Callable[[], object]], repeats: int) -> list[float]:
    """Return the median time of each function in seconds. Calls of the functions alternate.

    The first call of each function is not counted; `repeats` calls are.
    """
    times: list[list[float]] = [[] for _ in steps]
    for number in range(repeats + 1):
        for step, seconds in zip(steps, times, strict=True):
            start = time.perf_counter()
            step()
            if number:
                seconds.append(time.perf_counter() - start)
    return [statistics.median(seconds) for seconds in times]


def dense_step(z: Tensor, target: Tensor, num_classes: int) -> Callable[[], None]:
    """Return a function that takes a training step of `nn.Linear`."""
    layer = nn.Linear(z.shape[1], num_classes)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)

    def step() -> None:
        optimizer.zero_grad()
        cross_entropy(layer(z), target).backward()
        optimizer.step()

    return step


def megabytes(module: nn.Module) -> float:
    """Return the memory of a module's buffers in MB."""
    return sum(buffer.nbytes for buffer in module.buffers()) / 1e6


def row(
    name: str, dim: int, num_classes: int, module: nn.Module, seconds: list[float]
) -> dict[str, object]:
    """Return a row of results. `seconds` has the time of a step of the head and that of `nn.Linear`."""
    ours, dense = seconds
    return {
        "case": name,
        "num_classes": num_classes,
        "dim": dim,
        "step_ms": round(1e3 * ours, 3),
        "dense_ms": round(1e3 * dense, 3),
        "times_faster": round(dense / ours, 1),
        "head_mb": round(megabytes(module), 3),
        "dense_mb": round(4e-6 * num_classes * (dim + 1), 3),
    }


def all_combinations() -> dict[str, object]:
    """Measure a head whose classes are all combinations of the values of three parts, and return the row."""
    head = PrototypeHead(ps.compose(sizes=SIZES))
    z = torch.randn(BATCH, head.dim, requires_grad=True)
    target = torch.randint(head.num_classes, (BATCH,))
    steps = [
        lambda: head.loss(z, target).backward(),
        dense_step(z, target, prod(SIZES)),
    ]
    seconds = medians(steps, 30)
    return row("all combinations", head.dim, head.num_classes, head, seconds)


def some_combinations(num_classes: int, parts: int) -> dict[str, object]:
    """Measure a head whose classes are random combinations of the values of `parts` parts, and return the row."""
    rng = np.random.default_rng(0)
    width = -(-128 // parts)
    dim = width * parts
    points = rng.standard_normal((parts, 256, width))
    points /= np.linalg.norm(points, axis=2, keepdims=True)
    tables = PartTables(list(points), np.full(parts, parts**-0.5), dim, torch.float32)
    values = torch.from_numpy(rng.integers(0, 256, (num_classes, parts), np.uint8))

    def build(first: int, last: int) -> CombinationsBlock:
        return CombinationsBlock(tables, values[first:last])

    spec = BlockSpec(num_classes, 1, build)
    projection = Projection(ProjectionPlan("parts", (spec,)), num_classes, dim)
    z = (3 * torch.randn(BATCH, dim)).requires_grad_()
    target = torch.randint(num_classes, (BATCH,))
    steps = [
        lambda: projection.cross_entropy(z, target).backward(),
        dense_step(z, target, num_classes),
    ]
    seconds = medians(steps, 3)
    return row(f"{parts} parts of 256 values", dim, num_classes, projection, seconds)


def quantized(num_classes: int, parts: int) -> dict[str, object]:
    """Measure a head whose prototypes are random vectors, compressed to `parts` bytes each, and return the row."""
    vectors = np.random.default_rng(0).standard_normal((num_classes, 128), np.float32)
    head = PrototypeHead(ps.from_embeddings(vectors, parts=parts))
    z = torch.randn(BATCH, head.dim, requires_grad=True)
    target = torch.randint(num_classes, (BATCH,))
    steps = [
        lambda: head.loss(z, target).backward(),
        dense_step(z, target, num_classes),
    ]
    seconds = medians(steps, 5)
    name = f"vectors in {parts} bytes"
    return row(name, head.dim, num_classes, head, seconds)


def main() -> None:
    """Print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=1_000_000)
    parser.add_argument("--parts", type=int, nargs="+", default=[8, 15, 16])
    parser.add_argument("--bytes", type=int, nargs="+", default=[8, 12, 15])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(THREADS)
    rows = [all_combinations()]
    rows += [some_combinations(given.classes, parts) for parts in given.parts]
    rows += [quantized(given.classes, parts) for parts in given.bytes]
    if given.json:
        print(json.dumps({"threads": torch.get_num_threads(), "rows": rows}))
        return
    for found in rows:
        print(", ".join(f"{name} {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
