"""Designs: the shipped table is built anew, names are read back, and bad names are refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import protosphere as ps
from protosphere.coding.inversive_planes import inversive_plane
from protosphere.constructions.frames.designs import (
    CellWords,
    orthogonal_to_ones,
    read_designs,
    shipped_designs,
)
from protosphere.errors import InvalidArgumentError, StorageError

ROWS = shipped_designs()


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.dim < 64], ids=lambda row: row.name
)
def test_a_row_of_the_table_is_what_a_full_gram_matrix_says(row):
    points = CellWords.parse(row.name).points(row.size + 1)
    assert points.shape == (row.size, row.dim)
    assert np.linalg.matrix_rank(points) == row.dim
    cosines = points @ points.T - 2 * np.eye(row.size)
    assert cosines.max() == pytest.approx(float(Fraction(row.max_cosine)), abs=1e-13)


def test_names_are_unique_and_read_back():
    assert len({row.name for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert CellWords.parse(row.name).name == row.name


@pytest.mark.parametrize("q", [2, 3, 4, 5])
def test_three_points_are_on_just_one_circle(q):
    circles = inversive_plane(q).astype(np.int64)
    pairs = np.einsum("bi,bj->bij", circles, circles)
    triples = np.einsum("bij,bk->ijk", pairs, circles)
    i, j, k = np.indices(triples.shape)
    distinct = (i != j) & (j != k) & (i != k)
    assert (triples[distinct] == 1).all()


@pytest.mark.parametrize("dim", [1, 2, 7])
def test_the_basis_is_orthonormal_and_orthogonal_to_ones(dim):
    basis = orthogonal_to_ones(dim)
    np.testing.assert_allclose(basis.T @ basis, np.eye(dim), atol=1e-15)
    np.testing.assert_allclose(basis.sum(axis=0), 0, atol=1e-14)


@pytest.mark.parametrize(
    "name",
    [
        "golay25: 6 of 3fffff",
        "golay24: 6 of ",
        "golay24: 0 of 3f",
        "golay24: 6 of 3f",
        "golay24: 2 of 1000003",
        "golay24: 2 of 3f; without 1 of 1",
        "golay24: 2 of 3f, 1 of 3",
    ],
)
def test_a_name_of_no_design_is_refused(name):
    with pytest.raises(InvalidArgumentError, match="'member' must"):
        CellWords.parse(name)


def test_a_damaged_table_is_refused(tmp_path):
    path = tmp_path / "designs.csv"
    header = "name,dim,size,max_cosine"
    path.write_text(
        f'{header}\n"golay24: 6 of 3fffff; without 2 of c00000",20,77,1/12\n'
    )
    with pytest.raises(StorageError, match="not a table of designs"):
        read_designs(path)


@pytest.mark.parametrize(
    ("num_classes", "dim", "cosine"),
    [
        (77, 21, Fraction(1, 12)),
        (56, 20, Fraction(1, 15)),
        (120, 20, Fraction(1, 7)),
        (132, 11, Fraction(1, 3)),
    ],
)
def test_best_reaches_the_four_classical_designs(num_classes, dim, cosine):
    assert ps.best(num_classes=num_classes, dim=dim, iterations=0).max_cosine <= cosine
