"""`protosphere list`."""

from typing import Any

from rich.table import Table
from rich.text import Text

from protosphere.cli.arguments import Json
from protosphere.cli.screen import print_json, print_summary, screen
from protosphere.constructions import Construction, available, describe


def list_schemes(scheme: str | None = None, /, *, json: Json = False) -> None:
    """The schemes, or one of them with its reference and options.

    Args:
        scheme: The name of one scheme, for its details.
    """
    entries = [describe(name) for name in (available() if scheme is None else [scheme])]
    if json:
        records = [scheme_record(entry) for entry in entries]
        print_json(records if scheme is None else records[0])
    elif scheme is None:
        print_schemes(entries)
    else:
        print_summary(entries[0].name, scheme_lines(entries[0]))


def scheme_record(entry: Construction) -> dict[str, Any]:
    """Return what --json shows of a scheme."""
    return {
        "name": entry.name,
        "summary": entry.summary,
        "reference": entry.reference,
        "stochastic": entry.traits.stochastic,
        "packed": entry.traits.packed,
        "options": entry.options,
    }


def print_schemes(entries: list[Construction]) -> None:
    """A table: name, and beside it the summary and the options."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for entry in entries:
        table.add_row(entry.name, entry.summary)
        if entry.options:
            table.add_row(
                "",
                Text(
                    "options: " + ", ".join(f"--{name}" for name in entry.options),
                    style="dim",
                ),
            )
    console = screen()
    console.print(table)
    console.print(
        "\nReference and defaults of one of them: protosphere list SCHEME", style="dim"
    )


def scheme_lines(entry: Construction) -> list[tuple[str, str]]:
    """One scheme in detail."""
    lines = [
        ("summary", entry.summary),
        ("points", points_of(entry)),
        (
            "random",
            "yes, by --seed"
            if entry.traits.stochastic
            else "no, at the default options",
        ),
        ("reference", entry.reference),
    ]
    defaults = [
        f"--{name} (default {shown(value)})" for name, value in entry.options.items()
    ]
    return lines + [
        ("options" if i == 0 else "", text)
        for i, text in enumerate(defaults or ["none"])
    ]


def points_of(entry: Construction) -> str:
    """How its points are kept."""
    if entry.traits.chooses:
        return "those of the scheme that is chosen"
    if entry.traits.numbered:
        return "made from their numbers when asked for"
    if entry.traits.packed:
        return "words of signs, one bit per entry; float64 for what is added to them"
    return "float64 vectors"


def shown(value: object) -> str:
    """A default as people say it.

    >>> shown(None), shown(False), shown(0.1)
    ('chosen for you', 'off', '0.1')
    """
    if value is None:
        return "chosen for you"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
