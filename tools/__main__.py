"""Entry point of `python -m tools`, the command line for developers of protosphere. Each command has its own file."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cyclopts import App

from protosphere.cli.app import answer
from tools.atlas_command import atlas
from tools.catalogue_command import catalogue, extend, measure
from tools.derived_command import derived
from tools.designs_command import designs
from tools.linear.command import linear
from tools.numbers.command import numbers
from tools.page.command import page
from tools.records_command import records
from tools.release import release
from tools.shells_command import shells
from tools.walk_command import walk


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    `arguments` are the words after `python -m tools`. The default is `sys.argv[1:]`.
    """
    app = App(
        name="python -m tools",
        help="Tools of those who make protosphere.",
        help_format="plaintext",
    )
    for tool in (
        atlas,
        catalogue,
        extend,
        measure,
        records,
        linear,
        shells,
        derived,
        designs,
        page,
        numbers,
        release,
        walk,
    ):
        app.command(tool)
    return answer(app, sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    sys.exit(main())
