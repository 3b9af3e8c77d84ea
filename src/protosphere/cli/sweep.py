"""`protosphere sweep`."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from protosphere.cli.arguments import Json, Whole
from protosphere.cli.output import checked_output
from protosphere.cli.sweeping import Ray, show_plan, show_summary, sweep_on_screen
from protosphere.paper.experiments import named_sweep
from protosphere.training.store import TABLE_ENDINGS, Store, write_table
from protosphere.training.sweep_files import load_sweep


def sweep(
    file: Path,
    /,
    *,
    store: Annotated[Path | None, Parameter(name=("--store", "-o"))] = None,
    workers: Whole = 1,
    ray: Ray = None,
    data_dir: Path | None = None,
    accelerator: str = "auto",
    retry_failed: Annotated[bool, Parameter(negative="")] = False,
    export: Path | None = None,
    dry_run: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    json: Json = False,
) -> None:
    """Run heads x schemes x dimensions x mappings x seeds; stopped at any moment and called again, it goes on.

    Args:
        file: A .toml file: recipe, heads, schemes, dims, mappings, seeds, or [[grid]]s of them; or paper-mnist etc.
        store: The folder of results; by default runs/ and the file's name.
        workers: Processes on this machine.
        ray: Run on a Ray cluster: its address, or nothing for one of this machine.
        data_dir: Where to look for the data first.
        accelerator: cpu, cuda, mps or auto, of each run.
        retry_failed: Try runs that failed before once more.
        export: Write all records as .csv or .parquet in the end.
        dry_run: Print what would be run.
    """
    recipes = named_sweep(str(file)) or load_sweep(file)
    if dry_run:
        show_plan(recipes, json=json)
        return
    checked_output(export, TABLE_ENDINGS)
    place = Store(store or Path("runs") / file.stem)
    options: dict[str, Any] = {"workers": workers, "ray": ray, "accelerator": accelerator, "retry_failed": retry_failed}
    records = sweep_on_screen(recipes, place, data_dir, **options)
    if export is not None:
        write_table(records, export)
    show_summary(records, place, json=json)
