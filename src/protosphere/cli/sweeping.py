"""A sweep before the user's eyes: which engine runs it, what is shown meanwhile, and what in the end."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import protosphere as ps
from protosphere.cli.screen import print_json, screen
from protosphere.cli.sweep_estimate import SweepEstimate
from protosphere.cli.sweep_screen import sweep_screen
from protosphere.data import load_dataset
from protosphere.errors import InvalidArgumentError, as_integer
from protosphere.training.recipe import Recipe
from protosphere.training.records import RunRecord
from protosphere.training.store import Store
from protosphere.training.sweep import Engine, in_this_process, pending
from protosphere.training.sweep import sweep as run_sweep

Ray = Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")]


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


def sweep_on_screen(
    recipes: Sequence[Recipe],
    place: Store,
    data_dir: Path | None,
    *,
    workers: int,
    ray: Sequence[str] | None,
    accelerator: str,
    retry_failed: bool = False,
) -> list[RunRecord]:
    """Do what is left to do, before the user's eyes; the records of the whole sweep."""
    engine = engine_of(workers, ray)
    names = {recipe.dataset for recipe in recipes}
    if len(names) != 1:
        raise InvalidArgumentError(f"a sweep is over one dataset, got {', '.join(sorted(names)) or 'none'}")
    with ps.progress_bar() as progress:
        images = load_dataset(names.pop(), data_dir=data_dir, progress=progress)
    todo = pending(recipes, place, images, retry_failed=retry_failed)
    estimate = SweepEstimate({recipe.digest: recipe.epochs for recipe in todo}, workers if ray is None else None)
    with sweep_screen(recipes, place, estimate) as (watch, told):
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
