"""Records against a table: kept, resumed, honest."""

from __future__ import annotations

import pytest
from tools.records import (
    points_path,
    records,
    relative_difference,
    stored_records,
)

import protosphere as ps
from protosphere.errors import StorageError

ROWS = [(3, 9, 1 / 3), (3, 12, 0.4472135955), (4, 8, 0.0)]


def test_rows_are_measured_stored_and_not_measured_again(tmp_path):
    store = tmp_path / "records.jsonl"
    first = list(records(ROWS[:2], store, budget_seconds=0.5))
    assert [record.difference for record in first] == pytest.approx([0, 0], abs=1e-9)
    assert stored_records(store) == first
    again = list(records(ROWS, store, budget_seconds=0.5))
    assert again[:2] == first
    assert again[2].kind == "exact"
    assert len(stored_records(store)) == 3
    assert len(list(records(ROWS[2:], store, budget_seconds=0.5, seed=1))) == 1
    assert len(stored_records(store)) == 4


def test_the_saved_code_of_a_row_has_the_recorded_max_cosine(tmp_path):
    store = tmp_path / "records.jsonl"
    (record,) = records(ROWS[:1], store, budget_seconds=0.5, points_folder=tmp_path)
    code = ps.load(points_path(tmp_path, 3, 9))
    assert (code.num_classes, code.dim) == (9, 3)
    assert float(code.max_cosine) == pytest.approx(record.max_cosine, abs=1e-14)


def test_a_line_cut_short_is_forgotten_and_nonsense_refused(tmp_path):
    store = tmp_path / "records.jsonl"
    list(records(ROWS[2:], store, budget_seconds=1))
    with store.open("a") as file:
        file.write('{"dim": 3, "num_')
    assert len(stored_records(store)) == 1
    store.write_text("hello\n" + store.read_text())
    with pytest.raises(StorageError, match="line 1"):
        stored_records(store)


def test_differences_are_relative_except_near_zero():
    assert relative_difference(0.202, 0.2) == pytest.approx(0.01)
    assert relative_difference(1e-9, 6e-17) == pytest.approx(1e-9)
