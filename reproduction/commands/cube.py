"""Command `python -m reproduction cube`."""

from pathlib import Path

from protosphere.cli.arguments import Json, OutputPath
from protosphere.cli.output import checked_folder
from protosphere.cli.screen import print_answer
from protosphere.extras import require
from protosphere.storage.files import make_folder
from reproduction.cube import draw_cube


def cube(*, output: OutputPath = Path("figures"), json: Json = False) -> None:
    """Draw Figure 1 of Lindström et al. (2024): one-hot vectors, and two codes whose points are corners of a cube.

    Args:
        output: Folder for cube.png, cube.pdf and cube.csv. It is created if it does not exist.
    """
    require("matplotlib")
    folder = checked_folder(make_folder(output))
    files = [str(path) for path in draw_cube(folder)]
    print_answer({"name": "cube", "files": files}, files, json=json)
