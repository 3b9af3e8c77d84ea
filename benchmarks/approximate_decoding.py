"""Decoding by the votes of derivatives: how often it finds the nearest class, and how long it takes.

`--json` prints it for programs.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import torch
from torch.nn.functional import normalize

import protosphere as ps
from protosphere.nn.approximate import ApproximateTop
from protosphere.nn.projections import projection_for

COSINES = (0.3, 0.4, 0.5, 0.6, 0.8)
VECTORS = 1000
BATCH = 64
TURNS = 9
CODES = (
    ("kerdock", 1 << 16, 256),
    ("gold", 1 << 18, 512),
    ("delsarte_goethals", 1 << 20, 256),
)


def near_words(code: ps.SphericalCode, cosine: float) -> torch.Tensor:
    """Vectors with this cosine to a random point of the code, in random directions from it."""
    draw = torch.Generator().manual_seed(0)
    chosen = torch.randint(code.num_classes, (VECTORS,), generator=draw).tolist()
    words = torch.from_numpy(np.stack([code[i] for i in chosen])).float()
    noise = torch.randn(words.shape, generator=draw)
    noise = normalize(noise - (noise * words).sum(1, keepdim=True) * words, dim=1)
    return cosine * words + (1 - cosine**2) ** 0.5 * noise


def milliseconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    begun = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun)


def medians(
    z: torch.Tensor, *decoders: Callable[[torch.Tensor], object]
) -> list[float]:
    """How long each takes, taking turns: the best of three calls in a row, and of that the median."""
    turns = [
        [min(milliseconds(partial(decode, z)) for _ in range(3)) for decode in decoders]
        for _ in range(TURNS)
    ]
    return [median(column) for column in zip(*turns, strict=True)]


def measured(
    scheme: str, num_classes: int, dim: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield for each number of directions and cosets the recalls and the times."""
    code = ps.construct(scheme, num_classes=num_classes, dim=dim)
    exact = projection_for(code, "hadamard").top
    vectors = [near_words(code, cosine) for cosine in COSINES]
    truth = [exact(z)[1] for z in vectors]
    for directions, cosets in ((8, 8), (16, 8), (32, 16)):
        decode = ApproximateTop(code, directions, cosets)
        recalls = [
            (decode(z)[1] == best).float().mean().item()
            for z, best in zip(vectors, truth, strict=True)
        ]
        slow, fast = medians(vectors[-1][:BATCH], exact, decode)
        yield (
            f"{directions}, {cosets}",
            {"recall": recalls, "exact_ms": slow, "approximate_ms": fast},
        )


def main() -> None:
    """A row for each code and each number of directions and cosets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(2)
    answer: dict[str, dict[str, Any]] = {}
    if not given.json:
        print(
            f"recall of the exact top-1 at cosines {COSINES}; milliseconds for {BATCH} vectors, both ways"
        )
    for scheme, num_classes, dim in CODES:
        answer[scheme] = {}
        for searched, found in measured(scheme, num_classes, dim):
            answer[scheme][searched] = found
            if not given.json:
                shown = " ".join(f"{recall:.3f}" for recall in found["recall"])
                print(
                    f"{scheme:17s} n {dim} K {num_classes:9,d}  directions, cosets {searched:6s}  recall {shown}"
                    f"   {found['exact_ms']:6.1f} {found['approximate_ms']:6.1f} ms",
                    flush=True,
                )
    if given.json:
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
