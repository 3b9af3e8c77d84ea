"""The page in a browser: typed into, clicked, turned and copied from; `make page-test` brings what it needs."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from protosphere.atlas_page.html import page_html
from protosphere.cli import main

playwright = pytest.importorskip(
    "playwright.sync_api", reason="make page-test installs it"
)
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)
AXE = Path(os.environ.get("PROTOSPHERE_AXE", "no such file"))
SHOTS = os.environ.get("PROTOSPHERE_SHOTS")
pytestmark = pytest.mark.skipif(  # a browser is nothing that pip installs: `make page-test` and CI run on one
    BROWSER is None,
    reason="needs a Chromium of the system; make page-test says how to have one",
)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def address(data, tmp_path_factory):
    file = tmp_path_factory.mktemp("atlas") / "atlas.html"
    file.write_text(page_html(data), encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def visit(browser, address):
    """A function that opens the page; afterwards nothing was complained of, and nothing asked of anybody."""
    seen = []
    contexts = []

    def opened(fragment="", width=1280, height=900, colors="light"):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=colors
        )
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: seen.append(message.text))
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.on(
            "request",
            lambda request: (
                request.url.startswith((address, "data:")) or seen.append(request.url)
            ),
        )
        page.goto(address + fragment)
        page.wait_for_selector("body[data-ready=yes]", timeout=60_000)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert seen == []


def curves(page):
    return dict(
        page.eval_on_selector_all(
            "[data-curve]",
            "all => all.map((one) => [one.dataset.curve, one.getAttribute('d')])",
        )
    )


def field(page, name):
    return page.inner_text(f"[data-field={name}]")


def certified(command, capsys):
    """What the copied command answers with --json."""
    words = shlex.split(command)
    assert words[0] == "protosphere"
    assert main([*words[1:], "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def check_card(page, capsys):
    """The card's certificate is the one that its command prints."""
    page.click("[data-copies=shell-command]")
    command = page.evaluate("navigator.clipboard.readText()")
    assert command == page.inner_text("#shell-command")
    found = certified(command, capsys)
    shown = field(page, "max_cosine")
    assert float(re.match(r"-?[\d.]+", shown)[0]) == pytest.approx(
        found["max_cosine"], abs=1e-6
    )
    if found["max_cosine_exact"]:
        assert found["max_cosine_exact"] in shown
    converse = field(page, "converse")
    assert converse.endswith(f"by {found['theorem']}")
    assert float(re.search(r"-?[\d.]+", converse)[0]) == pytest.approx(
        found["converse"], abs=1e-6
    )
    gap = field(page, "gap")
    assert ("optimal" in gap) == found["optimal"]
    assert float(re.match(r"[\d.e-]+", gap)[0]) == pytest.approx(found["gap"], abs=1e-6)


def test_a_typed_number_changes_the_curves_and_a_point_is_what_its_command_makes(
    visit, capsys
):
    page = visit("#K=100&n=64")
    before = curves(page)
    page.fill("#classes", "1000")
    page.wait_for_selector("body[data-classes='1000']")
    after = curves(page)
    assert set(after) == {
        "converse",
        "achievable",
        "paper converse",
        "paper achievable",
        "best",
    }
    assert [name for name in after if before[name] == after[name]] in (
        [],
        ["paper converse"],
    )  # always the lowest line
    for scheme, n in (("kerdock", 64), ("reed_solomon", 110)):
        mark = page.locator(f".mark[data-scheme={scheme}][data-n='{n}'] path")
        mark.scroll_into_view_if_needed()
        box = mark.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert (
            page.inner_text("#code-title")
            == f"{scheme}: 1,000 points in {n} dimensions"
        )
        check_card(page, capsys)
    page.click("[data-copies=python-lines]")
    lines = page.evaluate("navigator.clipboard.readText()")
    assert lines.splitlines()[:2] == [
        "import protosphere as ps",
        'code = ps.construct("reed_solomon", num_classes=1000, dim=110)',
    ]
    assert len(lines.splitlines()) == 3


def test_the_recommended_code_is_what_its_command_makes(visit, capsys):
    page = visit("#K=777&n=100")
    assert re.search(
        r"max cosine .*0\.\d{4}; nothing can be below 0\.\d{4}",
        page.inner_text("#answer"),
    )
    assert re.search(
        r"[\d,]+ more dimensions would make it optimal", page.inner_text("#price")
    )
    check_card(page, capsys)
    page.goto(page.url.split("#")[0] + "#K=100&n=64")
    page.reload()
    page.wait_for_selector("body[data-ready=yes]")
    assert "no arrangement is better (Rankin)" in page.inner_text("#answer")
    assert "it is optimal" in page.inner_text("#price")
    check_card(page, capsys)


@pytest.mark.parametrize(
    ("box", "typed"),
    [("#classes", "1"), ("#classes", "2000000"), ("#classes", "7.5"), ("#most", "")],
)
def test_a_wrong_number_is_answered_in_one_sentence(visit, box, typed):
    page = visit("#K=100&n=64")
    answer = page.inner_text("#answer")
    page.fill(box, typed)
    page.wait_for_selector("#wrong:not(:empty)")
    assert "must be a whole number from" in page.inner_text("#wrong")
    assert page.get_attribute(box, "aria-invalid") == "true"
    assert page.inner_text("#answer") == answer


def test_by_keyboard_alone(visit):
    page = visit("#K=100&n=64")
    page.wait_for_selector("table.heat[data-drawn=yes]", timeout=120_000)
    page.focus("#kinds input:last-of-type")
    while "mark" not in (
        page.evaluate("document.activeElement.getAttribute('class')") or ""
    ):
        page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.dataset.n")
    for key in ("ArrowRight", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.dataset.n") != first
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert page.inner_text("#hover") == name
    page.keyboard.press("Enter")
    assert page.inner_text("#code-title").startswith(name.split(",")[0])
    page.focus("table.heat td[tabindex='0']")
    for key in ("ArrowUp", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert (page.input_value("#classes"), page.input_value("#most")) == ("10", "3")


def test_the_sphere_turns_by_keys_and_by_dragging(visit):
    page = visit("#K=24&n=3")
    turn = page.get_attribute("#sphere", "data-turn")
    page.focus("#sphere")
    page.keyboard.press("ArrowLeft")
    turned = page.get_attribute("#sphere", "data-turn")
    assert turned != turn
    page.locator("#sphere").scroll_into_view_if_needed()
    box = page.locator("#sphere").bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 120)
    page.mouse.up()
    assert page.get_attribute("#sphere", "data-turn") != turned


@pytest.mark.parametrize("colors", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_it_fits_and_everybody_can_use_it(visit, width, colors):
    page = visit("#K=12&n=3", width=width, colors=colors)
    page.wait_for_selector("table.heat[data-drawn=yes]", timeout=120_000)
    page.click("summary")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/atlas-{width}-{colors}.png", full_page=True)
    if not AXE.is_file():
        pytest.skip("no axe-core: make page-test brings it")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(
        "axe.run().then((all) => all.violations.map((one) => [one.id, one.impact, one.nodes[0].html]))"
    )
    assert [one for one in found if one[1] in ("serious", "critical")] == []


def test_the_foot_states_the_version_of_the_data(visit, data):
    page = visit()
    assert f"protosphere {data['version']}, digest {data['digest']}" in page.inner_text(
        "#version"
    )
