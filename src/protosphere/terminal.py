"""Output to a terminal: control characters in text from files are shown as escape sequences."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from protosphere.errors import printable


class SafeConsole(Console):
    """A console whose text cannot move the cursor, change colors or reverse the reading direction.

    File names, class names and settings may come from files of other people. Line breaks of a text are kept; other
    control characters are escaped, except those that the program itself writes.
    """

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError, which `main` handles; rich would exit the program."""
        raise BrokenPipeError

    def render_str(self, text: str, **options: Any) -> Text:
        """Escape a plain text before it is measured, so that columns are as wide as what is shown."""
        return super().render_str(_escaped(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Escape the text of all other renderables, such as a table cell with a style."""
        for segment in super().render(renderable, options):
            safe = segment.control is not None or segment.text.isprintable()
            yield segment if safe else Segment(_escaped(segment.text), segment.style)


def _escaped(text: str) -> str:
    r"""Escape each line of a text.

    >>> _escaped("one" + chr(27) + "[2J")
    'one\\x1b[2J'
    """
    return "\n".join(printable(line) for line in text.expandtabs().split("\n"))


def error_console() -> SafeConsole:
    """Return a console on the current standard error, which a test or a pipe may have replaced."""
    return SafeConsole(stderr=True, highlight=False, markup=False, emoji=False)
