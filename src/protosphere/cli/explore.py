"""`protosphere explore`."""

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
    """Write the atlas page and open it: everything known of (K, n) in one file, without server or network.

    Args:
        num_classes: How many classes the page opens with; any other number is typed there.
        dim: And how many dimensions at most.
        output: The page, .html.
        no_open: Only write it.
    """
    for name, value, least, most in (
        ("--classes", num_classes, 2, MOST_CLASSES),
        ("--dim", dim, 1, LARGEST_PAGE_DIM),
    ):
        if not least <= value <= most:
            raise InvalidArgumentError(
                f"'{name}' must be from {least} to {most} on the page, got {brief(value)}"
            )
    checked_output(output, (".html",), extras=False)
    with ps.progress_bar() as progress:
        file = write_page(output, progress)
    address = f"{file.absolute().as_uri()}#K={num_classes}&n={dim}"
    opened = not (no_open or json) and webbrowser.open(address)
    size = file.stat().st_size
    record = {
        "file": str(file),
        "bytes": size,
        "address": address,
        "version": ps.__version__,
    }
    said = [
        f"written: {file} ({size / 1e6:.1f} MB)",
        *([] if opened else [f"open it in a browser: {address}"]),
    ]
    print_answer(record, said, json=json)
