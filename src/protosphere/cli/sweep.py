"""The command `protosphere sweep`, which trains all combinations of settings that a file lists.

The function of the command has these arguments, whose help texts are not in its docstring:

- `means` says on which machines and devices the runs are computed.
- `dry_run` is True to print the runs without doing them.
- `json` is True to print JSON, and False to print text.
"""

from pathlib import Path

from protosphere.cli.arguments import DEFAULT_STORE, DryRun, Json, StoreFolder, Switch
from protosphere.cli.output import checked_output
from protosphere.cli.sweeping import (
    THIS_PROCESS,
    SweepMeans,
    show_plan,
    show_summary,
    sweep_on_screen,
)
from protosphere.experiments.store import TABLE_ENDINGS, Store, write_table
from protosphere.experiments.sweep_files import load_sweep


def sweep(
    file: Path,
    /,
    *,
    store: StoreFolder = DEFAULT_STORE,
    means: SweepMeans = THIS_PROCESS,
    retry_failed: Switch = False,
    export: Path | None = None,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Train all combinations of heads, schemes, dimensions, mappings and seeds that a file lists.

    If the command is interrupted, the same command continues where it stopped.

    Args:
        file: Path of a .toml file with the lists heads, schemes, dims, mappings and seeds, and with other settings.
            A file with several [[grid]] sections runs the combinations of each section.
        store: Folder to which runs are written. Runs that are already finished there are not repeated.
        retry_failed: Repeat runs that failed before.
        export: Path of a table (.csv or .parquet) to which all records are written at the end.
    """
    configs = load_sweep(file)
    if dry_run:
        show_plan(configs, json=json)
        return
    checked_output(export, TABLE_ENDINGS)
    place = Store(store or DEFAULT_STORE)
    records = sweep_on_screen(configs, place, means, retry_failed=retry_failed)
    if export is not None:
        write_table(records, export)
    show_summary(records, place, json=json)
