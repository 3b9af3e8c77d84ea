"""How the pages are built: `make docs`, strictly. They open from disk, search included, and fetch nothing."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon.docstring import GoogleDocstring

from protosphere.atlas_page.html import write_page
from protosphere.version import __version__

project = "protosphere"
author = "The protosphere developers"
release = __version__
copyright = author
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
exclude_patterns = ["figures/*.csv"]

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "dollarmath"]
nitpicky = False

nb_execution_mode = "auto"  # tutorials run whenever their page is built
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_show_tb = True
nb_merge_streams = True
INTENTS = Path(os.environ.get("PROTOSPHERE_DATA", ".")) / "text" / "clinc150_minilm.npz"
if not INTENTS.exists():  # the page then shows its code without outputs
    nb_execution_excludepatterns = ["tutorials/rejecting-out-of-scope.md"]
    suppress_warnings = ["myst-nb.lexer"]  # only a run tells the language of its cells
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88  # a longer signature has one parameter a line
autodoc_preserve_defaults = True
napoleon_custom_sections = [("Attributes", "params_style")]
default_role = "literal"  # `name` in a docstring is code
add_module_names = False
toc_object_entries_show_parents = "hide"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "protosphere"
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_show_search_summary = False  # a page opened from disk may not read its neighbors
html_show_sphinx = html_copy_source = False
html_theme_options = {
    "light_css_variables": {
        "font-stack": "system-ui, sans-serif",
        "color-brand-primary": "#3949ab",
    },
    "dark_css_variables": {
        "color-brand-primary": "#9fa8da",
        "color-brand-content": "#9fa8da",
    },
}


def whole_description(self: Any) -> tuple[str, list[str]]:
    """Return no type and all lines of the docstring of a property.

    Types come from annotations. Napoleon would take the words before a colon for the type.
    """
    lines = self._dedent(self._consume_to_end())
    return "", GoogleDocstring(lines, self._config).lines()


setattr(GoogleDocstring, "_consume_inline_attribute", whole_description)  # noqa: B010 - the name is private

DOCTEST = re.compile(r"\s*(>>>|\.\.\.)")
QUOTED = re.compile(r"(`[^`]*`)")


def as_rest(lines: list[str]) -> Iterator[str]:
    """Our docstrings are plain sentences: stars, bars and underscores in them mean themselves."""
    example = False
    for line in lines:
        example = bool(line.strip()) and (example or bool(DOCTEST.match(line)))
        parts = [line] if example else QUOTED.split(line)
        plain = [
            part
            if example or part.startswith("`")
            else re.sub(r"([*|\\]|_\b)", r"\\\1", part)
            for part in parts
        ]
        yield "".join(plain)


def escape(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Before napoleon reads a docstring."""
    del app, what, name, thing, options
    lines[:] = list(as_rest(lines))


SHORT_TYPES = {
    r"~[\w.]*\.(?=\w)": "",
    r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]": r"NDArray[\1]",
    r"Callable\[\[str, int, int\], None\]": "Progress",
    r"Callable\[\[\.\.\.\], ": "Callable[..., ",
    r"Fraction \| float": "Cosine",
    r" ?= ?<factory>": " = ...",
    r"<function (\w+)>": r"\1",
}
"""Patterns in signatures, and how the pages write them: the names that a reader of the source sees."""


def shorten(
    app: Sphinx,
    what: str,
    name: str,
    thing: Any,
    options: Any,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Write a signature with the short names of its types."""
    del app, what, name, thing, options
    for pattern, short in SHORT_TYPES.items():
        signature = signature and re.sub(pattern, short, signature)
        returned = returned and re.sub(pattern, short, returned)
    return signature, returned


def add_atlas(app: Sphinx, failure: Exception | None) -> None:
    """The atlas page beside the others: the same file that `protosphere explore` writes."""
    if failure is None and app.builder.format == "html":
        write_page(Path(app.outdir) / "atlas.html")


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("build-finished", add_atlas)
    app.connect("autodoc-process-docstring", escape, priority=100)
    app.connect("autodoc-process-signature", shorten)
