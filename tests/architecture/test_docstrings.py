"""Every name of the API reference documents its arguments and result, and has an example that is run."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from tests.architecture.test_api_reference import ENTRIES

FUNCTIONS = [entry[2:] for entry in ENTRIES if entry[1] == "function"]
DOCUMENTED = [entry[2:] for entry in ENTRIES if entry[1] != "data"]

ROOT = Path(__file__).parents[2]
FOLDERS = ["src", "reproduction"]

JOINED_SECTION = re.compile(
    r"^\s+(Args|Returns|Raises|Attributes):[ ]{2,}\S|\S[ ]{3,}\w+: [A-Z]"
)
"""A heading with its section on the same line, or two entries on one line, as careless reflowing leaves them."""


def section(thing, heading):
    """The text of a section of a docstring; empty if there is none.

    >>> section(section, "Args")
    ''
    """
    text = inspect.getdoc(thing) or ""
    found = re.search(rf"^{heading}:\n((?:[ ]{{4}}.*\n?|\n)+)", text, re.MULTILINE)
    return found.group(1) if found else ""


def undocumented(function):
    """The parameters of a function that the section Args does not name."""
    arguments = section(function, "Args")
    return [
        name
        for name in inspect.signature(function).parameters
        if not re.search(rf"^ {{4}}\*{{0,2}}{name}: ", arguments, re.MULTILINE)
    ]


@pytest.mark.parametrize(("module", "name"), FUNCTIONS)
def test_arguments_are_documented(module, name):
    assert undocumented(getattr(import_module(module), name)) == []


@pytest.mark.parametrize(("module", "name"), FUNCTIONS)
def test_results_are_documented(module, name):
    function = getattr(import_module(module), name)
    if inspect.signature(function).return_annotation in (None, "None"):
        return
    assert section(function, "Returns") or section(function, "Yields")


@pytest.mark.parametrize(("module", "name"), DOCUMENTED)
def test_there_is_an_example(module, name):
    assert ">>> " in section(getattr(import_module(module), name), "Example")


def test_a_missing_argument_is_noticed():
    def function(first, second):
        """Return nothing.

        Args:
            first: The first one.
        """

    assert undocumented(function) == ["second"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_sections_stand_below_their_headings(folder):
    joined = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if JOINED_SECTION.search(line)
    ]
    assert joined == []


def test_a_section_on_the_line_of_its_heading_is_noticed():
    assert JOINED_SECTION.search("    Args:     x: Largest value.")
    assert JOINED_SECTION.search("        x: Largest value.     y: Number of trials.")
    assert not JOINED_SECTION.search("    Args:")
