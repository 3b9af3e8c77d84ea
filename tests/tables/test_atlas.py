"""The atlas that comes with the package: what it says can be built anew, and drawn."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.atlas import guaranteed_row

from protosphere.cli import main
from protosphere.constructions import survey
from protosphere.constructions.survey import check_atlas, write_atlas
from protosphere.errors import CertificateError, StorageError
from protosphere.plots.gap_map import draw_gap_map, gap_map_figure
from protosphere.tables.atlas import monotone, read_atlas, save_atlas, shipped_atlas

ROWS = shipped_atlas()


def test_it_covers_every_cell_of_a_grid():
    counts = {row.num_classes for row in ROWS}
    dims = {row.dim for row in ROWS}
    assert {(row.num_classes, row.dim) for row in ROWS} == {
        (count, dim) for count in counts for dim in dims
    }
    assert {10, 100, 1000, 1448, 100_000, 370_728, 1_000_000} <= counts
    assert {*range(2, 65), 96, 1024} <= dims


def test_no_cell_is_below_its_converse_and_optimal_ones_meet_it():
    for row in ROWS:
        assert row.max_cosine >= row.converse - 1e-9, row
        assert row.optimal == (row.max_cosine <= row.converse + 1e-9), row


def test_more_dimensions_or_fewer_classes_are_never_worse():
    counts, dims = (
        sorted({getattr(row, name) for row in ROWS}) for name in ("num_classes", "dim")
    )
    cosine = np.array([row.max_cosine for row in ROWS]).reshape(len(counts), len(dims))
    assert (np.diff(cosine, axis=1) <= 1e-9).all()
    assert (np.diff(cosine, axis=0) >= -1e-9).all()


def test_no_cell_of_the_atlas_before_is_worse():
    now = {(row.num_classes, row.dim): row for row in ROWS}
    before = read_atlas(Path(__file__).parents[1] / "tables" / "atlas_before.csv")
    assert len(before) == 198
    for row in before:
        assert now[row.num_classes, row.dim].max_cosine <= row.max_cosine + 1e-12, row


def test_a_cell_by_guarantees_is_no_better_than_what_is_built():
    for count, dim in ((1448, 14), (23, 11)):
        row = guaranteed_row(count, dim)
        assert check_atlas([row]) == 1


def test_a_sample_is_built_anew():
    quick = [
        row
        for row in ROWS
        if row.of_classes * row.of_dim <= 2_000_000 and row.of_classes <= 10_000
    ]
    algebraic = [row for row in quick if row.scheme != "optimized"]
    searched = [
        row for row in quick if row.scheme == "optimized" and row.of_classes <= 300
    ]
    drawn = random.SystemRandom().sample(algebraic, 5) + random.SystemRandom().sample(
        searched, 1
    )
    assert check_atlas(drawn) == 6


def test_a_row_that_promises_too_much_is_found_out():
    row = next(row for row in ROWS if (row.num_classes, row.dim) == (100, 64))
    with pytest.raises(CertificateError, match="K = 100, n = 64"):
        check_atlas([replace(row, max_cosine=row.max_cosine - 0.01)])


def _saved(path, **changes):
    row = next(row for row in ROWS if (row.num_classes, row.dim) == (100, 64))
    save_atlas(path, [row, replace(ROWS[-1], **changes)])
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"max_cosine": float("nan")},
        {"max_cosine": 1.5},
        {"converse": float("nan")},
        {"converse": float("inf")},
        {"achievable": float("nan")},
        {"num_classes": ROWS[-1].of_classes + 1},
        {"num_classes": 1},
        {"num_classes": 100, "dim": 64},
        {"dim": ROWS[-1].of_dim - 1},
        {"of_dim": 0},
        {"seed": -1},
        {"exact": "1/0.5"},
        {"exact": "1/1234567"},
        {"exact": "0"},
        {"exact": "-1e-99999999"},
    ],
)
def test_a_row_that_can_be_no_cell_is_refused_when_it_is_read(tmp_path, changes):
    read_atlas(_saved(tmp_path / "a.csv"))
    with pytest.raises(StorageError, match=r"a\.csv.*not an atlas, or a damaged one"):
        read_atlas(_saved(tmp_path / "a.csv", **changes))


@pytest.mark.parametrize("content", [bytes(5000), b"", b"a,b\n1,2\n", b"\xff\xfe"])
def test_what_is_no_atlas_is_refused(tmp_path, content):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(StorageError, match=r"a\.csv"):
        read_atlas(tmp_path / "a.csv")
    assert main(["atlas", "--check", "1", "-o", str(tmp_path / "a.csv")]) == 2


def test_a_renamed_cell_is_found_out():
    row = next(row for row in ROWS if row.num_classes == 1000 and row.dim in (32, 64))
    for changed in (
        {"num_classes": 990},
        {"num_classes": 990, "of_classes": 990},
        {"dim": row.dim + 1},
        {"optimal": not row.optimal},
    ):
        with pytest.raises(CertificateError, match="the converse is"):
            check_atlas([replace(row, **changed)])


def test_a_second_atlas_into_one_file_is_refused_and_no_row_is_lost(
    tmp_path, monkeypatch
):
    path = tmp_path / "atlas.csv"
    write_atlas(path, [(10, 4)], iterations=0)

    def meanwhile(*cell, **options):
        with pytest.raises(StorageError, match="in use by another atlas; wait for it"):
            write_atlas(path, [(14, 4)], iterations=0)
        return replace(read_atlas(path)[0], num_classes=cell[0], of_classes=cell[0])

    monkeypatch.setattr(survey, "atlas_row", meanwhile)
    write_atlas(path, [(12, 4)], iterations=0)
    assert [row.num_classes for row in read_atlas(path)] == [10, 12]


def _row(count, dim, value):
    return replace(
        ROWS[0],
        num_classes=count,
        dim=dim,
        max_cosine=value,
        of_classes=count,
        of_dim=dim,
    )


@given(
    st.dictionaries(
        st.tuples(st.integers(2, 9), st.integers(2, 9)),
        st.floats(-0.5, 0.9),
        min_size=1,
    )
)
def test_a_better_code_of_more_classes_or_fewer_dimensions_is_taken_in_part(values):
    rows = monotone(_row(*cell, value) for cell, value in values.items())
    assert {(row.num_classes, row.dim) for row in rows} == set(values)
    for row in rows:
        around = {
            c: v
            for c, v in values.items()
            if c[0] >= row.num_classes and c[1] <= row.dim
        }
        assert row.max_cosine == pytest.approx(min(around.values()), abs=1e-11)
        assert values[row.of_classes, row.of_dim] == row.max_cosine
        assert (row.of_classes, row.of_dim) in around


def test_an_interrupted_atlas_goes_on_and_is_checked_by_the_cells_its_codes_are_of(
    tmp_path,
):
    path = tmp_path / "atlas.csv"
    cells = [(count, dim) for count in (12, 13, 14) for dim in (4, 5)]
    write_atlas(path, cells[:3], iterations=60)
    rows = write_atlas(path, cells, iterations=60)
    assert [(row.num_classes, row.dim) for row in rows] == sorted(cells)
    assert read_atlas(path) == rows == monotone(rows)
    assert check_atlas(rows) == 6


def test_the_map_has_a_cell_for_every_row(tmp_path):
    meshes = gap_map_figure(ROWS).axes[0].collections
    assert sum(int((~mesh.get_array().mask).sum()) for mesh in meshes) == len(ROWS)
    assert draw_gap_map(ROWS, tmp_path / "gaps.png").stat().st_size > 10_000


def test_the_command_line_checks_the_shipped_one(capsys):
    assert main(["atlas", "--shipped", "--check", "1", "--seed", "3"]) in (0, None)
    assert f"1 of {len(ROWS)} rows rebuilt" in capsys.readouterr().out


def test_the_map_is_drawn_whoever_reads_the_answer(tmp_path, capsys):
    where = [
        "--classes",
        "6",
        "--dims",
        "3",
        "--iterations",
        "0",
        "-o",
        str(tmp_path / "a.csv"),
    ]
    assert main(["atlas", *where, "--figure", str(tmp_path / "map.png"), "--json"]) in (
        0,
        None,
    )
    assert '"num_classes": 6' in capsys.readouterr().out
    assert (tmp_path / "map.png").stat().st_size > 1000
