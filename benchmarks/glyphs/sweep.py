"""Train every method with several seeds. An interrupted sweep continues where it stopped."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks.glyphs.methods import METHODS, SEEN
from benchmarks.glyphs.problem import Problem, only_seen
from benchmarks.glyphs.training import Run, accuracies

MILESTONES = (375, 750, 1500, 3000, 6000, 12_000)
COLUMNS = (
    "characters",
    "method",
    "dim",
    "seed",
    "steps",
    "accuracy",
    "seen_accuracy",
    "unseen_accuracy",
    "text_accuracy",
    "script_accuracy",
    "cpu_seconds",
)


@dataclass(frozen=True)
class Job:
    """A training run: a method, a seed and the number of steps."""

    method: str
    seed: int
    steps: int


class Table:
    """A CSV file of results."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self) -> list[dict[str, str]]:
        """Return all rows; an empty list if the file does not exist."""
        if not self.path.exists():
            return []
        with self.path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def append(self, row: dict[str, object]) -> None:
        """Add a row at the end of the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        is_new = not self.path.exists()
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerow(row)


def milestones_missing(table: Table, characters: str, job: Job) -> list[int]:
    """Return the numbers of steps, in ascending order, for which the table has no row of this job yet."""
    done = {
        int(row["steps"])
        for row in table.rows()
        if (row["characters"], row["method"], row["seed"])
        == (characters, job.method, str(job.seed))
    }
    wanted = sorted({*MILESTONES, job.steps})
    return [steps for steps in wanted if steps <= job.steps and steps not in done]


def start(problem: Problem, job: Job) -> Run:
    """Return the run of a job before its first step."""
    method = METHODS[job.method]
    torch.manual_seed(job.seed)
    return Run(problem, method.make(problem), method.dim, job.seed, method.rate)


def train(
    problem: Problem, characters: str, job: Job, table: Table, checkpoints: Path
) -> Iterator[dict[str, object]]:
    """Train for the number of steps of a job. At each milestone, write a row with the accuracies and yield it.

    Args:
        problem: Images and classes.
        characters: Name of the set of characters.
        job: The training run.
        table: File of results. Milestones that it has already are not repeated.
        checkpoints: Folder for the state of runs. If it has a state of this run, the training continues from there.
    """
    missing = milestones_missing(table, characters, job)
    if not missing:
        return
    run = start(problem, job)
    checkpoint = checkpoints / f"{characters}-{job.method}-{job.seed}.pt"
    if checkpoint.exists():
        run.load(checkpoint)
    for steps in missing:
        run.train_until(steps)
        found = accuracies(run.correct(), problem)
        row: dict[str, object] = {
            "characters": characters,
            "method": job.method,
            "dim": METHODS[job.method].dim,
            "seed": job.seed,
            "steps": steps,
            "cpu_seconds": f"{run.seconds:.1f}",
        }
        # NaN where there are no images of a kind
        row |= {
            name: f"{value:.2f}" if value == value else ""
            for name, value in found.items()
        }
        run.save(checkpoint)
        table.append(row)
        yield row


def problem_of(method: str, problem: Problem, characters: str) -> Problem:
    """Return the problem for a method, without the training images of classes that the method must not see."""
    seen = METHODS[method].seen
    if not seen:
        return problem
    return only_seen(problem, SEEN[seen](characters))
