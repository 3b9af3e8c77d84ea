"""The one door by which text reaches a terminal: what a terminal would obey is written as its escape."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from protosphere.errors import printable


class SafeConsole(Console):
    """A console whose text cannot move the cursor, change colors or reverse its reading direction.

    File names, class names and settings come from files that somebody else wrote. Only the line breaks of a text are
    kept; colors and cursor movements are those that the program itself asks for.
    """

    def on_broken_pipe(self) -> None:
        """Raise the error that a reader has left, for `main` to handle, where rich would end the program."""
        raise BrokenPipeError

    def render_str(self, text: str, **options: Any) -> Text:
        """Escape a plain text before it is measured, so that columns are as wide as what is shown."""
        return super().render_str(_escaped(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Escape what comes out of any other kind of text, such as a cell that has a style."""
        for segment in super().render(renderable, options):
            safe = segment.control is not None or segment.text.isprintable()
            yield segment if safe else Segment(_escaped(segment.text), segment.style)


def _escaped(text: str) -> str:
    """Escape each line of a text.

    >>> _escaped("one" + chr(27) + "[2J")
    'one\\\\x1b[2J'
    """
    return "\n".join(printable(line) for line in text.expandtabs().split("\n"))


def error_console() -> SafeConsole:
    """Return standard error as it is now: a test or a pipe may have replaced it."""
    return SafeConsole(stderr=True, highlight=False, markup=False, emoji=False)
