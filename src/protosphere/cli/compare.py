"""Command `protosphere compare`, which compares the maximum cosines of schemes in a table and a figure.

The function of the command has these arguments, whose help texts are not in its docstring:

- `num_classes` is the number of points K.
- `seed` is the seed of all random choices.
- `json` is True to print JSON, and False to print text.
"""

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
    """Compare the maximum cosines of schemes with the bounds, in a table and a figure.

    Args:
        dims: Dimensions n. 16,32,64 is a list, and 10:100:5 stands for 10, 15, 20, ..., 100. For K classes, 4:256
            stands for all numbers 2^m, 2^m - 1, K/2 (rounded up), K - 1 and K from 4 to 256.
        schemes: Names of schemes, separated by commas, or all. The default is best and the nine schemes of Lindström et
            al. (2024).
        modify: Shorten, puncture and extend codes, so that their schemes exist in more dimensions.
        energy: Show and draw the energy instead of the maximum cosine. Lower energy means more uniform points. Energies
            can be compared at the same dimension only.
        mean_square: Show and draw the mean squared cosine instead of the maximum cosine. In our studies it predicts
            accuracy better than the maximum cosine does.
        figure: Path of the figure to draw (.png, .pdf or .svg). The default is compare-k100.png for 100 classes. With
            --json, a figure is drawn only if a path is given.
        no_figure: Do not draw a figure.
        csv: Path of a .csv file to write, with a line for each scheme or bound at each dimension.
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
    """Return the names of schemes that a text such as "bch,simplex" lists.

    If the text is "all", the names of all schemes are returned. If the text is empty or None, the result is None, which
    stands for the default schemes.
    """
    if text == "all":
        return ps.available()
    if not text:
        return None
    return [name.strip() for name in text.split(",")]


def checked_figure(asked: Path | None, default: Path | None) -> Path | None:
    """Return the path of the figure to draw after checking that it can be written, or None if no figure is to be drawn.

    If the default figure needs a package that is not installed, the error message suggests --no-figure.

    Args:
        asked: Path that the user gave. None if the user gave no path.
        default: Path for the case that the user gave no path. If it is None, no figure is drawn in this case.

    Raises:
        MissingExtraError: If a package that draws figures is not installed.
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
