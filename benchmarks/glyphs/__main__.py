"""Command line of the benchmark: `python -m benchmarks.glyphs render|train|report|time`."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from benchmarks.glyphs import render as drawing
from benchmarks.glyphs import report, timing
from benchmarks.glyphs.fonts import find_faces
from benchmarks.glyphs.methods import METHODS
from benchmarks.glyphs.problem import HAN, HANGUL, make_problem
from benchmarks.glyphs.sweep import Job, Table, problem_of, train

RESULTS = Path(__file__).parents[2] / "results" / "glyphs"
CHARACTERS = {"hangul": HANGUL, "han": HAN}
TEST_FACES = {"hangul": 9, "han": 4}
FIGURE = Path(__file__).parents[2] / "docs" / "figures" / "glyphs.png"


def render(given: argparse.Namespace) -> None:
    """Draw the characters in all fonts that have them, and print which fonts were skipped."""
    characters = CHARACTERS[given.characters]
    faces, skipped = find_faces(given.fonts, characters, given.leave_out)
    glyphs, defective = drawing.render(faces, characters)
    for one in [*skipped, *defective]:
        print(f"skipped {one.name}: {one.reason}")
    drawing.save(glyphs, given.out)
    count = len(set(glyphs.families))
    print(
        f"{len(glyphs.faces)} faces of {count} families, {len(characters):,} characters: {given.out}"
    )


def run_sweep(given: argparse.Namespace) -> None:
    """Train every method with every seed."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    glyphs = drawing.load(given.glyphs)
    everything = make_problem(glyphs, TEST_FACES[given.characters])
    table = Table(given.out)
    jobs = [
        Job(method, seed, given.steps)
        for method in given.methods
        for seed in given.seeds
    ]
    if given.by_seed:
        jobs.sort(key=lambda job: job.seed)
    for job in jobs:
        problem = problem_of(job.method, everything, glyphs.characters)
        for row in train(problem, given.characters, job, table, given.checkpoints):
            print(*row.values(), sep=",", flush=True)


def write_report(given: argparse.Namespace) -> None:
    """Write the means and intervals of the runs as CSV, and draw the figure."""
    rows = report.summary(report.read_rows(given.results / "runs.csv"))
    report.write_summary(rows, given.results / "summary.csv")
    times = given.results / "times.csv"
    step_seconds: dict[str, float] = {}
    if times.exists():
        step_seconds = {
            row["method"]: float(row["step_ms"]) / 1000
            for row in report.read_rows(times)
        }
    report.draw_figure(rows, step_seconds, given.figure)
    if given.json:
        print(json.dumps([asdict(row) for row in rows]))


def measure_times(given: argparse.Namespace) -> None:
    """Measure time and memory of a training step with every last layer; use an idle machine."""
    rows = [asdict(row) for row in timing.measure(given.threads)]
    with (given.results / "times.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(json.dumps(rows, indent=1))


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.glyphs", description=__doc__
    )
    commands = parser.add_subparsers(required=True)

    command = commands.add_parser("render", help=render.__doc__)
    command.set_defaults(run=render)
    command.add_argument("characters", choices=CHARACTERS)
    command.add_argument("fonts", nargs="+", type=Path, help="folders of font files")
    command.add_argument(
        "--leave-out", default="Eco", help="regular expression on names of faces"
    )
    command.add_argument("--out", type=Path, required=True, help=".npz file to write")

    command = commands.add_parser("train", help=run_sweep.__doc__)
    command.set_defaults(run=run_sweep)
    command.add_argument("characters", choices=CHARACTERS)
    command.add_argument("glyphs", type=Path, help=".npz file of `render`")
    command.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    command.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    command.add_argument("--steps", type=int, default=1500)
    command.add_argument(
        "--by-seed", action="store_true", help="all methods with the first seed first"
    )
    command.add_argument(
        "--checkpoints", type=Path, required=True, help="folder for the state of runs"
    )
    command.add_argument("--out", type=Path, default=RESULTS / "runs.csv")

    command = commands.add_parser("report", help=write_report.__doc__)
    command.set_defaults(run=write_report)
    command.add_argument("--results", type=Path, default=RESULTS)
    command.add_argument("--figure", type=Path, default=FIGURE)
    command.add_argument("--json", action="store_true", help="print the table as JSON")

    command = commands.add_parser("time", help=measure_times.__doc__)
    command.set_defaults(run=measure_times)
    command.add_argument("--results", type=Path, default=RESULTS)
    command.add_argument("--threads", type=int, default=2)
    return parser


def main(given: Sequence[str] | None = None) -> None:
    """Run the command that the command line names."""
    parsed = arguments().parse_args(given)
    parsed.run(parsed)


if __name__ == "__main__":
    main()
