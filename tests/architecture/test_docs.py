"""The pages are complete, their links lead somewhere, and their examples print what they show."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from safetensors import safe_open
from tests.fuzz.code_files import seeds

import protosphere as ps
from protosphere import progress
from protosphere.cli import main
from reproduction.app import main as reproduction_main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
DOCUMENTS = sorted(path.name for path in ROOT.glob("*.md")) + [
    f"docs/{page}" for page in PAGES
]

TOCTREE = re.compile(r"^```\{toctree\}\n(?::[^\n]*\n)*\n(.*?)^```$", re.M | re.S)
FENCES = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
LINKS = re.compile(r"\]\((?![a-z][a-z0-9+.-]*:|#)([^)#\s]+)(?:#[\w-]+)?\)")

PATHS = re.compile(r"`(\w[\w.-]*/(?:[\w./-]*)|\w+\.(?:py|toml|md))`")
"""Code that is the path of a file or a folder, from the root or from the package."""

PAGE_OF_SCHEME = {"best": "best.md"}
"""Schemes whose page is a guide; every other scheme has the page schemes/NAME.md."""

PROGRAMS = {"protosphere": main, "python -m reproduction": reproduction_main}


def text(page):
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page, language):
    return [body for found, body in FENCES.findall(text(page)) if found == language]


def commands(body):
    """(main function, arguments, expected output) of each call of `PROGRAMS` in a console block."""
    _, *pieces = re.split(rf"^\$ ({'|'.join(PROGRAMS)}) ", body, flags=re.M)
    found = []
    for program, call in zip(pieces[::2], pieces[1::2], strict=True):
        first, *expected = call.splitlines()
        arguments = shlex.split(first)
        found.append((PROGRAMS[program], arguments, "\n".join(expected).strip()))
    return found


def pages_of_entry(folder, entry):
    """The pages that one line of a table of contents names; a star means all pages of a folder but its index."""
    if "*" not in entry:
        return [folder / f"{entry}.md"]
    return [path for path in folder.glob(f"{entry}.md") if path.stem != "index"]


def navigation():
    """The pages that the tables of contents name."""
    found = []
    for page in PAGES:
        folder = (DOCS / page).parent
        entries = [
            line for tree in TOCTREE.findall(text(page)) for line in tree.split()
        ]
        for entry in entries:
            found += pages_of_entry(folder, entry)
    return [path.relative_to(DOCS).as_posix() for path in found]


def test_every_page_is_in_the_navigation_once():
    assert sorted(["index.md", *navigation()]) == PAGES


@pytest.mark.parametrize("document", DOCUMENTS)
def test_relative_links_lead_to_existing_files(document):
    source = (ROOT / document).read_text(encoding="utf-8")
    folder = (ROOT / document).parent
    dead = [link for link in LINKS.findall(source) if not (folder / link).exists()]
    assert dead == []


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_paths_in_guides_for_developers_exist(document):
    source = (ROOT / document).read_text(encoding="utf-8")
    named = {path for path in PATHS.findall(source) if "NAME" not in path}
    roots = (ROOT, ROOT / "src" / "protosphere")
    missing = [
        path for path in named if not any((root / path).exists() for root in roots)
    ]
    assert sorted(missing) == []


def test_the_guide_to_results_names_every_folder():
    guide = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    folders = [path.name for path in (ROOT / "results").iterdir() if path.is_dir()]
    assert [name for name in folders if f"`{name}/" not in guide] == []


@pytest.mark.parametrize("scheme", ps.available())
def test_every_scheme_has_a_page(scheme):
    assert PAGE_OF_SCHEME.get(scheme, f"schemes/{scheme}.md") in PAGES


def test_every_scheme_page_is_about_a_registered_scheme():
    pages = {Path(page).stem for page in PAGES if page.startswith("schemes/")}
    assert pages - {"index"} <= set(ps.available())


@pytest.mark.parametrize("bound", ps.bounds.BOUNDS)
def test_every_bound_has_a_page(bound):
    assert f"bounds/{bound}.md" in PAGES


def test_every_geometric_claim_names_a_test_that_exists():
    tests = ROOT / "tests/reproduction/test_paper_geometry.py"
    existing = re.findall(r"^def (test_\w+)", tests.read_text(encoding="utf-8"), re.M)
    named = re.findall(r"`(test_\w+)`", text("studies/claims-geometry.md"))
    assert set(named) == set(existing)


def test_the_file_reference_names_every_array_and_header_key(tmp_path):
    present = set()
    for path in seeds(tmp_path):
        if path.suffix == ".safetensors":
            with safe_open(path, framework="numpy") as file:
                present |= {*file.keys(), *file.metadata()}
    named = set(re.findall(r"`(\w+)`", text("files.md")))
    assert present <= named


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")])
def test_python_sessions_print_what_pages_show(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = "\n".join(blocks(page, "pycon"))
    examples = doctest.DocTestParser().get_doctest(session, {}, page, page, 0)
    assert examples.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples).failed == 0


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(map(commands, blocks(page, "console")))]
)
def test_commands_print_what_pages_show(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    # a busy machine would print progress that the page does not show
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 1e6)
    calls = [call for body in blocks(page, "console") for call in commands(body)]
    for program, arguments, expected in calls:
        program(arguments)
        printed = capsys.readouterr()
        lines = [line.rstrip() for line in (printed.out + printed.err).splitlines()]
        assert "\n".join(lines).strip() == expected, arguments


def test_the_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {ps.__version__}\n" in citation
    assert f"version = {{{ps.__version__}}}" in text("citing.md")
