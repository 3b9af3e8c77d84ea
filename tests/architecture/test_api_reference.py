"""The API reference has an entry for every public name, and every entry exists."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
ENTRY = re.compile(
    r"^\.\. auto(function|class|data|exception):: (protosphere[\w.]*)\.(\w+)$", re.M
)
ENTRIES = [
    (path.name, kind, module, name)
    for path in sorted((DOCS / "api").glob("*.md"))
    for kind, module, name in ENTRY.findall(path.read_text(encoding="utf-8"))
]
PUBLIC = (
    "protosphere",
    "protosphere.bounds",
    "protosphere.assignment",
    "protosphere.plots",
    "protosphere.constructions",
    "protosphere.nn",
    "protosphere.nn.losses",
    "protosphere.nn.projections",
    "protosphere.nn.functional",
    "protosphere.experiments",
    "protosphere.experiments.metrics",
    "protosphere.data",
    "protosphere.backbones",
)
"""Packages whose names are public."""

WITHOUT_ENTRY = {"__version__", "bounds", "functional", "construction"}
"""The version, two modules, and the decorator that CONTRIBUTING.md explains."""


def public_names(module):
    """Names in `__all__`, or the names that a package without it defines; submodules are left out."""
    room = import_module(module)
    listed = getattr(room, "__all__", None) or [
        name
        for name, thing in vars(room).items()
        if not name.startswith("_")
        and str(getattr(thing, "__module__", "")).startswith(module)
    ]
    return [
        name
        for name in listed
        if name not in WITHOUT_ENTRY and not inspect.ismodule(getattr(room, name))
    ]


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_in_the_api_reference(module):
    shown = [getattr(import_module(home), name) for _, _, home, name in ENTRIES]
    room = import_module(module)
    assert [
        name
        for name in public_names(module)
        if not any(getattr(room, name) is thing for thing in shown)
    ] == []


@pytest.mark.parametrize(
    ("page", "kind", "module", "name"), ENTRIES, ids=lambda value: value
)
def test_every_entry_exists_and_has_a_docstring(page, kind, module, name):
    thing = getattr(import_module(module), name)
    if kind != "data":
        assert inspect.getdoc(thing)
        assert {
            "function": inspect.isfunction,
            "class": inspect.isclass,
            "exception": inspect.isclass,
        }[kind](thing)
        return
    source = Path(inspect.getfile(import_module(module))).read_text(encoding="utf-8")
    assert re.search(rf'^{name}\b.*\n"""', source, re.M), "a sentence below it"


def test_no_name_has_two_entries():
    names = [(module, name) for _, _, module, name in ENTRIES]
    assert len(names) == len(set(names))
