"""The program: its commands, each imported when it is called, and what becomes of every error."""

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
    """What a command's help page says, and where the command is."""

    summary: str
    examples: tuple[str, ...]
    target: str = ""

    def home(self, name: str) -> str:
        """Its module within this package, and its function there."""
        return self.target or f"{name}:{name}"


COMMANDS = {
    "list": Command(
        "The schemes, or one of them in detail.",
        ("", "bch"),
        target="list_schemes:list_schemes",
    ),
    "best": Command(
        "The lowest max cosine of everything we know.",
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
        "Measure the prototypes in a file and print their certificate.",
        ("c100.safetensors", "mine.csv --normalize --json"),
    ),
    "assign": Command(
        "Give prototypes to classes by similarity.",
        (
            "c.safetensors --tree groups.txt -o a.safetensors",
            "c.safetensors --embeddings words.npy --figure both.png",
        ),
    ),
    "bounds": Command(
        "How far apart K points in R^n can be.", ("-K 1000 -n 128", "-K 24 -n 3 --json")
    ),
    "compare": Command(
        "Every scheme against the bounds: table and figure.",
        (
            "-K 100 --dims 4:256 --figure k100.png",
            "-K 100 --dims 16,32,64 --schemes bch,best --no-figure",
        ),
    ),
    "histogram": Command(
        "How the cosines of all pairs are distributed.",
        ("bch -K 100 -n 15", "uniform -K 1000 -n 64 --bins 60 -o cosines.png"),
    ),
    "figure": Command(
        "Draw a figure of separation or of cosines, or all.",
        ("separation-k100", "all -o figures"),
    ),
    "atlas": Command(
        "The best known max cosine for many (K, n).",
        ("--shipped --figure atlas.png", "--classes 100 --dims 8:512 -o atlas.csv"),
    ),
    "explore": Command(
        "Everything known of (K, n), on a page to look at.",
        ("-K 1000 -n 128", "--no-open -o atlas.html"),
    ),
    "catalogue": Command(
        "What earlier searches found and the package keeps.", ("", "--check 20")
    ),
    "train": Command(
        "Train a network against fixed prototypes.",
        (
            "digits --scheme simplex --dim 9",
            "cifar100-features --mapping align --dim 16",
        ),
    ),
    "features": Command(
        "Features of images by a network of yours.",
        (
            "cifar100 --model net.onnx --size 128 -o f.npz",
            "digits --model package.module.network -o f.npz",
        ),
    ),
    "sweep": Command(
        "Train schemes x dimensions x mappings x seeds.",
        ("mnist.toml --workers 2 --export mnist.csv", "mnist.toml --dry-run"),
    ),
    "report": Command(
        "A page of a sweep's results.",
        ("runs/mnist-quick --html report.html", "results/mnist.csv --figures figures"),
    ),
    "paired": Command(
        "Ways to train, compared seed by seed.",
        (
            "results/digits.csv --against 'learned layer'",
            "runs/mnist-quick --figure ways.png",
        ),
    ),
}
"""One entry for each: the function NAME of the file NAME.py, unless the entry says another target."""


def program() -> App:
    """The command line with every command registered by name only."""
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
    """Register commands by name only: the module of each within `package` is imported when the command is called."""
    for order, (name, command) in enumerate(commands.items()):
        examples = ["Examples:"]
        for words in command.examples:
            examples.append(f"  {app.name[0]} {name} {words}".rstrip())
        home = f"{package}.{command.home(name)}"
        app.command(
            home,
            name=name,
            help=command.summary,
            help_epilogue="\n".join(examples),
            sort_key=order,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and answer with its exit code; without a word it says what can be done."""
    app = program()
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words:
        from protosphere.cli.first_steps import first_steps

        app.default(first_steps)
    return answer(app, words)


def answer(app: App, words: Sequence[str]) -> int:
    """Run `app` and answer with its exit code: 0; after one sentence 2 (bad input) or 1 (a failed run).

    Sentences name the program as `app` is named, such as "protosphere" or "python -m reproduction".
    """
    prepare_streams()
    program_name = app.name[0]
    try:
        refuse_empty(words, program_name)
        app(
            list(words),
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
        return report_error(
            error_sentence(error, commands, words, program_name),
            BAD_INPUT,
            program_name,
        )
    return 0


def refuse_empty(words: Sequence[str], program_name: str) -> None:
    """An empty word is a variable of the shell that was never set, and no file, folder or number."""
    for before, word in zip([program_name, *words], words, strict=False):
        if not word or (word.startswith("--") and word.endswith("=")):
            raise InvalidArgumentError(
                f"what follows '{word or before}' is empty; give it a value"
            )


def prepare_streams() -> None:
    """Streams that were closed go nowhere, and a terminal without the character gets a question mark."""
    nowhere = Path(os.devnull)
    sys.stdout = sys.stdout or nowhere.open("w")
    sys.stderr = sys.stderr or nowhere.open("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def report_error(sentence: str, exit_code: int, program_name: str) -> int:
    """Say it on standard error, on one line; what no terminal should obey, such as an escape sequence, is spelt out."""
    speaker = program_name.split()[
        -1
    ]  # "python -m reproduction" speaks as "reproduction"
    with suppress(OSError):
        sys.stderr.write(f"{speaker}: {printable(' '.join(sentence.split()))}\n")
    return exit_code


def reader_gone() -> int:
    """Whoever read our output has left (`| head -1`): leave as quietly, and keep the interpreter's last flush quiet."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return READER_GONE
