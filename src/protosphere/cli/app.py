"""The command-line program: its commands and exit codes.

The module of a command is imported only when the command runs.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

from cyclopts import App, CycloptsError

from protosphere.cli.cli_errors import error_sentence
from protosphere.errors import (
    InvalidArgumentError,
    ProtosphereError,
    TrainingError,
    printable,
)
from protosphere.version import __version__

RUN_FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as a shell counts
READER_GONE = 141  # 128 + SIGPIPE


@dataclass(frozen=True)
class Command:
    """A command and its help page.

    Attributes:
        summary: Description in one line, for help pages.
        examples: Example calls, each as the text after the name of the command.
        target: Function that the command calls, as the text "module:function". If the text is empty, the module and the
            function have the name of the command.
    """

    summary: str
    examples: tuple[str, ...]
    target: str = ""

    def home(self, name: str) -> str:
        """Return the function that this command calls, as the text "module:function", such as "best:best".

        Args:
            name: Name of the command.
        """
        return self.target or f"{name}:{name}"


COMMANDS = {
    "list": Command(
        "List the schemes, or show one in detail.",
        ("", "bch"),
        target="list_schemes:list_schemes",
    ),
    "best": Command(
        "Build the code with the lowest known maximum cosine.",
        ("-K 1000 -n 128 -o c1000.safetensors", "-K 100 -n 16 --budget 30 --explain"),
    ),
    "construct": Command(
        "Place K prototypes in R^n and print their certificate.",
        (
            "bch -K 100 -n 63 -o c100.safetensors",
            "reed_muller -K 100 -n 50 --modify --json",
        ),
    ),
    "certify": Command(
        "Measure and certify the prototypes in a file.",
        ("c1000.safetensors --proof proof.json", "mine.csv --normalize --json"),
    ),
    "verify": Command(
        "Check in exact arithmetic what a code file states.",
        ("c1000.safetensors", "c1000.safetensors --proof proof.json --json"),
    ),
    "assign": Command(
        "Match prototypes to classes by similarity.",
        (
            "c100.safetensors --tree cifar100_levels -o a.safetensors",
            "c100.safetensors --embeddings vectors.npy --figure both.png",
        ),
    ),
    "bounds": Command(
        "Print bounds on the smallest possible maximum cosine.",
        ("-K 1000 -n 128", "-K 24 -n 3 --json"),
    ),
    "compare": Command(
        "Compare the maximum cosines of schemes with bounds.",
        (
            "-K 100 --dims 4:256 --figure k100.png",
            "-K 100 --dims 16,32,64 --schemes bch,best --no-figure",
        ),
    ),
    "histogram": Command(
        "Print how often each cosine of two points occurs.",
        ("bch -K 100 -n 15", "uniform -K 1000 -n 64 --bins 60 -o cosines.png"),
    ),
    "figure": Command(
        "Draw maximum cosines by dimension, or histograms of cosines.",
        ("separation-k100", "all -o figures"),
    ),
    "atlas": Command(
        "Tabulate the best known maximum cosine for many (K, n).",
        ("--shipped --figure atlas.png", "--classes 100 --dims 8:512 -o atlas.csv"),
    ),
    "explore": Command(
        "Open a page with the best known codes and bounds for each (K, n).",
        ("-K 1000 -n 128", "--no-open -o atlas.html"),
    ),
    "catalogue": Command("Show the catalogue of earlier searches.", ("", "--check 20")),
    "train": Command(
        "Train a network with fixed prototypes or a learned head.",
        (
            "digits --scheme simplex --dim 9",
            "digits --scheme best --dim 5 --mapping align",
        ),
    ),
    "features": Command(
        "Compute features of images with your network.",
        (
            "digits --model torch.nn.Flatten -o pixels.npz",
            "cifar100 --model YOUR_NETWORK.onnx --size 128 -o f.npz",
        ),
    ),
    "sweep": Command(
        "Train all combinations of schemes, dimensions, mappings and seeds.",
        ("digits.toml --workers 2 --export digits.csv", "digits.toml --dry-run"),
    ),
    "report": Command(
        "Print the accuracies of runs, or write them to a page.",
        ("--html report.html", "digits.csv --figures figures"),
    ),
    "paired": Command(
        "Compare training methods seed by seed.",
        (
            'digits.csv --against "learned bottleneck"',
            "digits.csv --metric test_top5_accuracy --figure methods.png",
        ),
    ),
}
"""All commands by name. The command NAME is the function NAME of the file NAME.py, unless it has another target."""


def program() -> App:
    """Return the command-line application.

    The commands are registered by name. Their modules are not imported yet.
    """
    app = App(
        name="protosphere",
        help="Class prototypes on the sphere, certified for how far apart they are.",
        help_epilogue="Examples:\n  protosphere best -K 1000 -n 128 -o c1000.safetensors\n  protosphere best --help",
        help_format="plaintext",
        version=__version__,
        suppress_keyboard_interrupt=False,
    )
    add_commands(app, COMMANDS, "protosphere.cli")
    app.register_install_completion_command()  # pyright: ignore[reportUnknownMemberType] - its keywords
    return app


def add_commands(app: App, commands: Mapping[str, Command], package: str) -> None:
    """Register commands by name, without importing their modules.

    Args:
        app: Application to which the commands are added.
        commands: Commands by name.
        package: Package that contains the modules of the commands.
    """
    for order, (name, command) in enumerate(commands.items()):
        examples = ["Examples:"]
        for example in command.examples:
            examples.append(f"  {app.name[0]} {name} {example}".rstrip())
        home = f"{package}.{command.home(name)}"
        app.command(
            home,
            name=name,
            help=command.summary,
            help_epilogue="\n".join(examples),
            sort_key=order,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code. Without arguments, print some commands to try.

    Args:
        arguments: Arguments of the command line; None for the arguments of this process.
    """
    app = program()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given:
        from protosphere.cli.first_steps import first_steps

        app.default(first_steps)
    return answer(app, given)


