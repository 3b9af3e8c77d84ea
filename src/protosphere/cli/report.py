"""Command `protosphere report`, which prints the accuracies of training runs and writes them to files.

The record of a run holds its settings, its status (done, infeasible or failed) and its results.

In the function of the command, `json` is True to print JSON, and False to print text.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import mean
from typing import Any

from protosphere.cli.arguments import DEFAULT_STORE, Json
from protosphere.cli.finished_runs import (
    TUNED,
    counted_runs,
    differing_settings,
    is_share,
    methods_of,
    metric_label,
    of_one_dataset,
    seen,
    stored_records,
    trained_runs,
    variant,
)
from protosphere.cli.output import checked_output
from protosphere.cli.screen import print_answer
from protosphere.data import dataset_facts
from protosphere.errors import StorageError
from protosphere.experiments.record import RunRecord
from protosphere.experiments.store import TABLE_ENDINGS, write_table
from protosphere.plots.accuracy import draw_accuracy
from protosphere.plots.report import report_page
from protosphere.storage.files import replace_bytes


def report(
    store: Path = DEFAULT_STORE,
    /,
    *,
    html: Path | None = None,
    figures: Path | None = None,
    export: Path | None = None,
    dataset: str | None = None,
    json: Json = False,
) -> None:
    """Print the accuracies of runs, and write them as an HTML page, as figures or as a table if asked to.

    Args:
        store: Folder to which `train` and `sweep` wrote runs, or a .csv table of runs.
        html: Path of an .html page to write, a single file with figures, bounds and a table of the runs.
        figures: Folder for two figures, accuracy against n and accuracy against maximum cosine, as .png, .pdf and .csv.
        export: Path of a table of the runs to write (.csv or .parquet).
        dataset: Dataset to report. It must be given if there are runs on several datasets.
    """
    page = checked_output(html, (".html",))
    table = checked_output(export, TABLE_ENDINGS)
    records = of_one_dataset(stored_records(store), dataset, store)
    if table is not None:
        write_table(records, table)
    if page is not None:
        replace_bytes(page, page_of(records).encode())
    drawn = drawn_figures(records, figures) if figures is not None else ()
    files = [str(file) for file in (page, *drawn, table) if file is not None]
    name = records[0].config.dataset
    answer = {"dataset": name, "files": files, "runs": [run_row(r) for r in records]}
    lines = [heading(records), *accuracy_lines(records), *files]
    print_answer(answer, lines, json=json)


def heading(records: Sequence[RunRecord]) -> str:
    """Return the first line of the text that the command `protosphere report` prints.

    The line states how many runs are finished and how many have another status, such as failed. It also names the
    dataset, the backbones, and how many epochs the runs have.

    Args:
        records: Records of runs on one dataset.
    """
    counts = Counter(record.status for record in records)
    done = counts.pop("done", 0)
    finished = "1 finished run" if done == 1 else f"{done} finished runs"
    others = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    rest = f" ({others})" if others else ""
    return f"{finished} on {records[0].config.dataset}{rest}: {seen(records)}"


def accuracy_lines(records: Sequence[RunRecord]) -> list[str]:
    """Return lines with mean test accuracies, one for each group of finished runs that differ only in the seed.

    A line names the scheme or the learned head of the group, the dimension, and the values of settings. Only those
    settings are named that do not have the same value in all finished runs. At the end of the line is the number of
    runs of the group.

    Args:
        records: Records of runs on one dataset.
    """
    done = [r for r in records if r.status == "done" and r.test_accuracy is not None]
    names = methods_of(done)
    tuned = differing_settings([record.config for record in done], TUNED)
    accuracies: dict[str, list[float]] = {}
    for record in done:
        assert record.test_accuracy is not None, "only finished runs"
        size = f"n = {record.config.dim}"
        parts = (names[record.digest], size, variant(record.config, tuned))
        group = ", ".join(filter(None, parts))
        accuracies.setdefault(group, []).append(record.test_accuracy)
    lines: list[str] = []
    for group, values in accuracies.items():
        accuracy = 100 * mean(values)
        lines.append(f"  {group}: {accuracy:.2f} % ({counted_runs(len(values))})")
    return lines


def drawn_figures(records: Sequence[RunRecord], folder: Path) -> tuple[Path, ...]:
    """Draw the test accuracies of the finished runs in two figures, and return the paths of the written files.

    The names of the files begin with the name of the dataset.

    Args:
        records: Records of runs on one dataset.
        folder: Folder to which the figures are written.

    Raises:
        StorageError: If no run is finished.
    """
    runs = trained_runs(records)
    if not runs:
        raise StorageError("no run is finished yet, so there is nothing to draw")
    name = Path(records[0].config.dataset).stem
    return draw_accuracy(runs, folder, name, f"{name}: {seen(records)}")


def page_of(records: Sequence[RunRecord]) -> str:
    """Return the text of an HTML page about runs on one dataset.

    The page shows bounds on the maximum cosine, except if the number of classes is unknown because the file of a user's
    dataset is missing.

    Args:
        records: Records of runs on one dataset.
    """
    name = records[0].config.dataset
    num_classes = None
    with suppress(StorageError):
        num_classes = dataset_facts(name).num_classes
    title = f"{name}: {seen(records)}"
    return report_page(
        title, num_classes, trained_runs(records), [run_row(r) for r in records]
    )


def metric_cell(name: str, value: float | None) -> tuple[str, float | None]:
    """Return the column heading of a metric, and its value in the unit of the column.

    The value of an accuracy is given in percent, rounded to two decimals. Values of other metrics are returned
    unchanged.

    Args:
        name: Name of the metric, such as 'test_accuracy'.
        value: Value of the metric. None is returned unchanged.
    """
    if not is_share(name):
        return metric_label(name), value
    return f"{metric_label(name)}, %", None if value is None else round(100 * value, 2)


def run_row(record: RunRecord) -> dict[str, Any]:
    """Return a run as a row of the table on the HTML page: a dictionary from column headings to values.

    Args:
        record: Record of the run.
    """
    config = record.config
    accuracy = record.test_accuracy
    return {
        "scheme": config.series,
        "n": config.dim,
        "mapping": config.mapping if config.head == "prototypes" else "",
        "seed": config.seed,
        "test accuracy, %": None if accuracy is None else round(100 * accuracy, 2),
        **dict(
            metric_cell(name, value)
            for name, value in record.metrics.items()
            if name.startswith("test_")
        ),
        "max cosine": record.max_cosine,
        "epochs": config.epochs,
        "seconds": record.seconds and round(record.seconds, 1),
        "ended": record.status
        if record.reason is None
        else f"{record.status}: {record.reason}",
    }
