"""The pages: complete, all of them in the navigation, and every example in them runs and prints what it says."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
from pathlib import Path

import pytest

import protosphere as ps
from protosphere import progress
from protosphere.cli import main
from reproduction.app import main as reproduction_main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
TOCTREE = re.compile(r"^```\{toctree\}\n(?::[^\n]*\n)*\n(.*?)^```$", re.M | re.S)

PAPER = (
    *(
        "one_hot",
        "uniform",
        "simplex",
        "cross_polytope",
        "reed_muller",
        "bch",
        "reed_solomon",
    ),
    *("mean_row_max", "log_sum_exp"),
)
BOUNDS = (*ps.bounds.BOUNDS, "singleton", "welch")
"""Every registered bound, and two that are on other things than K points in R^n."""

FAMILIES = (
    *("kerdock", "delsarte_goethals", "gold", "lifted_cross_polytopes", "lifted_bases"),
    *(
        "shortened_cosets",
        "construction_x",
        "best_known_linear",
        "orthogonal_simplices",
        "semantic",
    ),
    *("semantic_ranking", "hierarchical", "hierarchy_frame"),
    *(
        "paley_frame",
        "steiner_frame",
        "two_graph_frame",
        "generalized_quadrangle",
        "weil_chirp",
        "root_system",
    ),
    *("signed_quadruples", "kissing_configuration", "derived_code"),
    *(
        "e8_shell",
        "coxeter_todd_shell",
        "barnes_wall_shell",
        "leech_shell",
        "laminated",
        "lattice_shell",
        "sharp_codes",
        "polygon",
        "polytope",
    ),
    *("apple_peeling", "optimized"),
)
"""A scheme may live without a page for a while; one that has a page keeps it, and is listed here."""

FENCES = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def text(page):
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page, language):
    return [body for found, body in FENCES.findall(text(page)) if found == language]


PROGRAMS = {"protosphere": main, "python -m reproduction": reproduction_main}


def commands(body):
    """(main function, arguments, expected lines) of each call of one of `PROGRAMS` in a console block."""
    _, *pieces = re.split(rf"^\$ ({'|'.join(PROGRAMS)}) ", body, flags=re.M)
    found = []
    for program, call in zip(pieces[::2], pieces[1::2], strict=True):
        first, *expected = call.splitlines()
        found.append(
            (PROGRAMS[program], shlex.split(first), "\n".join(expected).strip())
        )
    return found


def navigation():
    """The pages that the trees of contents name, a star being all pages of a folder but its index."""
    for page in PAGES:
        folder = (DOCS / page).parent
        for name in (
            line for tree in TOCTREE.findall(text(page)) for line in tree.split()
        ):
            if "*" in name:
                found = folder.glob(f"{name}.md")
            else:
                found = [folder / f"{name}.md"]
            yield from (
                str(path.relative_to(DOCS))
                for path in found
                if not ("*" in name and path.stem == "index")
            )


def test_every_page_is_in_the_navigation_once_and_the_other_way_round():
    assert sorted(["index.md", *navigation()]) == PAGES


@pytest.mark.parametrize("scheme", [*PAPER, *FAMILIES])
def test_every_scheme_has_a_page(scheme):
    assert f"schemes/{scheme}.md" in PAGES, "write it"
    assert f"({scheme}.md)" in text("schemes/index.md")
    assert f"schemes/{scheme}.md" in text("index-of-papers.md")


def test_every_page_of_a_scheme_is_about_one_that_exists():
    pages = {Path(page).stem for page in PAGES if page.startswith("schemes/")}
    assert pages == {"index", *PAPER, *FAMILIES}
    assert pages - {"index"} <= set(ps.available())


@pytest.mark.parametrize("name", BOUNDS)
def test_every_bound_has_a_page(name):
    assert f"bounds/{name}.md" in PAGES
    assert f"({name}.md)" in text("bounds/index.md")


def test_every_function_of_the_bounds_is_spoken_of():
    spoken = "".join(text(page) for page in PAGES if page.startswith("bounds/"))
    functions = [
        name for name in vars(ps.bounds) if inspect.isfunction(getattr(ps.bounds, name))
    ]
    assert [
        name
        for name in functions
        if not re.search(rf"`(ps\.bounds\.)?{name}\b", spoken)
    ] == []


def test_every_claim_names_a_test_that_exists():
    claims = (ROOT / "tests/reproduction/test_paper_geometry.py").read_text(
        encoding="utf-8"
    )
    named = set(re.findall(r"`(test_\w+)`", text("claims-geometry.md")))
    assert named == set(re.findall(r"^def (test_\w+)", claims, re.M))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")])
def test_python_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest(
        "\n".join(blocks(page, "pycon")), {}, page, page, 0
    )
    assert examples.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples).failed == 0


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(map(commands, blocks(page, "console")))]
)
def test_command_examples(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(
        progress, "PATIENCE_SECONDS", 1e6
    )  # a busy machine prints what this page does not show
    for program, arguments, expected in (
        call for body in blocks(page, "console") for call in commands(body)
    ):
        program(arguments)
        printed = capsys.readouterr()
        lines = [line.rstrip() for line in (printed.out + printed.err).splitlines()]
        assert "\n".join(lines).strip() == expected, arguments


@pytest.mark.parametrize("page", PAGES)
def test_pages_need_no_network(page):
    assert not re.search(
        r"https?://(?!github\.com/|download\.pytorch\.org/whl/cpu)", text(page)
    ), "none needs a net"


def test_the_citation_is_of_this_version():
    assert f"\nversion: {ps.__version__}\n" in (ROOT / "CITATION.cff").read_text(
        encoding="utf-8"
    )
    assert f"version = {{{ps.__version__}}}" in text("citing.md")


WORDS = {
    "hash": "retrieval.md",
    "retrieval": "retrieval.md",
    "Lightning": "frameworks.md",
    "Hugging Face": "frameworks.md",
    "GPU": "frameworks.md",
    "forgetting": "growing.md",
    "out-of-distribution": "unknown-inputs.md",
}


@pytest.mark.parametrize(("word", "page"), WORDS.items())
def test_words_that_readers_search_for_are_on_a_page(word, page):
    assert re.search(rf"\b{word}\b", text(page), re.I), (
        "the search of the pages knows only words that stand on them"
    )
