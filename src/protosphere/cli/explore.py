"""Command `protosphere explore`, which writes the atlas page to an .html file and opens it in a browser.

In the function of the command, `json` is True to print JSON, and False to print text.
"""

import webbrowser
from pathlib import Path

import protosphere as ps
from protosphere.atlas_page.html import write_page
from protosphere.atlas_page.serving import LARGEST_PAGE_DIM, MOST_CLASSES
from protosphere.cli.arguments import ClassesFlag, DimFlag, Flag, Json, OutputPath
from protosphere.cli.output import checked_output
from protosphere.cli.screen import print_answer
from protosphere.errors import InvalidArgumentError, brief


def explore(
    *,
    num_classes: ClassesFlag = 1000,
    dim: DimFlag = 128,
    output: OutputPath = Path("protosphere-atlas.html"),
    no_open: Flag = False,
    json: Json = False,
) -> None:
    """Write the atlas page to a file and open it in a browser.

    The page shows the best known codes and the bounds for each number of classes K and each dimension n.

    Args:
        num_classes: Number of classes K that the page shows first.
        dim: Dimension n that the page shows first.
        output: Path of the .html file to write.
        no_open: Write the page without opening it.
    """
    _check_range("--classes", num_classes, 2, MOST_CLASSES)
    _check_range("--dim", dim, 1, LARGEST_PAGE_DIM)
    checked_output(output, (".html",), extras=False)
    with ps.progress_bar() as progress:
        file = write_page(output, progress)
    address = f"{file.absolute().as_uri()}#K={num_classes}&n={dim}"
    size = file.stat().st_size
    record = {
        "file": str(file),
        "bytes": size,
        "address": address,
        "version": ps.__version__,
    }
    lines = [f"written: {file} ({size / 1e6:.1f} MB)"]
    should_open = not no_open and not json
    if not should_open or not webbrowser.open(address):
        lines.append(f"open it in a browser: {address}")
    print_answer(record, lines, json=json)


def _check_range(name: str, value: int, smallest: int, largest: int) -> None:
    if not smallest <= value <= largest:
        raise InvalidArgumentError(
            f"'{name}' must be from {smallest} to {largest} on the page, got {brief(value)}"
        )
