"""`protosphere compare`."""

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
    """Every scheme against the bounds: a table and a figure.

    Args:
        dims: 4:256 for the telling dimensions in that range (2^m, 2^m - 1, K/2, K - 1, K), 10:100:5 for every fifth
            one, or a list such as 16,32,64.
        schemes: Names with commas between, or all; the paper's nine and the best known unless given.
        modify: Let codes reach dimensions that are not their own.
        energy: Show and draw how even codes are instead: what the other classes add at a prototype.
        mean_square: Show and draw the mean squared cosine instead, the number that tells accuracy best.
        figure: Where to draw it (.png, .pdf or .svg); compare-kK.png unless given, nothing with --json.
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
    unasked = None if no_figure or json else Path(f"compare-k{num_classes}.png")
    picture = checked_figure(figure, unasked)
    numbers = checked_output(csv, (".csv",))
    if schemes == "all":
        chosen = ps.available()
    else:
        chosen = schemes and [name.strip() for name in schemes.split(",")]
    lengths = parsed_dims(dims, num_classes)
    with ps.progress_bar() as progress:
        comparison = compared(
            num_classes,
            lengths,
            schemes=chosen,
            seed=seed,
            modify=modify,
            progress=progress,
        )
    if picture is not None:
        draw_comparison(comparison, picture, energy=energy, mean_square=mean_square)
    if numbers is not None:
        save_table(comparison.records(), numbers)
    files = {"figure": picture and str(picture), "csv": numbers and str(numbers)}
    if json:
        asked = {
            "num_classes": num_classes,
            "dims": comparison.dims,
            "schemes": comparison.schemes,
        }
        print_json(asked | files | {"records": comparison.records()})
        return
    console = screen()
    print_comparison(comparison, console, energy=energy, mean_square=mean_square)
    for name, path in files.items():
        if path is not None:
            console.print(f"{name}: {path}")


def checked_figure(asked: Path | None, unasked: Path | None) -> Path | None:
    """The figure to draw; where nobody asked for it and it cannot be drawn, the error says how to go without."""
    try:
        return checked_output(asked or unasked, FIGURE_ENDINGS)
    except MissingExtraError as error:
        if asked is not None:
            raise
        advice = "or print the table alone by --no-figure"
        raise MissingExtraError(
            f"{error}; {advice}", name=error.name or "matplotlib"
        ) from error
