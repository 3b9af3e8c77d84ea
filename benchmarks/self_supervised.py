"""Compare a fixed code with learned prototypes in the last layer of DINO, with K = 65,536 and n = 256: time and memory.

A step computes the teacher's targets of two views, the student's loss of two views, and the gradient; embeddings are
given. For times, the two kinds of prototypes take turns. Memory is measured in a new process for each kind. `--json`
prints JSON.
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

import protosphere as ps
from benchmarks._memory import PeakOfOwnMemory, own_megabytes, peak_megabytes
from protosphere.nn import DINOHead, DINOLoss, LearnedPrototypes

NUM_CLASSES = 65_536
DIM = 256
BATCH = 64
VIEWS = 2
TURNS = 9
CALLS = 3
HEAD_STEPS = 5
WANTED_RATIO = 5
WANTED_MEGABYTES = 500
KINDS = ("fixed", "learned")


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


def loss_of(kind: str) -> DINOLoss:
    """Return the loss for one kind of prototypes, "fixed" or "learned"."""
    if kind == "fixed":
        return DINOLoss(ps.best(NUM_CLASSES, DIM, iterations=0))
    student, teacher = (LearnedPrototypes(NUM_CLASSES, DIM, seed=s) for s in (0, 1))
    return DINOLoss(student, teacher)


def step_of(kind: str) -> Callable[[], object]:
    """Return a function that computes the loss and its gradients with respect to embeddings and learned prototypes."""
    loss = loss_of(kind)
    generator = torch.Generator().manual_seed(0)
    student, teacher = (
        [torch.randn(BATCH, DIM, generator=generator) for _ in range(VIEWS)]
        for _ in range(2)
    )
    leaves = [view.requires_grad_() for view in student]

    def step() -> None:
        for tensor in (*leaves, *loss.parameters()):
            tensor.grad = None
        loss(leaves, teacher).backward()

    return step


def race() -> dict[str, float]:
    """Return the median times of a step with both kinds of prototypes, which take turns, and their ratio."""
    steps = {kind: step_of(kind) for kind in KINDS}
    for step in steps.values():
        step()  # compiles, and asks the system for memory
    turns = [[milliseconds(steps[kind]) for kind in KINDS] for _ in range(TURNS)]
    fixed, learned = (median(column) for column in zip(*turns, strict=True))
    return {"fixed_ms": fixed, "learned_ms": learned, "ratio": learned / fixed}


def memory(kind: str) -> dict[str, float]:
    """Return the memory that this process needs to train a DINO head with one kind of prototypes, in MB.

    Returns:
        "own_mb": peak of the process's own memory, with torch but without the mapped files of libraries;
        "head_mb": how much of it exceeds the memory of a process that has imported torch and taken a step of SGD;
        "resident_mb": peak of the resident size, with the mapped files.
    """
    take_a_step_of_torch()
    start = own_megabytes()
    with PeakOfOwnMemory() as peak:
        train_head(kind)
    return {
        "own_mb": peak.megabytes,
        "head_mb": peak.megabytes - start,
        "resident_mb": peak_megabytes(),
    }


def take_a_step_of_torch() -> None:
    """Take a step of SGD with a tiny layer, so that torch imports its optimizers."""
    layer = torch.nn.Linear(2, 2)
    solver = torch.optim.SGD(layer.parameters(), lr=0.01, momentum=0.9)
    layer(torch.ones(1, 2)).sum().backward()
    solver.step()


def train_head(kind: str) -> None:
    """Take `HEAD_STEPS` training steps of a student head. The teacher is a moving average of the student."""
    student, teacher = (DINOHead(384, prototypes=kind) for _ in range(2))
    teacher.requires_grad_(False)
    loss = DINOLoss(student.last_layer, teacher.last_layer)
    solver = torch.optim.SGD(student.parameters(), lr=0.01, momentum=0.9)
    for _ in range(HEAD_STEPS):
        views = [torch.randn(BATCH, 384) for _ in range(VIEWS)]
        with torch.no_grad():
            targets = [teacher.embed(view) for view in views]
        solver.zero_grad()
        loss([student.embed(view) for view in views], targets).backward()
        solver.step()
        with torch.no_grad():
            pairs = zip(teacher.parameters(), student.parameters(), strict=True)
            for slow, quick in pairs:
                slow.lerp_(quick, 0.004)


def memory_apart(kind: str) -> dict[str, float]:
    """Return the result of `memory`, measured in a new process."""
    command = [sys.executable, "-m", "benchmarks.self_supervised", "--memory", kind]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def report(times: dict[str, float], peaks: dict[str, dict[str, float]]) -> None:
    """Print the times and the memory of both kinds of prototypes."""
    verdict = (
        "" if times["ratio"] >= WANTED_RATIO else f"   below the {WANTED_RATIO} wanted"
    )
    print(
        f"n {DIM}  K {NUM_CLASSES:,}  batch {BATCH}, {VIEWS} views  step in the last layer:"
        f" learned {times['learned_ms']:.1f} ms   fixed {times['fixed_ms']:.1f} ms"
        f"   {times['ratio']:.1f} times faster{verdict}"
    )
    for kind, peak in peaks.items():
        over = kind == "fixed" and peak["own_mb"] > WANTED_MEGABYTES
        verdict = f"   above the {WANTED_MEGABYTES} MB wanted" if over else ""
        print(
            f"n {DIM}  K {NUM_CLASSES:,}  {kind:8s} a process that trains student and teacher heads:"
            f" {peak['own_mb']:.0f} MB of its own, {peak['head_mb']:.0f} of them more than torch alone;"
            f" {peak['resident_mb']:.0f} MB resident with the mapped files of libraries{verdict}"
        )


def main() -> None:
    """Measure the memory of each kind of prototypes, then the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", choices=KINDS, help="only that, as JSON")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(2)
    if given.memory:
        print(json.dumps(memory(given.memory)))
        return
    peaks = {kind: memory_apart(kind) for kind in KINDS}
    times = race()
    if given.json:
        print(json.dumps({"step": times, "memory": peaks}))
    else:
        report(times, peaks)


if __name__ == "__main__":
    main()
