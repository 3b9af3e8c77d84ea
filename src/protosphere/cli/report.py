"""`protosphere report`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from protosphere.cli.claims import stored
from protosphere.cli.output import checked_output
from protosphere.cli.reproduce import seen, trained_runs
from protosphere.cli.screen import screen
from protosphere.data import NUM_CLASSES, load_dataset
from protosphere.errors import StorageError
from protosphere.files import replace_bytes
from protosphere.paper.claims import judged
from protosphere.paper.ledger import COLUMNS, rows
from protosphere.plots.report import report_page
from protosphere.training.records import RunRecord
from protosphere.training.store import TABLE_ENDINGS, write_table


def report(
    store: Path,
    /,
    *,
    html: Path | None = None,
    export: Path | None = None,
    dataset: str | None = None,
    data_dir: Annotated[Path | None, Parameter()] = None,
) -> None:
    """One self-contained page of a sweep: figures with hover, bounds, the table of runs, the claims.

    Args:
        store: The folder of a sweep's results, or a .csv table of them.
        html: The page to write.
        export: Write the records as .csv or .parquet.
        dataset: Which one, where the results are of several.
        data_dir: Where to look for the data first, for one of your own.
    """
    page, table = checked_output(html, (".html",)), checked_output(export, TABLE_ENDINGS)
    records = of_one_dataset(stored(store), dataset, store)
    if table is not None:
        write_table(records, table)
    if page is not None:
        replace_bytes(page, page_of(records, data_dir).encode())
    console = screen()
    console.print(f"{len(records)} runs on {records[0].recipe.dataset}: {seen(records)}", soft_wrap=True)
    for file in (page, table):
        if file is not None:
            console.print(str(file), soft_wrap=True)


def of_one_dataset(records: Sequence[RunRecord], dataset: str | None, store: Path) -> list[RunRecord]:
    """The records of the dataset asked for, or of the only one."""
    names = sorted({record.recipe.dataset for record in records})
    if not names:
        raise StorageError(f"'{store}' has no runs yet")
    chosen = dataset or names[0]
    if chosen not in names or (dataset is None and len(names) > 1):
        raise StorageError(f"'{store}' has runs on {', '.join(names)}; choose one by --dataset")
    return [record for record in records if record.recipe.dataset == chosen]


def page_of(records: Sequence[RunRecord], data_dir: Path | None) -> str:
    """The page of these records."""
    name = records[0].recipe.dataset
    K = NUM_CLASSES[name] if name in NUM_CLASSES else load_dataset(name, data_dir=data_dir).num_classes
    ledger = [{column: row[column] for column in COLUMNS} for row in rows(judged(records)) if row["dataset"] == name]
    return report_page(f"{name}: {seen(records)}", K, trained_runs(records), [run_row(r) for r in records], ledger)


def run_row(record: RunRecord) -> dict[str, Any]:
    """A run in the table of the page."""
    recipe, accuracy = record.recipe, record.test_accuracy
    return {
        "scheme": recipe.scheme,
        "n": recipe.dim,
        "mapping": recipe.mapping,
        "seed": recipe.seed,
        "test accuracy, %": None if accuracy is None else round(100 * accuracy, 2),
        "max cosine": record.max_cosine,
        "epochs": recipe.epochs,
        "seconds": record.seconds and round(record.seconds, 1),
        "ended": record.status if record.reason is None else f"{record.status}: {record.reason}",
    }
