"""Console for printing to a terminal. It prints control characters in texts as escape sequences."""

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
        """Raise BrokenPipeError.

        rich calls this method if the reader of the output has closed the pipe. The command line handles the error. The
        method that this one replaces would end the program.
        """
        raise BrokenPipeError

    def render_str(self, text: str, **options: Any) -> Text:
        """Escape the control characters of a text, and return the text as rich renders it.

        The text is escaped before rich measures it, so that table columns have the right width.

        Args:
            text: Text to render.
            options: Further arguments of the method `render_str` of rich.
        """
        return super().render_str(_escaped(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of an object that rich can render, with the control characters of texts escaped.

        Args:
            renderable: Object that rich can render, such as a table.
            options: Rendering options; None for the defaults of the console.
        """
        for segment in super().render(renderable, options):
            safe = segment.control is not None or segment.text.isprintable()
            yield segment if safe else Segment(_escaped(segment.text), segment.style)


def _escaped(text: str) -> str:
    return "\n".join(printable(line) for line in text.expandtabs().split("\n"))


def error_console() -> SafeConsole:
    """Return a new console that prints to `sys.stderr`.

    A new console is needed for each use, because `sys.stderr` may have been replaced.
    """
    return SafeConsole(stderr=True, highlight=False, markup=False, emoji=False)