def answer(app: App, arguments: Sequence[str]) -> int:
    """Run a command line and return the exit code. If there is an error, print it as one sentence.

    Args:
        app: Application with the commands.
        arguments: Arguments of the command line.

    Returns:
        The exit code: 0 (success), 1 (a training run failed), 2 (bad input), 130 (interrupted), or 141 (the process
        that reads the output has ended). A command may also end the program with an exit code of its own, by the
        exception SystemExit, which this function does not catch.
    """
    prepare_streams()
    program_name = app.name[0]
    try:
        refuse_empty(arguments, program_name)
        app(
            list(arguments),
            exit_on_error=False,
            print_error=False,
            verbose=False,
            result_action="return_value",
        )
        sys.stdout.flush()
    except BrokenPipeError:
        return reader_gone()
    except KeyboardInterrupt:
        return report_error("interrupted", INTERRUPTED, program_name)
    except TrainingError as error:
        return report_error(str(error), RUN_FAILED, program_name)
    except (CycloptsError, ProtosphereError, OSError, MemoryError) as error:
        commands = tuple(name for name in app if not name.startswith("-"))
        sentence = error_sentence(error, commands, arguments, program_name)
        return report_error(sentence, BAD_INPUT, program_name)
    return 0


def refuse_empty(arguments: Sequence[str], program_name: str) -> None:
    """Check that no argument is empty. An empty argument usually comes from a shell variable that is not set.

    Args:
        arguments: Arguments of the command line.
        program_name: Name of the program, for the error message.

    Raises:
        InvalidArgumentError: If an argument, or the value in an argument of the form --NAME=VALUE, is empty.
    """
    for before, argument in zip([program_name, *arguments], arguments, strict=False):
        has_empty_value = argument.startswith("--") and argument.endswith("=")
        if not argument or has_empty_value:
            raise InvalidArgumentError(
                f"what follows '{argument or before}' is empty; give it a value"
            )


def prepare_streams() -> None:
    """Prepare standard output and standard error for printing.

    A closed stream is redirected to the null device. In an open stream, characters that cannot be encoded become "?".
    """
    nowhere = Path(os.devnull)
    sys.stdout = sys.stdout or nowhere.open("w")
    sys.stderr = sys.stderr or nowhere.open("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def report_error(sentence: str, exit_code: int, program_name: str) -> int:
    """Print an error as one line on standard error, with control characters escaped.

    Args:
        sentence: Error message.
        exit_code: Exit code of the program.
        program_name: Name of the program, such as "python -m protosphere". The line begins with its last word.

    Returns:
        `exit_code`.
    """
    prefix = program_name.split()[-1]
    line = " ".join(sentence.split())
    with suppress(OSError):
        sys.stderr.write(f"{prefix}: {printable(line)}\n")
    return exit_code


def reader_gone() -> int:
    """Redirect standard output to the null device and return the exit code 141.

    This function is called if the process that reads the output has closed the pipe, for example the process `head` in
    `protosphere list | head -1`.
    """
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return READER_GONE
