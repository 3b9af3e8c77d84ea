"""Tables that a spreadsheet opens without taking a text for a formula, and that come back as they were."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protosphere.experiments import load_config
from protosphere.experiments.record import RunRecord
from protosphere.experiments.store import read_table, write_table
from protosphere.plots.figure_files import save_table
from protosphere.storage.csv_files import FORMULA_STARTS, guarded, read_csv, write_csv
from protosphere.tables.atlas import read_atlas, save_atlas, shipped_atlas

FORMULAS = [
    "=1+1",
    "+1-cmd|x!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    '=HYPERLINK("x","y")',
    "'=1",
    "--",
]


def cells_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return [cell for row in csv.reader(file) for cell in row]


def assert_no_formula(path):
    for cell in cells_of(path):
        try:
            float(cell.replace("/", "."))
        except ValueError:
            assert not cell.startswith(tuple(FORMULA_STARTS)), cell


@pytest.mark.parametrize("text", FORMULAS)
def test_no_table_of_ours_has_a_formula_and_each_is_read_back(tmp_path, text):
    record = RunRecord(
        load_config("quick-digits").changed(dataset=text),
        "failed",
        text,
        metrics={"test_" + text: 1.0},
    )
    record = replace(record, metrics={"test_x": -0.5, text: -0.25}, version=text)
    write_table([record], tmp_path / "runs.csv")
    assert_no_formula(tmp_path / "runs.csv")
    back = read_table(tmp_path / "runs.csv")[0]
    assert (back.reason, back.version, back.config) == (text, text, record.config)
    rows = [
        replace(shipped_atlas()[0], description=text),
        replace(shipped_atlas()[1], theorem=text),
    ]
    save_atlas(tmp_path / "atlas.csv", rows)
    assert_no_formula(tmp_path / "atlas.csv")
    assert read_atlas(tmp_path / "atlas.csv") == tuple(rows)
    save_table([{text: text, "cosine": -0.5, "none": None}], tmp_path / "figure.csv")
    assert_no_formula(tmp_path / "figure.csv")
    assert read_csv(tmp_path / "figure.csv") == [
        [text, "cosine", "none"],
        [text, "-0.5", ""],
    ]


def test_numbers_stay_numbers(tmp_path):
    numbers = [-0.5, -1e-300, -3, float("-inf"), "-1/9", "+2", "-0.25", "-1e-9"]
    save_table(
        [{str(place): number for place, number in enumerate(numbers)}],
        tmp_path / "x.csv",
    )
    assert cells_of(tmp_path / "x.csv")[len(numbers) :] == [
        str(number) for number in numbers
    ]


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
        min_size=1,
        max_size=4,
    )
)
def test_every_text_comes_back(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    columns = [str(place) for place in range(len(texts))]
    write_csv(path, columns, [dict(zip(columns, texts, strict=True))])
    assert read_csv(path)[1] == texts
    assert not any(
        str(guarded(text)).startswith(("=", "@", "\t", "\r")) for text in texts
    )
