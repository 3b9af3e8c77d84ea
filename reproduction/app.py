"""The command line of the reproduction. Its help, errors and exit codes are like those of `protosphere`."""

import sys
from collections.abc import Sequence

from cyclopts import App

from protosphere.cli.app import Command, add_commands, answer
from protosphere.version import __version__

COMMANDS = {
    "reproduce": Command(
        "Run the experiments and draw the accuracies.",
        ("mnist --workers 2", "cifar100 --budget paper --ray 10.0.0.1:6379"),
    ),
    "claims": Command(
        "Test the claims on the results of runs.",
        ("results -o docs/studies/claims.md", "runs/mnist-quick --json"),
    ),
    "antipodal": Command(
        "List classes with antipodal prototypes.",
        ("mnist --dim 8", "cifar100 --dim 64 --tree cifar100_superclasses"),
    ),
    "self_supervised": Command(
        "Measure the effect of separation on self-supervised learning.",
        (
            "results/self_supervised/study.csv",
            "results/self_supervised/study.csv --figure docs/figures/self-supervised.png",
        ),
    ),
    "cube": Command("Draw the first figure of the paper.", ("", "-o docs/figures")),
}
"""Description and examples of each command; the code of command NAME is the function NAME in commands/NAME.py."""


def program() -> App:
    """Return the command line. The code of a command is imported only when the command runs."""
    app = App(
        name="python -m reproduction",
        help="Reproduce the experiments of Lindström et al. (2024) and test the claims.",
        help_epilogue="Examples:\n  python -m reproduction reproduce mnist\n  python -m reproduction claims --help",
        help_format="plaintext",
        version=__version__,
        suppress_keyboard_interrupt=False,
    )
    add_commands(app, COMMANDS, "reproduction.commands")
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with the given arguments, by default `sys.argv[1:]`, and return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    return answer(program(), given)
