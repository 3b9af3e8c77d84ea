"""A console for a terminal. Control characters in the printed texts are shown as escape sequences."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from protosphere.errors import printable


class SafeConsole(Console):
    """Console on which texts cannot move the cursor, change colors or reverse the reading direction.

    File names, class names and settings may come from other people's files. Therefore the control characters in texts
    are escaped, except line breaks. Styles and cursor movements of the program itself are not affected.
    """

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError, which `main` handles; rich's method would exit the program."""
        raise BrokenPipeError

    def render_str(self, text: str, **options: Any) -> Text:
        """Return rich's rendering of a text, after its control characters are escaped.

        The text is escaped before rich measures it, so that table columns have the right width.

        Args:
            text: Text to render.
            options: Arguments of rich's method.
        """
        return super().render_str(_escaped(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of an object that rich can render, such as a table, with control characters escaped.

        Args:
            renderable: Object that rich can render.
            options: Rendering options; None for the defaults of the console.
        """
        for segment in super().render(renderable, options):
            safe = segment.control is not None or segment.text.isprintable()
            yield segment if safe else Segment(_escaped(segment.text), segment.style)


def _escaped(text: str) -> str:
    r"""Return a text with the control characters of each line escaped.

    >>> _escaped("one" + chr(27) + "[2J")
    'one\\x1b[2J'
    """
    return "\n".join(printable(line) for line in text.expandtabs().split("\n"))


def error_console() -> SafeConsole:
    """Return a new console on the current `sys.stderr`, which may have been replaced since the last call."""
    return SafeConsole(stderr=True, highlight=False, markup=False, emoji=False)
