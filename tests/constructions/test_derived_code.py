"""Derived codes: as many points as the table says, at the cosine that the norm left over gives, exactly."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.derived import leading, sections

import protosphere as ps
from protosphere.constructions.build import rebuild
from protosphere.constructions.lattices.derived_code import (
    DerivedCodeRow,
    norm_left,
    read_derived_codes,
    section_named,
    shipped_derived_codes,
)
from protosphere.errors import InvalidArgumentError, StorageError
from protosphere.types import ignore

ROWS = shipped_derived_codes()
PUBLISHED = [
    ("16192", 23, Fraction(3, 7)),
    ("11178", 23, Fraction(2, 5)),
    ("2025", 22, Fraction(7, 22)),
]


def exact_max_cosine(row):
    """By the integer inner products of the vectors before they are projected."""
    section = section_named(row.dim, row.id)
    vectors = section.parent.vectors().astype(np.int64)
    fixed = np.array(section.fixed)
    chosen = vectors[np.all(vectors @ fixed.T == section.products, axis=1)]
    assert len(chosen) == row.size
    norm = int(chosen[0] @ chosen[0])
    left = norm_left(norm, section.fixed, section.products)
    products = chosen @ chosen.T
    np.fill_diagonal(products, -norm)
    return (int(products.max()) - (norm - left)) / left


@pytest.mark.parametrize(
    "row", random.Random(5).sample([row for row in ROWS if row.size < 3000], 5), ids=str
)
def test_a_row_has_its_points_and_its_cosine(row):
    assert (
        exact_max_cosine(row)
        <= Fraction(row.max_cosine)
        == section_named(row.dim, row.id).max_cosine
    )


@pytest.mark.parametrize(("size", "dim", "cosine"), PUBLISHED)
def test_codes_of_the_leech_lattice_that_are_known(size, dim, cosine):
    assert any(
        (row.size, row.dim, Fraction(row.max_cosine)) == (int(size), dim, cosine)
        for row in ROWS
    )


def test_points_are_projected_and_certified():
    row = min(ROWS, key=lambda row: row.size)
    code = ps.construct("derived_code", num_classes=row.size, dim=row.dim)
    assert np.linalg.matrix_rank(code.points) == row.dim
    assert code.max_cosine <= Fraction(row.max_cosine)


def test_no_row_is_beaten_by_another_and_most_by_no_other_family():
    for row in ROWS:
        better = [r for r in ROWS if r.dim <= row.dim and r.size >= row.size]
        assert min(better, key=lambda r: (Fraction(r.max_cosine), -r.size)) == row
    assert 2 * len(leading(ROWS)) > len(ROWS)


def test_a_name_gives_the_code_back_whatever_the_table_has(monkeypatch):
    code = ps.construct("derived_code", num_classes=100, dim=22)
    asked = "protosphere.constructions.lattices.derived_code.shipped_derived_codes"
    monkeypatch.setattr(asked, lambda: pytest.fail("the table was asked"))
    assert np.array_equal(rebuild(code.provenance).points, code.points)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "leech::",
            "e8:8:3",
            "leech:8,8:3",
            "leech:8:999999",
        ),
        *("leech:8,8:3,3", "leech:4000:3"),
    ],
)
def test_a_name_that_names_nothing_is_refused(name):
    with pytest.raises(InvalidArgumentError, match="'member' must"):
        section_named(22 if "8 8" in name else 23, name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("leech:8:300000", "indices below 196560"),
        ("leech:8:3+196560", "indices below 196560"),
        ("leech:8,8:3", "as many products as vectors"),
    ],
)
def test_a_refused_section_says_what_is_wrong(name, reason):
    with pytest.raises(InvalidArgumentError, match=reason):
        section_named(23, name)


@given(
    st.lists(
        st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=3
    ),
    st.data(),
)
def test_the_norm_left_is_that_of_the_projection(fixed, data):
    vector = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=4, max_size=4)))
    basis = np.array(fixed)
    rest = vector - basis.T @ np.linalg.lstsq(basis.T, vector, rcond=None)[0]
    if np.linalg.matrix_rank(basis) < len(basis) or np.allclose(rest, 0):
        with pytest.raises(InvalidArgumentError):
            norm_left(int(vector @ vector), fixed, (basis @ vector).tolist())
    else:
        assert float(
            norm_left(int(vector @ vector), fixed, (basis @ vector).tolist())
        ) == pytest.approx(rest @ rest)


def test_the_hunt_finds_the_first_sections():
    found = list(
        sections("leech", steps=1, least=1000, lowest=23, seed=0, progress=ignore)
    )
    assert {(23, 4600, "1/3"), (23, 47_104, "7/15"), (23, 93_150, "1/2")} <= {
        (row.dim, row.size, row.max_cosine) for row in found
    }


@pytest.mark.parametrize(
    "line",
    ["leech,3,8 8,23,100,1/3", "leech,x,8,23,100,1/3", "leech,3,8,23,10,1/3", ""],
)
def test_a_table_with_an_impossible_row_is_refused(tmp_path, line):
    head = ",".join(DerivedCodeRow.__dataclass_fields__)
    (tmp_path / "t.csv").write_text(f"{head}\n{line}\n" if line else "nothing")
    with pytest.raises(StorageError, match=r"t\.csv"):
        read_derived_codes(tmp_path / "t.csv")
