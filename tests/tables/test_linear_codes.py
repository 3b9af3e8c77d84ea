"""The table of linear codes: whole, true to itself, and read with suspicion."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tools.linear.table_file import save_linear_codes

from protosphere.coding.derivations import generator_matrix
from protosphere.errors import StorageError
from protosphere.tables.linear_codes import (
    LARGEST_DIMENSION,
    LARGEST_LENGTH,
    LinearCodeRow,
    LinearCodes,
    read_linear_codes,
    shipped_linear_codes,
)

TABLE = shipped_linear_codes()


def least_weight(bits):
    """By all words, by the definition."""
    messages = np.arange(1, 1 << len(bits))[:, None] >> np.arange(len(bits)) & 1
    return int((messages @ bits % 2).sum(axis=1).min())


def test_every_length_and_dimension_is_there_and_no_neighbor_is_better():
    cells = {
        (n, k)
        for n in range(1, LARGEST_LENGTH + 1)
        for k in range(1, min(n, LARGEST_DIMENSION) + 1)
    }
    assert set(TABLE.rows) == cells
    d = {cell: row.distance for cell, row in TABLE.rows.items()}
    for (n, k), distance in d.items():
        assert distance >= d.get((n, k + 1), 0), "a subcode"
        assert distance >= d.get((n + 1, k), 0) - 1, "punctured"
        assert distance >= d.get((n + 1, k + 1), 0), "shortened"
        assert n == k or distance >= d[n - 1, k] + (d[n - 1, k] & 1), "extended"


@pytest.mark.parametrize("most", [9, 13, 17])
def test_a_sample_has_the_promised_distances(most):
    rng = random.SystemRandom()
    small = sorted(cell for cell in TABLE.rows if most - 4 < cell[1] <= most)
    for n, k in rng.sample(small, 12 if most < 17 else 2):
        bits = generator_matrix(TABLE.derivation(n, k))
        assert bits.shape == (k, n)
        assert least_weight(bits) >= TABLE.rows[n, k].distance, (n, k)


def test_the_leading_codes_are_as_good_as_all():
    leading = TABLE.leading()
    assert len(leading) < len(TABLE.rows) / 4
    for (n, k), row in TABLE.rows.items():
        fitting = [
            one.distance / one.length
            for one in leading
            if one.length <= n and one.dimension >= k
        ]
        assert max(fitting) >= row.distance / n - 1e-12


def test_a_saved_table_comes_back(tmp_path):
    save_linear_codes(tmp_path / "some.csv", list(TABLE.rows.values())[:100])
    assert (
        list(read_linear_codes(tmp_path / "some.csv").rows.values())
        == list(TABLE.rows.values())[:100]
    )


SOUND = LinearCodeRow(7, 3, 4, "orbits b 1")


@pytest.mark.parametrize(
    "rows",
    [
        [LinearCodeRow(7, 3, 6, "orbits b 1")],
        [LinearCodeRow(7, 3, 0, "orbits b 1")],
        [LinearCodeRow(129, 3, 4, "orbits b 1")],
        [LinearCodeRow(40, 18, 4, "orbits b 1")],
        [LinearCodeRow(2, 3, 1, "orbits b 1")],
        [LinearCodeRow(7, 3, 4, "os.system 1")],
        [LinearCodeRow(7, 3, 4, "")],
        [LinearCodeRow(7, 3, 4, "orbits " + "b" * 5000)],
        [LinearCodeRow(6, 3, 3, "cell 7 3, puncture 1"), SOUND],
        [LinearCodeRow(7, 3, 4, "cell 7 3")],
        [LinearCodeRow(7, 3, 4, "cell 7")],
        [SOUND, SOUND],
    ],
    ids=lambda rows: rows[0].derivation[:20],
)
def test_a_table_that_cannot_be_is_refused(tmp_path, rows):
    save_linear_codes(tmp_path / "bad.csv", rows)
    with pytest.raises(StorageError, match="not a table of linear codes"):
        read_linear_codes(tmp_path / "bad.csv")


def test_derivations_are_written_out():
    table = LinearCodes(
        {(7, 3): SOUND, (6, 3): LinearCodeRow(6, 3, 3, "cell 7 3, puncture 1")}
    )
    assert table.derivation(6, 3) == "orbits b 1, puncture 1"
