"""Means and confidence intervals of the runs, as a table and as a figure."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes

from benchmarks.glyphs.methods import METHODS
from protosphere.statistics.intervals import Mean, mean_with_interval

REFERENCE = "learned"
KINDS = (
    "accuracy",
    "seen_accuracy",
    "unseen_accuracy",
    "text_accuracy",
    "script_accuracy",
)
Run = Mapping[str, str]

# The same method has the same color in every figure; the learned layer is black.
COLORS = {
    "parts": "#c62828",
    "means": "#1565c0",
    "quantized": "#00838f",
    "multi_head": "#6a1b9a",
    "learned": "#000000",
    "cosine": "#757575",
    "default_head": "#ef6c00",
}

STEP_TICKS = (375, 750, 1500, 3000, 6000, 12_000)
SECOND_TICKS = (5, 10, 20, 50, 100, 200)


@dataclass(frozen=True)
class Row:
    """Results of one method after a number of training steps.

    Accuracies and differences are in percent, as text. A text is empty if there is no value.

    Attributes:
        characters: Name of the set of characters.
        method: Name of the method.
        last_layer: Title of the method.
        dim: Dimension of the embedding.
        steps: Number of training steps.
        seeds: Number of seeds.
        accuracy: Mean test accuracy.
        half_interval: Half of the 95% confidence interval of `accuracy`.
        difference: Mean difference from the learned layer with the same seeds and number of steps.
        difference_half_interval: Half of the 95% confidence interval of `difference`.
        seen_accuracy: Mean accuracy on classes with training images.
        unseen_accuracy: Mean accuracy on classes without training images.
        text_accuracy: Mean accuracy on text faces.
        script_accuracy: Mean accuracy on script and display faces.
    """

    characters: str
    method: str
    last_layer: str
    dim: int
    steps: int
    seeds: int
    accuracy: str
    half_interval: str
    difference: str
    difference_half_interval: str
    seen_accuracy: str
    unseen_accuracy: str
    text_accuracy: str
    script_accuracy: str


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_seed(
    runs: Sequence[Run], characters: str, method: str, steps: int, kind: str
) -> dict[str, float]:
    """Return one kind of accuracy, such as "seen_accuracy", by seed. Runs without a value are left out."""
    wanted = (characters, method, str(steps))
    return {
        run["seed"]: float(run[kind])
        for run in runs
        if (run["characters"], run["method"], run["steps"]) == wanted and run[kind]
    }


def _texts(values: Sequence[float]) -> tuple[str, str]:
    """Return the mean and half of its 95% confidence interval as texts. Both are empty if there are no values."""
    if not values:
        return "", ""
    mean: Mean = mean_with_interval(values)
    half = "" if mean.margin is None else f"{mean.margin:.2f}"
    return f"{mean.value:.2f}", half


def _difference(ours: Mapping[str, float], theirs: Mapping[str, float]) -> list[float]:
    """Return `ours` minus `theirs` for each seed that both have."""
    return [ours[seed] - theirs[seed] for seed in sorted(ours.keys() & theirs.keys())]


def summary(runs: Sequence[Run]) -> list[Row]:
    """Return a row for each set of characters, method and number of steps."""
    cells = {(run["characters"], run["method"], int(run["steps"])) for run in runs}
    order = list(METHODS)
    rows: list[Row] = []
    for characters, name, steps in sorted(
        cells, key=lambda cell: (cell[0] != "hangul", cell[2], order.index(cell[1]))
    ):
        method = METHODS[name]
        found = {kind: by_seed(runs, characters, name, steps, kind) for kind in KINDS}
        reference = by_seed(runs, characters, REFERENCE, steps, "accuracy")
        compared = name != REFERENCE and not method.seen
        differences = _difference(found["accuracy"], reference) if compared else []
        rows.append(
            Row(
                characters,
                name,
                method.title,
                method.dim,
                steps,
                len(found["accuracy"]),
                *_texts(list(found["accuracy"].values())),
                *_texts(differences),
                *(_texts(list(found[kind].values()))[0] for kind in KINDS[1:]),
            )
        )
    return rows


def write_summary(rows: Sequence[Row], path: Path) -> None:
    """Write the rows as CSV."""
    table = [asdict(row) for row in rows]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, table[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def _draw(
    axes: Axes,
    rows: Sequence[Row],
    step_seconds: Mapping[str, float] | None,
    ticks: Sequence[int],
) -> None:
    """Draw accuracy against steps. If `step_seconds` is given, draw it against training time instead."""
    for method, color in COLORS.items():
        points = [row for row in rows if row.method == method]
        if not points or (step_seconds is not None and method not in step_seconds):
            continue
        factor = 1.0 if step_seconds is None else step_seconds[method]
        axes.errorbar(
            [factor * row.steps for row in points],
            [float(row.accuracy) for row in points],
            [float(row.half_interval or 0) for row in points],
            color=color,
            marker="o",
            markersize=3,
            linewidth=1.2,
            label=points[0].last_layer,
        )
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(0, 100)
    axes.grid(alpha=0.3)


def draw_figure(
    rows: Sequence[Row], step_seconds: Mapping[str, float], path: Path
) -> None:
    """Draw accuracy against the number of steps and, if times were measured, against training time.

    Args:
        rows: The summary.
        step_seconds: Time of a training step by method. A method without a time is left out of the second panel.
        path: Path of the picture.
    """
    matplotlib.use("Agg")
    from matplotlib import pyplot

    hangul = [row for row in rows if row.characters == "hangul"]
    count = 2 if step_seconds else 1
    figure, panels = pyplot.subplots(count, figsize=(5.5, 3.8 * count), squeeze=False)
    _draw(panels[0, 0], hangul, None, STEP_TICKS)
    panels[0, 0].set_xlabel("training steps")
    panels[0, 0].legend(fontsize=8.5, loc="center right", bbox_to_anchor=(1, 0.38))
    if step_seconds:
        _draw(panels[1, 0], hangul, step_seconds, SECOND_TICKS)
        panels[1, 0].set_xlabel("training time, seconds")
    figure.supylabel("accuracy on unseen fonts, %", fontsize="medium")
    figure.tight_layout()
    figure.savefig(path, dpi=200)
    pyplot.close(figure)
