"""Compare heads whose codes are unions of cosets with a dense layer: time and memory.

Calls of the two layers alternate. At the end, both layers are measured with a million classes. `--json` prints times
and sizes as JSON.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

import torch
from torch.nn.functional import cross_entropy, linear

import protosphere as ps
from benchmarks._memory import peak_megabytes
from protosphere.nn.kernels.cpu.simd import LANES
from protosphere.nn.projections import projection_for

BATCH = 64
TURNS = 9
CALLS = 3
WANTED = {
    "forward logits": 8,
    "argmax decode": 10,
    "cross-entropy, forward + backward": 5,
}

Contest = dict[str, tuple[Callable[[], object], Callable[[], object]]]


def milliseconds(work: Callable[[], object]) -> float:
    """Return the shortest time of `CALLS` calls of `work` in milliseconds.

    Other processes of the machine disturb the shortest time least.
    """
    times = []
    for _ in range(CALLS):
        begun = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - begun))
    return min(times)


def contest(
    num_classes: int, dim: int, scheme: str
) -> tuple[Contest, dict[str, float]]:
    """Return what is compared at one size.

    Returns:
        The functions (dense, ours) by the name of the operation, and sizes in MB by name.
    """
    code = ps.construct(scheme, num_classes=num_classes, dim=dim)
    project = projection_for(code, "hadamard")
    weight = projection_for(code, "dense").prototypes(torch.arange(num_classes))
    z = torch.randn(BATCH, dim)
    target = torch.randint(num_classes, (BATCH,))
    leaf = z.clone().requires_grad_()
    names = iter(WANTED)
    pairs: Contest = {
        next(names): (lambda: linear(z, weight), lambda: project(z)),
        next(names): (lambda: linear(z, weight).argmax(1), lambda: project.top(z, 1)),
        next(names): (
            lambda: cross_entropy(linear(leaf, weight), target).backward(),
            lambda: project.cross_entropy(leaf, target).backward(),
        ),
    }
    torch.testing.assert_close(
        project(z), linear(z, weight), rtol=0, atol=1e-5 * dim**0.5
    )
    kept = (
        sum(buffer.numel() * buffer.element_size() for buffer in project.buffers())
        / 2**20
    )
    logits = 4 * BATCH * num_classes / 2**20
    cosets, rows = project.blocks[0].coset_tables.flips.shape
    space = 4 * (2 * 4 * LANES * rows + BATCH * (2 * rows + 3 * cosets)) / 2**20
    memory = {
        "dense": weight.numel() * 4 / 2**20,
        "logits": 2 * logits,
        "ours": kept,
        "used": cosets * rows / 2**20,
        "space": space,
        "packed": num_classes * dim / 8 / 2**20,
    }
    return pairs, memory


def race(
    num_classes: int, dim: int, scheme: str, quiet: bool
) -> dict[str, dict[str, float]]:
    """Measure both layers at one size, and return times and memory by name.

    Calls of the two layers alternate, and times are medians. Unless `quiet` is True, a row is printed for each
    operation.
    """
    pairs, memory = contest(num_classes, dim, scheme)
    answer = {"memory": memory}
    for name, (dense, ours) in pairs.items():
        turns = [(milliseconds(dense), milliseconds(ours)) for _ in range(TURNS)]
        theirs, mine = (median(column) for column in zip(*turns, strict=True))
        answer[name] = {"dense_ms": theirs, "ours_ms": mine, "ratio": theirs / mine}
        if quiet:
            continue
        if theirs / mine >= WANTED[name]:
            verdict = ""
        else:
            verdict = f"   below the {WANTED[name]} wanted"
        print(
            f"n {dim}  K {num_classes:7,d}  {name:34s} dense {theirs:7.1f} ms   ours {mine:6.1f} ms"
            f"   {theirs / mine:5.1f} times faster{verdict}",
            flush=True,
        )
    if not quiet:
        print(
            f"n {dim}  K {num_classes:7,d}  memory: dense {memory['dense']:.0f} MB, and logits and their gradient"
            f" {memory['logits']:.0f} MB; ours {memory['ours']:.1f} MB, {memory['used']:.2f} MB of it used here, and"
            f" work space {memory['space']:.1f} MB a loss, made from {memory['packed']:.1f} MB of packed words",
            flush=True,
        )
    return answer


def million(kind: str) -> dict[str, float]:
    """Return times and memory with K = 1,000,000 and n = 512.

    Args:
        kind: "hadamard" or "dense".

    Returns:
        "step_ms" and "decode_ms": times of a step and of decoding in milliseconds;
        "peak_mb": how far the peak memory exceeds the memory after the imports, in MB;
        "made_mb": the same, measured when the code and the head have been made.
    """
    torch.set_num_threads(2)
    start = peak_megabytes()
    code = ps.construct("gold", num_classes=1_000_000, dim=512)
    project = projection_for(code, kind)
    made = peak_megabytes() - start
    z = torch.randn(BATCH, 512, requires_grad=True)
    target = torch.randint(1_000_000, (BATCH,))
    if kind == "dense":
        weight = next(iter(project.buffers()))
        step = milliseconds(lambda: cross_entropy(linear(z, weight), target).backward())
        decode = milliseconds(lambda: linear(z.detach(), weight).argmax(1))
    else:
        step = milliseconds(lambda: project.cross_entropy(z, target).backward())
        decode = milliseconds(lambda: project.top(z, 1))
    return {
        "step_ms": step,
        "decode_ms": decode,
        "peak_mb": peak_megabytes() - start,
        "made_mb": made,
    }


def million_apart(kind: str, quiet: bool) -> dict[str, float]:
    """Return the result of `million`, measured in a new process. Unless `quiet` is True, print it."""
    command = [sys.executable, "-m", "benchmarks.heads", "--million", kind]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    if not quiet:
        print(
            f"n 512  K 1,000,000  {kind:8s} step {found['step_ms']:7.0f} ms   decode {found['decode_ms']:7.0f} ms"
            f"   peak {found['peak_mb']:5.0f} MB above the import, {found['made_mb']:5.0f} MB of it to make the code"
            f" and the head",
            flush=True,
        )
    return found


def main() -> None:
    """Run the comparisons at two sizes, then those with a million classes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--million", choices=("hadamard", "dense"), help="only that, as JSON"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.million:
        print(json.dumps(million(given.million)))
        return
    torch.set_num_threads(2)
    torch.manual_seed(0)
    answer = {
        "256, 65,536": race(65_536, 256, "kerdock", given.json),
        "512, 262,144": race(262_144, 512, "gold", given.json),
        "million": {
            kind: million_apart(kind, given.json) for kind in ("hadamard", "dense")
        },
    }
    if given.json:
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
