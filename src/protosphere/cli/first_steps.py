"""Print some commands to try. This is what `protosphere` does without arguments."""

from protosphere.cli.screen import screen
from protosphere.version import __version__

STEPS = (
    (
        "the best prototypes for 1,000 classes in 128 dimensions",
        "best -K 1000 -n 128 -o c1000.safetensors",
    ),
    ("bounds on how far apart they can be", "bounds -K 1000 -n 128"),
    (
        "all schemes compared with the bounds, as a table and a figure",
        "compare -K 100 --dims 4:256",
    ),
    ("a certificate for your own prototypes", "certify mine.npy"),
    (
        "train a network with fixed prototypes, in seconds",
        "train digits --scheme simplex --dim 9",
    ),
    ("the best known codes, on one page in your browser", "explore"),
)


def first_steps() -> None:
    """Print some commands to try, and the command that shows the help pages."""
    console = screen()
    console.print(
        f"protosphere {__version__}: class prototypes on the sphere, certified",
        style="bold",
    )
    for what, arguments in STEPS:
        console.print(f"\n  {what}", style="dim")
        console.print(f"    protosphere {arguments}")
    console.print("\nprotosphere --help                  every command")
    console.print("protosphere COMMAND --help          its options, and two examples")
    console.print("protosphere --install-completion    shell completion")
