"""`protosphere sweep`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import protosphere as ps
from protosphere.cli.arguments import Json, Whole
from protosphere.cli.output import checked_output
from protosphere.cli.screen import print_json, screen
from protosphere.cli.sweep_screen import sweep_screen
from protosphere.data import load_dataset
from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.paper.experiments import named_sweep
from protosphere.training.recipe import Recipe
from protosphere.training.records import RunRecord
from protosphere.training.store import TABLE_ENDINGS, Store, write_table
from protosphere.training.sweep import Engine, in_this_process
from protosphere.training.sweep import sweep as run_sweep
from protosphere.training.sweep_files import load_sweep

Ray = Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")]


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
    engine = engine_of(workers, ray)
    records = swept(recipes, place, engine, data_dir, accelerator=accelerator, retry_failed=retry_failed)
    if export is not None:
        write_table(records, export)
    show_summary(records, place, json=json)


def engine_of(workers: int, ray: Sequence[str] | None) -> Engine:
    """Which engine the flags ask for."""
    as_integer("workers", workers, minimum=1)
    if ray is not None:
        from protosphere.training.ray_cluster import on_ray

        if len(ray) > 1:
            raise InvalidArgumentError(f"'--ray' takes one address, got {' '.join(ray)}")
        return on_ray(ray[0] if ray else None)
    if workers == 1:
        return in_this_process
    from protosphere.training.workers import local_workers

    return local_workers(workers)


def swept(
    recipes: Sequence[Recipe],
    place: Store,
    engine: Engine,
    data_dir: Path | None,
    *,
    accelerator: str,
    retry_failed: bool = False,
) -> list[RunRecord]:
    """Do what is left to do, before the user's eyes; the records of the whole sweep."""
    names = {recipe.dataset for recipe in recipes}
    if len(names) != 1:
        raise InvalidArgumentError(f"a sweep is over one dataset, got {', '.join(sorted(names)) or 'none'}")
    with ps.progress_bar() as progress:
        images = load_dataset(names.pop(), data_dir=data_dir, progress=progress)
    with sweep_screen(recipes, place) as (watch, told):
        options: dict[str, Any] = {"data_dir": data_dir, "retry_failed": retry_failed, "accelerator": accelerator}
        for record in run_sweep(recipes, images, place, engine, watch=watch, **options):
            told(record)
    found = (place.get(recipe.digest) for recipe in recipes)
    return [record for record in found if record is not None]


def show_plan(recipes: Sequence[Recipe], *, json: bool) -> None:
    """Every run that the file asks for."""
    if json:
        print_json([{"digest": recipe.digest} | recipe.record() for recipe in recipes])
        return
    console = screen()
    for recipe in recipes:
        console.print(f"{recipe.digest}  {recipe.title}", soft_wrap=True)
    console.print(f"{len(recipes)} runs of {sum(recipe.epochs for recipe in recipes)} epochs in all")


def show_summary(records: Sequence[RunRecord], place: Store, *, json: bool) -> None:
    """How many ended how."""
    if json:
        print_json([record.row() for record in records])
        return
    counts = Counter(record.status for record in records)
    told = ", ".join(f"{counts[status]} {status}" for status in ("done", "infeasible", "failed") if counts[status])
    screen().print(f"{len(records)} runs: {told}; in {place.folder}", soft_wrap=True)
