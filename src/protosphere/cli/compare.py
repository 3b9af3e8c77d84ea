"""`protosphere compare`."""

from collections.abc import Sequence
from pathlib import Path

import protosphere as ps
from protosphere.cli.arguments import Classes, Flag, Json, Seed
from protosphere.cli.comparison_table import print_comparison
from protosphere.cli.dims import parsed_dims
from protosphere.cli.output import FIGURE_ENDINGS, checked_output
from protosphere.cli.screen import print_json, screen
from protosphere.constructions.comparison import compare as compared
from protosphere.extras import MissingExtraError
from protosphere.plots import draw_comparison
from protosphere.plots.figure_files import save_table


def compare(
    *,
    num_classes: Classes,
    dims: str,
    schemes: str | None = None,
    modify: Flag = False,
    energy: Flag = False,
    mean_square: Flag = False,
    seed: Seed = 0,
    figure: Path | None = None,
    no_figure: Flag = False,
    csv: Path | None = None,
    json: Json = False,
) -> None:
    """Compare schemes with the bounds: a table and a figure.

    Args:
        dims: 4:256 for 2^m, 2^m - 1, K/2, K - 1 and K in that range, 10:100:5 for every fifth one, or 16,32,64.
        schemes: Names separated by commas, or all; by default the paper's nine and the best known.
        modify: Shorten, puncture and extend codes to reach dimensions that are not their own.
        energy: Show and draw energies instead: what the other classes add at a prototype.
        mean_square: Show and draw the mean squared cosine instead, which predicts accuracy best.
        figure: Figure to draw (.png, .pdf or .svg); by default compare-kK.png, none with --json.
        no_figure: Draw nothing.
        csv: Write the numbers to this .csv file, one per line.
    """
    if figure is not None and no_figure:
        raise ps.InvalidArgumentError(
            "--figure and --no-figure contradict each other; give one of them"
        )
    if energy and mean_square:
        raise ps.InvalidArgumentError(
            "--energy and --mean-square are two tables; give one of them"
        )
    default_figure = None if no_figure or json else Path(f"compare-k{num_classes}.png")
    picture = checked_figure(figure, default_figure)
    table = checked_output(csv, (".csv",))
    with ps.progress_bar() as progress:
        comparison = compared(
            num_classes,
            parsed_dims(dims, num_classes),
            schemes=parsed_schemes(schemes),
            seed=seed,
            modify=modify,
            progress=progress,
        )
    if picture is not None:
        draw_comparison(comparison, picture, energy=energy, mean_square=mean_square)
    if table is not None:
        save_table(comparison.records(), table)
    files = {"figure": picture and str(picture), "csv": table and str(table)}
    if json:
        record = {
            "num_classes": num_classes,
            "dims": comparison.dims,
            "schemes": comparison.schemes,
            **files,
            "records": comparison.records(),
        }
        print_json(record)
        return
    console = screen()
    print_comparison(comparison, console, energy=energy, mean_square=mean_square)
    for name, path in files.items():
        if path is not None:
            console.print(f"{name}: {path}")


def parsed_schemes(text: str | None) -> Sequence[str] | None:
    """Return the scheme names in a text with commas, or all names for "all"; None for the default schemes."""
    if text == "all":
        return ps.available()
    if not text:
        return None
    return [name.strip() for name in text.split(",")]


def checked_figure(asked: Path | None, default: Path | None) -> Path | None:
    """Return the path of the figure to draw, or None, after checking that it can be written.

    Args:
        asked: Path given by the user; None if none was given.
        default: Path otherwise; if it cannot be drawn, the error message suggests --no-figure.
    """
    try:
        return checked_output(asked or default, FIGURE_ENDINGS)
    except MissingExtraError as error:
        if asked is not None:
            raise
        advice = "or print the table alone by --no-figure"
        raise MissingExtraError(
            f"{error}; {advice}", name=error.name or "matplotlib"
        ) from error
