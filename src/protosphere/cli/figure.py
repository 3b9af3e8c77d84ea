"""`protosphere figure`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import protosphere as ps
from protosphere.cli.arguments import Json, Seed
from protosphere.cli.output import checked_folder
from protosphere.cli.screen import print_card, print_json, screen
from protosphere.extras import require
from protosphere.files import make_folder
from protosphere.paper.figures import FIGURES, draw, figure_recipe


def figure(
    name: str,
    /,
    *,
    output: Annotated[Path, Parameter(name=("--output", "-o"))] = Path("figures"),
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Draw a figure of the paper, or all of them.

    Args:
        name: A name that `protosphere figure list` shows, `all`, or `list`.
        output: The folder for NAME.png, NAME.pdf and NAME.csv; made where there is none.
    """
    if name == "list":
        show_names(json=json)
        return
    names = tuple(FIGURES) if name == "all" else (figure_recipe(name).name,)
    require("matplotlib")
    folder = checked_folder(make_folder(output))
    drawn: dict[str, list[str]] = {}
    for each in names:
        with ps.progress_bar(each) as progress:
            drawn[each] = [str(path) for path in draw(each, folder, seed=seed, progress=progress)]
        if not json:
            show_files(drawn[each])
    if json:
        print_json([{"name": each, "files": files} for each, files in drawn.items()])


def show_names(*, json: bool) -> None:
    """Every figure and what it shows."""
    if json:
        print_json([{"name": recipe.name, "summary": recipe.summary} for recipe in FIGURES.values()])
        return
    print_card("figures", [(recipe.name, recipe.summary) for recipe in FIGURES.values()])


def show_files(files: Sequence[str]) -> None:
    """The files of one figure, a line each, so that they can be copied."""
    console = screen()
    for file in files:
        console.print(file, soft_wrap=True)
