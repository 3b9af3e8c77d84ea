"""Studies: tables of runs in results/ that took hours, and the means and differences computed from these runs.

The command `protosphere paired` compares each method with a reference method, by the differences of runs with the same
seed. A cell is a list [mean, half of its 95% interval, mean difference from the reference method, half of its 95%
interval]. Without a difference, its last two entries are None.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from statistics import fmean

from protosphere.cli.finished_runs import methods_of, stored_records
from protosphere.experiments.paired import compared
from protosphere.experiments.record import RunRecord
from tools.numbers.run import ROOT, Answer
from tools.numbers.tables import markdown

Cell = list[float | None]
"""Mean, half of its 95% interval, mean difference from the reference method, half of its 95% interval."""


@cache
def runs(table: str) -> list[RunRecord]:
    """Return the records of the runs in the file `table` in results/."""
    return stored_records(ROOT / "results" / table)


@cache
def paired(
    table: str, against: str, metric: str = "test_accuracy"
) -> dict[str, dict[str, Cell]]:
    """Return the numbers that `protosphere paired results/TABLE --against AGAINST --metric METRIC` shows.

    The keys are the name of the method and the dimension n as text.
    """
    records = runs(table)
    names = methods_of(records)
    found: dict[str, dict[str, Cell]] = {}
    for row in compared(records, lambda record: names[record.digest], against, metric):
        if row.difference is None:
            difference = (None, None)
        else:
            difference = (row.difference.value, row.difference.margin)
        found.setdefault(row.method, {})[str(row.dim)] = [
            row.mean.value,
            row.mean.margin,
            *difference,
        ]
    return found


def part(
    found: dict[str, dict[str, Cell]], methods: Iterable[str], dims: Sequence[int]
) -> Answer:
    """Return the cells in `found` of these methods, in those of the dimensions `dims` in which each method was run."""
    return {
        method: {
            str(dim): found[method][str(dim)]
            for dim in dims
            if str(dim) in found.get(method, {})
        }
        for method in methods
    }


def signed(value: float, digits: int) -> str:
    """Return a number with its sign, "+" or the typographic minus sign."""
    return f"{value:+.{digits}f}".replace("-", "\u2212")


def cell_text(cell: Cell | None, digits: int = 1) -> str:
    """Return the mean of a cell as text, followed by the difference in brackets if there is one."""
    if cell is None:
        return ""
    mean, _, difference, half = cell
    text = f"{mean:.{digits}f}"
    if difference is None:
        return text
    return f"{text} ({signed(difference, digits)} ± {half:.{digits}f})"


def methods_table(
    answer: Answer, labels: dict[str, str], dims: Sequence[int], digits: int = 1
) -> str:
    """Return a Markdown table with a row for each method and a column for each dimension.

    Args:
        answer: Cells by method and dimension.
        labels: For the label of each row, the method that the row shows.
        dims: Dimensions of the columns.
        digits: Number of decimals.
    """
    rows = [
        [label, *(cell_text(answer[method].get(str(dim)), digits) for dim in dims)]
        for label, method in labels.items()
    ]
    return markdown(["method", *(f"n = {dim}" for dim in dims)], rows)


def mean_with_half(cell: Cell, digits: int = 2) -> str:
    """Return the mean of a cell and half of its 95% interval as text, such as "56.10 ± 0.20"."""
    return f"{cell[0]:.{digits}f} ± {cell[1]:.{digits}f}"


def difference_with_half(cell: Cell, digits: int = 2) -> str:
    """Return the difference of a cell and half of its 95% interval as text, such as "+1.20 ± 0.30"."""
    return f"{signed(cell[2] or 0.0, digits)} ± {cell[3]:.{digits}f}"


def mean_at_rate(records: Iterable[RunRecord], lr: float) -> float | str | None:
    """Return the mean test accuracy in percent of the runs with learning rate `lr`.

    The result is "failed" if one of these runs failed, and None if there are none.
    """
    chosen = [record for record in records if record.config.lr == lr]
    if not chosen:
        return None
    accuracies = [record.test_accuracy for record in chosen]
    if any(accuracy is None for accuracy in accuracies):
        return "failed"
    return 100 * fmean(accuracy for accuracy in accuracies if accuracy is not None)
