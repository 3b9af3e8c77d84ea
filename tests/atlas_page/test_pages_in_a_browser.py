"""The documentation in a browser: nothing is wider than its column, and the search knows the words of the field."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

playwright = pytest.importorskip(
    "playwright.sync_api", reason="make page-test installs it"
)
pytest.importorskip("sphinx", reason="the extra 'docs' brings it")
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)
pytestmark = pytest.mark.skipif(
    BROWSER is None,
    reason="needs a Chromium of the system; make page-test says how to have one",
)
ROOT = Path(__file__).parents[2]
WIDE = """() => [...document.querySelectorAll('.content pre, .content table, .content .table-wrapper, .content img')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.innerText.slice(0, 120))"""
BEYOND = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SEARCHED = {
    "hash": "retrieval.html",
    "retrieval": "retrieval.html",
    "lightning": "frameworks.html",
    "hugging face": "frameworks.html",
    "gpu": "frameworks.html",
    "forgetting": "growing.html",
    "out-of-distribution": "unknown-inputs.html",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages, built as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "--quiet",
        "--fail-on-warning",
        "--keep-going",
        "-d",
    ]
    subprocess.run(
        [*command, str(folder / "doctrees"), str(ROOT / "docs"), str(folder / "html")],
        check=True,
    )
    return folder / "html"


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


def documentation(site):
    """Every page but the atlas, which has tests of its own."""
    return [path for path in sorted(site.rglob("*.html")) if path.name != "atlas.html"]


def test_code_and_tables_are_no_wider_than_their_column(site, browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    wide = {}
    for path in documentation(site):
        page.goto(path.as_uri())
        found = page.evaluate(WIDE)
        if found:
            wide[path.name] = found
    assert wide == {}


def test_no_page_is_wider_than_a_phone(site, browser):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    beyond = {}
    for path in documentation(site):
        page.goto(path.as_uri())
        pixels = page.evaluate(BEYOND)
        if pixels > 0:
            beyond[path.name] = pixels
    assert beyond == {}


@pytest.mark.parametrize(("word", "wanted"), SEARCHED.items())
def test_the_search_finds_the_page_for_a_word(site, browser, word, wanted):
    page = browser.new_page()
    page.goto(f"{(site / 'search.html').as_uri()}?q={word.replace(' ', '+')}")
    page.wait_for_selector("#search-results ul.search li a", timeout=20_000)
    page.wait_for_function(
        "document.querySelector('#search-results p.search-summary')?.innerText.includes('found')"
    )
    links = page.eval_on_selector_all(
        "#search-results ul.search li a", "all => all.map((one) => one.href)"
    )
    assert any(f"/{wanted}" in link for link in links), links
