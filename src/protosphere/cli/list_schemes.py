"""The command `protosphere list`, which lists the schemes or shows one of them in detail.

A scheme is a method that computes K points in R^n.
"""

from rich.table import Table
from rich.text import Text

from protosphere.cli.arguments import Json
from protosphere.cli.screen import print_json, print_summary, screen
from protosphere.constructions import Construction, available, describe


def list_schemes(scheme: str | None = None, /, *, json: Json = False) -> None:
    """List the schemes, or show one of them with its reference and options.

    Args:
        scheme: Name of the scheme to show. Without a name, all schemes are listed.
    """
    if scheme is None:
        entries = [describe(name) for name in available()]
        if json:
            print_json([scheme_record(entry) for entry in entries])
        else:
            print_schemes(entries)
        return
    entry = describe(scheme)
    if json:
        print_json(scheme_record(entry))
    else:
        print_summary(entry.name, scheme_lines(entry))


def scheme_record(entry: Construction) -> dict[str, object]:
    """Return a dictionary that describes a scheme and that can be written as JSON.

    The keys are "name", "summary", "reference", "stochastic" (whether the points depend on the seed), "packed" (whether
    the coordinates of the points are stored with one bit each) and "options" (a mapping from the name of an option to
    its default value).
    """
    return {
        "name": entry.name,
        "summary": entry.summary,
        "reference": entry.reference,
        "stochastic": entry.traits.stochastic,
        "packed": entry.traits.packed,
        "options": entry.options,
    }


def print_schemes(entries: list[Construction]) -> None:
    """Print a table with the name, the summary and the names of the options of each of the given schemes."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for entry in entries:
        table.add_row(entry.name, entry.summary)
        if entry.options:
            flags = ", ".join(f"--{name}" for name in entry.options)
            table.add_row("", Text(f"options: {flags}", style="dim"))
    console = screen()
    console.print(table)
    console.print(
        "\nReference and defaults of one of them: protosphere list SCHEME", style="dim"
    )


def scheme_lines(entry: Construction) -> list[tuple[str, str]]:
    """Return tuples (name, text) with the details of a scheme. Each tuple becomes a line of the output.

    The first four names are "summary", "points", "random" and "reference". The text of "points" says how the points are
    stored, and the text of "random" says whether they depend on the seed.

    Then there is one tuple for each option, with the option and its default value as text. The name of the first of
    these tuples is "options", and the other names are empty. If there are no options, there is one tuple ("options",
    "none").
    """
    random = (
        "yes, by --seed" if entry.traits.stochastic else "no, at the default options"
    )
    lines = [
        ("summary", entry.summary),
        ("points", points_of(entry)),
        ("random", random),
        ("reference", entry.reference),
    ]
    if not entry.options:
        return [*lines, ("options", "none")]
    name_column = "options"
    for name, value in entry.options.items():
        lines.append((name_column, f"--{name} (default {shown(value)})"))
        name_column = ""
    return lines


def points_of(entry: Construction) -> str:
    """Return a phrase that says how the points of a scheme are stored, such as "float64 vectors"."""
    if entry.traits.chooses:
        return "the points of the scheme that is chosen"
    if entry.traits.numbered:
        return "computed from their indices on request"
    if entry.traits.packed:
        return "packed signs, one bit per entry; float64 for added coordinates"
    return "float64 vectors"


def shown(value: object) -> str:
    """Return the default value of an option as text.

    None becomes "chosen for you", True becomes "on", and False becomes "off". Other values become `str(value)`.

    >>> shown(None), shown(False), shown(0.1)
    ('chosen for you', 'off', '0.1')
    """
    if value is None:
        return "chosen for you"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
