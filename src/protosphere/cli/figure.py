"""`protosphere figure`."""

from pathlib import Path

import protosphere as ps
from protosphere.cli.arguments import Json, OutputPath, Seed
from protosphere.cli.output import checked_folder
from protosphere.cli.screen import print_json, print_lines, print_summary
from protosphere.extras import require
from protosphere.plots.figures import FIGURES, draw
from protosphere.storage.files import make_folder


def figure(
    name: str,
    /,
    *,
    output: OutputPath = Path("figures"),
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Draw a figure of separation or of cosines, or all of them.

    Args:
        name: A name that `protosphere figure list` shows, `all`, or `list`.
        output: The folder for NAME.png, NAME.pdf and NAME.csv; made where there is none.
    """
    if name == "list":
        known = [
            {"name": recipe.name, "summary": recipe.summary}
            for recipe in FIGURES.values()
        ]
        print_json(known) if json else print_summary(
            "figures", ((one["name"], one["summary"]) for one in known)
        )
        return
    names = tuple(FIGURES) if name == "all" else (FIGURES.named(name).name,)
    require("matplotlib")
    folder = checked_folder(make_folder(output))
    drawn: dict[str, list[str]] = {}
    for each in names:
        with ps.progress_bar(each) as progress:
            drawn[each] = [
                str(path) for path in draw(each, folder, seed=seed, progress=progress)
            ]
        if not json:
            print_lines(drawn[each])
    if json:
        print_json([{"name": each, "files": files} for each, files in drawn.items()])
