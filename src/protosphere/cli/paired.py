"""Command `protosphere paired`, which compares training methods with a reference method by runs with the same seed.

A training method is a scheme or a learned head together with settings. A row of the comparison has the results of one
method at one dimension.

In the function of the command, `json` is True to print JSON, and False to print text.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

from protosphere.cli.arguments import DEFAULT_STORE, Flag, Json
from protosphere.cli.finished_runs import (
    methods_of,
    metric_label,
    of_one_dataset,
    stored_records,
)
from protosphere.cli.output import FIGURE_ENDINGS, checked_output
from protosphere.cli.screen import print_json, screen
from protosphere.errors import InvalidArgumentError, StorageError, brief
from protosphere.experiments.paired import LEARNED, compared, reference_method
from protosphere.plots.figure_files import save_figure
from protosphere.plots.methods import methods_figure
from protosphere.statistics.intervals import Compared

MOST_DRAWN = 30
"""Largest number of methods in a figure."""


def paired(
    store: Path = DEFAULT_STORE,
    /,
    *,
    against: str = LEARNED,
    metric: str = "test_accuracy",
    dataset: str | None = None,
    method: Annotated[list[str] | None, Parameter(negative=())] = None,
    figure: Path | None = None,
    json: Json = False,
    markdown: Flag = False,
) -> None:
    """Compare training methods with a reference method, by the differences of runs with the same seed.

    The table has the mean of each method and its mean difference from the reference, with 95% confidence intervals.

    Args:
        store: Folder to which `train` and `sweep` wrote runs, or a .csv table of runs.
        against: Name of the reference method in the table, with which the other methods are compared.
            The beginning of the name is enough if no other name begins in the same way.
        metric: Metric to compare, a column of the results such as test_top5_accuracy.
        dataset: Dataset of the runs. It must be given if there are runs on several datasets.
        method: Show only the method with this name in the table. This option may be given several times.
        figure: Path of a figure to draw (.png, .pdf or .svg), with means and intervals against the dimension.
        markdown: Print the table in Markdown.
    """
    picture = checked_output(figure, FIGURE_ENDINGS)
    records = of_one_dataset(stored_records(store), dataset, store)
    if not any(record.status == "done" for record in records):
        raise StorageError(f"'{store}' has no finished run to compare")
    names = methods_of(records)
    reference = reference_method(names.values(), against)
    found = compared(records, lambda record: names[record.digest], reference, metric)
    rows = chosen(found, method)
    if picture is not None:
        drawn = len({row.method for row in rows})
        if drawn > MOST_DRAWN:
            raise InvalidArgumentError(
                f"a figure shows up to {MOST_DRAWN} methods, got {drawn}; choose some by '--method'"
            )
        save_figure(methods_figure(rows, metric_label(metric)), picture)
    if json:
        print_json([asdict(row) for row in rows])
    elif markdown:
        screen().print("\n".join(_markdown(rows)), soft_wrap=True, markup=False)
    else:
        screen().print(_table(rows, reference, metric))


def chosen(rows: list[Compared], methods: list[str] | None) -> list[Compared]:
    """Return the rows of the named methods, in the order of the names; all rows if no method is named.

    Args:
        rows: Rows of a comparison of training methods. Each row has the results of one method at one dimension.
        methods: Names of the methods to keep. With None or an empty list, all rows are returned in their order.

    Raises:
        InvalidArgumentError: If `methods` contains a name that is not the method of any row.
    """
    known = dict.fromkeys(row.method for row in rows)
    for name in methods or ():
        if name not in known:
            raise InvalidArgumentError(
                f"'--method' must be one of {'; '.join(known)}, got {brief(name)}"
            )
    if not methods:
        return rows
    return [row for name in methods for row in rows if row.method == name]


def _cells(row: Compared) -> tuple[str, ...]:
    sign = "+" if row.difference is not None and row.difference.value >= 0 else ""
    return (
        row.method,
        str(row.dim),
        f"{row.lr:g}",
        str(row.seeds),
        str(row.mean),
        f"{sign}{row.difference or ''}",
    )


def _table(rows: list[Compared], against: str, metric: str) -> Table:
    table = Table(
        title=f"{metric_label(metric)}, mean ± half a 95 % interval; difference from {against}"
    )
    for name in ("method", "n", "lr", "seeds", "mean", "difference"):
        table.add_column(name, justify="left" if name == "method" else "right")
    for row in rows:
        table.add_row(*_cells(row))
    return table


def _markdown(rows: list[Compared]) -> list[str]:
    head = [
        "| method | n | lr | seeds | mean | difference |",
        "|---|---|---|---|---|---|",
    ]
    return head + [f"| {' | '.join(_cells(row))} |" for row in rows]
