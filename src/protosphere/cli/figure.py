"""Command `protosphere figure`, which draws the figures of the package and writes them to files.

The function of the command has these arguments, whose help texts are not in its docstring:

- `seed` is the seed of all random choices.
- `json` is True to print JSON, and False to print text.
"""

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
    """Draw a figure of maximum cosines against the dimension, a histogram of cosines, or all figures.

    Args:
        name: Name of a figure. The name `all` draws all figures, and `list` prints the names of the figures.
        output: Folder for NAME.png, NAME.pdf and NAME.csv. It is created if it does not exist.
    """
    if name == "list":
        show_names(json=json)
        return
    names = tuple(FIGURES) if name == "all" else (FIGURES.named(name).name,)
    require("matplotlib")
    folder = checked_folder(make_folder(output))
    records: list[dict[str, object]] = []
    for each in names:
        with ps.progress_bar(each) as progress:
            paths = draw(each, folder, seed=seed, progress=progress)
        files = [str(path) for path in paths]
        records.append({"name": each, "files": files})
        if not json:
            print_lines(files)
    if json:
        print_json(records)


def show_names(*, json: bool) -> None:
    """Print the name and the summary of every figure.

    Args:
        json: Whether to print JSON instead of text.
    """
    figures = [(named.name, named.summary) for named in FIGURES.values()]
    if json:
        print_json([{"name": name, "summary": summary} for name, summary in figures])
    else:
        print_summary("figures", figures)
