"""The program: its commands, each imported when it is called, and what becomes of every error."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

from cyclopts import App, CycloptsError

from protosphere.cli.complaints import complaint
from protosphere.errors import ProtosphereError, TrainingError
from protosphere.version import __version__

RUN_FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as a shell counts
READER_GONE = 141  # 128 + SIGPIPE


@dataclass(frozen=True)
class Command:
    """What a command's help page says, and where the command is."""

    summary: str
    example: str
    target: str = ""

    def home(self, name: str) -> str:
        """Its module within this package, and its function there."""
        return self.target or f"{name}:{name}"


COMMANDS = {
    "list": Command("The schemes, or one of them in detail.", "bch", target="list_schemes:list_schemes"),
    "construct": Command("Place K prototypes in R^n and print their certificate.", "bch -K 100 -n 63 -o c.safetensors"),
    "best": Command("The lowest max cosine of everything we know.", "-K 1000 -n 128 --explain -o c1000.safetensors"),
    "certify": Command("Measure the prototypes in a file and print their certificate.", "mine.csv --normalize"),
    "assign": Command("Give prototypes to classes by similarity.", "c.safetensors --tree groups.txt -o a.safetensors"),
    "bounds": Command("How far apart K points in R^n can be.", "-K 1000 -n 128"),
    "compare": Command("Every scheme against the bounds: table and figure.", "-K 100 --dims 4:256 --figure k100.png"),
    "atlas": Command("The best known max cosine for many (K, n).", "--classes 100 --dims 8:512 -o atlas.csv"),
    "catalogue": Command("What earlier searches found and the package keeps: looked at, or checked.", "--check 20"),
    "histogram": Command("How the cosines of all pairs are distributed.", "bch -K 100 -n 15"),
    "train": Command("Train a network against fixed prototypes.", "mnist --scheme bch --dim 15 --seed 0"),
    "features": Command("Features of images by a network of yours.", "cifar100 --model net.onnx --size 128 -o f.npz"),
    "sweep": Command("Train schemes x dimensions x mappings x seeds.", "mnist.toml --workers 2 --export mnist.csv"),
    "reproduce": Command("Run the paper's experiments and draw its figures.", "mnist --workers 2"),
    "opposed": Command("Which classes get diametrically opposed prototypes.", "mnist --dim 8"),
    "report": Command("A page of a sweep's results.", "runs/mnist-quick --html report.html"),
    "paired": Command("Ways to train, compared seed by seed.", "results/digits.csv --against 'learned layer'"),
    "claims": Command("What results say of the paper's claims.", "results -o claims.md"),
    "figure": Command("Draw a figure of the paper, or all of them.", "all -o figures"),
}
"""One line for each: the function NAME of the file NAME.py, unless the line says another target."""


def program() -> App:
    """The command line with every command registered by name only."""
    app = App(
        name="protosphere",
        help="Class prototypes on the sphere, certified for how far apart they are.",
        help_epilogue="Example: protosphere construct reed_muller -K 100 -n 64 -o c100.safetensors",
        help_format="plaintext",
        version=__version__,
        suppress_keyboard_interrupt=False,
    )
    for order, (name, command) in enumerate(COMMANDS.items()):
        app.command(
            f"protosphere.cli.{command.home(name)}",
            name=name,
            help=command.summary,
            help_epilogue=f"Example: protosphere {name} {command.example}",
            sort_key=order,
        )
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and answer with its exit code."""
    return answer(program(), arguments)


def answer(app: App, arguments: Sequence[str] | None) -> int:
    """Run `app` and answer with its exit code: 0; after one sentence 2 (bad input) or 1 (a failed run)."""
    prepare_streams()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(words, exit_on_error=False, print_error=False, verbose=False, result_action="return_value")
        sys.stdout.flush()
    except BrokenPipeError:
        return reader_gone()
    except KeyboardInterrupt:
        return complain("interrupted", INTERRUPTED)
    except TrainingError as error:
        return complain(str(error), RUN_FAILED)
    except (CycloptsError, ProtosphereError, OSError, MemoryError) as error:
        return complain(complaint(error, tuple(name for name in app if not name.startswith("-"))), BAD_INPUT)
    return 0


def prepare_streams() -> None:
    """Streams that were closed go nowhere, and a terminal without the character gets a question mark."""
    nowhere = Path(os.devnull)
    sys.stdout = sys.stdout or nowhere.open("w")
    sys.stderr = sys.stderr or nowhere.open("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def complain(sentence: str, exit_code: int) -> int:
    """Say it on standard error, on one line; what no terminal should obey, such as an escape sequence, is spelt out."""
    line = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in " ".join(sentence.split()))
    with suppress(OSError):
        sys.stderr.write(f"protosphere: {line}\n")
    return exit_code


def reader_gone() -> int:
    """Whoever read our output has left (`| head -1`): leave as quietly, and keep the interpreter's last flush quiet."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return READER_GONE
