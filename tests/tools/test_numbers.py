"""Printed numbers: pages show what the records say, and records are of today's defaults."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from tools.__main__ import main
from tools.numbers import command, defaults, record
from tools.numbers.command import is_stale, kept_texts, numbers_of
from tools.numbers.defaults import default_head
from tools.numbers.maker import CHEAP, STUDY, Maker, Tolerance
from tools.numbers.makers import MAKERS
from tools.numbers.pages import (
    MARKED,
    check_names,
    pages,
    placed,
    relative,
    rendered,
    shown_numbers,
)
from tools.numbers.record import (
    FOLDER,
    changed_defaults,
    read_record,
    record_of,
    write_record,
)
from tools.numbers.run import answer_in_this_process, command_answer

from protosphere.errors import InvalidArgumentError
from protosphere.nn import presets

SHOWN = shown_numbers()
REMAKE = "run 'python -m tools numbers {} --write'"


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_no_default_has_changed_since_the_numbers_were_made(maker):
    found = read_record(maker)
    assert found is not None, REMAKE.format(maker.name)
    assert changed_defaults(maker, found) == [], REMAKE.format(maker.name)
    assert found["command"] == maker.command


@pytest.mark.parametrize("page", sorted({shown.page for shown in SHOWN}))
def test_pages_show_what_the_records_say(page):
    texts = kept_texts()
    for shown in SHOWN:
        if shown.page == page:
            assert shown.text == placed(texts[shown.name]), (
                "run 'python -m tools numbers --render'"
            )


@pytest.mark.parametrize("page", sorted({shown.page for shown in SHOWN}))
def test_the_command_stands_on_the_page(page):
    words = " ".join((record.ROOT / page).read_text(encoding="utf-8").split())
    for maker in {shown.name.split(".")[0] for shown in SHOWN if shown.page == page}:
        assert MAKERS[maker].command in words


def test_every_number_is_shown_and_every_shown_number_has_a_maker():
    made = {number for maker in MAKERS.values() for number in numbers_of(maker)}
    assert made == {shown.name for shown in SHOWN}
    assert {path.stem for path in FOLDER.iterdir()} == set(MAKERS)


def test_numbers_within_a_sentence_do_not_begin_a_line():
    """A comment that begins a line ends the paragraph before it."""
    for page in pages():
        for found in MARKED.finditer(page.read_text(encoding="utf-8")):
            begins_line = found.start() == 0 or found.string[found.start() - 1] == "\n"
            assert begins_line == found["text"].startswith("\n|"), (
                relative(page),
                found["name"],
            )


@pytest.mark.parametrize(
    "maker",
    [maker for maker in MAKERS.values() if maker.cost == CHEAP],
    ids=lambda m: m.name,
)
def test_a_spot_check_agrees_with_the_record(maker):
    assert maker.spot_check is not None
    answer = maker.selected(answer_in_this_process(maker.spot_check))
    assert maker.moves(read_record(maker)["answer"], answer) == []


@pytest.mark.parametrize(
    "maker",
    [maker for maker in MAKERS.values() if maker.cost == STUDY],
    ids=lambda m: m.name,
)
def test_a_study_says_what_its_tables_of_runs_say(maker):
    answer = json.loads(json.dumps(maker.measure()))
    assert maker.moves(read_record(maker)["answer"], answer) == [], REMAKE.format(
        maker.name
    )


@pytest.fixture
def fresh_defaults():
    """Measure defaults anew in this test, and forget what was measured in it."""

    def forget():
        for cached in (defaults._head_numbers, defaults._made_head):
            cached.cache_clear()

    forget()
    yield
    forget()


def changed_makers():
    return {
        name
        for name, maker in MAKERS.items()
        if changed_defaults(maker, read_record(maker))
    }


TRAINED_BY_DEFAULT = {
    "replace_last_layer",
    "unknown_inputs",
    "growing",
    "presets",
    "learning_rates",
    "many_classes_accuracy",
    "ood",
}


def test_another_default_preset_makes_numbers_stale(monkeypatch, fresh_defaults):
    default = presets.default_preset
    swapped = {"protosphere": "soft_cap", "soft_cap": "protosphere"}
    other = {
        name: presets.PRESETS[swapped.get(name, "protosphere")]
        for name in presets.PRESETS
    }
    monkeypatch.setattr(
        "protosphere.nn.head.default_preset", lambda count: other[default(count).name]
    )
    assert changed_makers() == TRAINED_BY_DEFAULT


@pytest.mark.parametrize("change", [{"slope": 3.0}, {"scale": lambda code: 11.0}])
def test_another_definition_of_presets_makes_numbers_stale(
    change, monkeypatch, fresh_defaults
):
    default = presets.default_preset
    named = presets.preset_named
    monkeypatch.setattr(
        "protosphere.nn.head.default_preset",
        lambda count: replace(default(count), **change),
    )
    monkeypatch.setattr(
        "protosphere.nn.head.preset_named", lambda name: replace(named(name), **change)
    )
    assert changed_makers() >= TRAINED_BY_DEFAULT | {
        "meaning_features",
        "preset_benchmark",
    }


def test_another_default_score_makes_numbers_stale(monkeypatch, fresh_defaults):
    from protosphere.nn import PrototypeHead

    score = PrototypeHead.score
    (kept,) = score.__defaults__
    other = next(kind for kind in ("margin", "energy", "max_cosine") if kind != kept)
    monkeypatch.setattr(PrototypeHead, "score", lambda self, z: score(self, z, other))
    assert changed_makers() == {"unknown_inputs", "ood"}


def made(name="tried", answer=None, **rest):
    shown = {"value": lambda found: f"{found['value']:.1f}"}
    return Maker(name, "python it.py", lambda: answer or {"value": 1.0}, shown, **rest)


def test_moves_are_beyond_the_tolerance_of_their_path():
    maker = made(
        tolerances={"*.loose": Tolerance(absolute=1.0), "*": Tolerance(relative=0.1)}
    )
    before = {"a": {"loose": 5.0, "tight": 5.0}, "text": "1/2", "left_out": 3.0}
    assert maker.moves(before, {"a": {"loose": 5.9, "tight": 5.4}, "text": "1/2"}) == []
    assert maker.moves(
        before, {"a": {"loose": 6.1, "tight": 5.6}, "text": "1/3", "new": 1}
    ) == [*("a.loose", "a.tight", "text", "new")]


def test_a_study_keeps_the_defaults_of_its_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "ROOT", tmp_path)
    (tmp_path / "runs.csv").write_text("1")
    slope = {"slope": 2}
    probe = defaults.Probe("a default", lambda: dict(slope))
    maker = made(cost=STUDY, tables=("runs.csv",), depends_on=(probe,))
    first = record_of(maker, {"value": 1.0})
    slope["slope"] = 3
    again = record_of(maker, {"value": 1.0}, first)
    assert again["defaults"] == first["defaults"]
    (tmp_path / "runs.csv").write_text("2")
    assert record_of(maker, {"value": 1.0}, again)["defaults"] == {
        "a default": {"slope": 3}
    }


def test_numbers_runs_writes_and_says_what_moved(tmp_path, monkeypatch, capsys):
    page = tmp_path / "README.md"
    page.write_text("It is <!-- number: tried.value -->0.5<!-- /number --> m.\n")
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(record, "FOLDER", tmp_path / "numbers")
    monkeypatch.setattr("tools.numbers.pages.ROOT", tmp_path)
    monkeypatch.setattr(command, "MAKERS", {"tried": made()})
    with pytest.raises(SystemExit, match="1"):
        main(["numbers"])
    assert "0.5" in page.read_text()
    with pytest.raises(SystemExit, match="1"):
        main(["numbers", "--write", "--report", str(tmp_path / "report.md")])
    assert (
        page.read_text() == "It is <!-- number: tried.value -->1.0<!-- /number --> m.\n"
    )
    assert (
        "| tried.value | README.md | python it.py | 0.5 | 1.0 | yes |"
        in (tmp_path / "report.md").read_text()
    )
    assert main(["numbers"]) == 0
    assert main(["numbers", "--stale"]) == 0
    assert main(["numbers", "unheard"]) == 2
    assert "unheard" in capsys.readouterr().err


def test_a_number_that_nobody_makes_is_refused():
    with pytest.raises(InvalidArgumentError, match=re.escape(SHOWN[0].page)):
        check_names({shown.name for shown in SHOWN} - {SHOWN[0].name})


def test_rendering_twice_changes_nothing():
    texts = {"a.b": "| x |\n|---|\n| 1 |", "c": "5"}
    content = "<!-- number: a.b -->\n<!-- /number -->\n\nand <!-- number: c --><!-- /number --> of them"
    once = rendered(content, texts)
    assert "-->\n| x |" in once
    assert rendered(once, texts) == once


def test_a_record_is_stale_without_a_file_with_other_defaults_and_with_times_of_a_busy_machine(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(record, "FOLDER", tmp_path)
    maker = made(depends_on=(default_head(3, 2),))
    assert is_stale(maker)
    write_record(maker, record_of(maker, {"value": 1.0}))
    assert not is_stale(maker)
    other = record_of(maker, {"value": 1.0})
    other["defaults"] = {"PrototypeHead(3, dim=2)": {"preset": "unheard"}}
    write_record(maker, other)
    assert is_stale(maker)
    timed = made(timed=True)
    write_record(timed, record_of(timed, {"value": 1.0}, load=5.0))
    assert is_stale(timed)
    write_record(timed, record_of(timed, {"value": 1.0}, load=0.1))
    assert not is_stale(timed)


def test_a_command_that_fails_is_one_sentence():
    with pytest.raises(Exception, match="ended with exit code 2"):
        command_answer("protosphere best -K 0 -n 4")
