"""The linear codes of the package against A. E. Brouwer's table of 2006.

linear_codes_behind.csv lists the cells that are below its lower bound; every other one reaches it, and none of those
listed gets worse.
"""

from __future__ import annotations

import csv
import os
from fractions import Fraction
from pathlib import Path

import pytest
from tests.needs_data import needs_data

import protosphere as ps
from protosphere.tables.linear_codes import shipped_linear_codes

BEHIND = Path(__file__).parent / "linear_codes_behind.csv"

# Textbook codes, each the first of its length and dimension, and their distances.
KNOWN = [
    *(
        (7, 4, 3),
        (8, 4, 4),
        (15, 5, 7),
        (16, 5, 8),
        (23, 12, 7),
        (24, 12, 8),
        (31, 11, 11),
        (32, 6, 16),
        (48, 17, 12),
    ),
    *(
        (55, 16, 19),
        (56, 16, 20),
        (51, 8, 24),
        (63, 7, 31),
        (64, 7, 32),
        (73, 9, 32),
        (89, 11, 40),
        (128, 8, 64),
    ),
    *((127, 15, 55), (128, 15, 56), (41, 17, 12)),
]


def behind():
    with BEHIND.open(newline="") as lines:
        return {(int(n), int(k)): int(d) for n, k, d in list(csv.reader(lines))[1:]}


@pytest.mark.parametrize(("n", "k", "d"), KNOWN)
def test_textbook_codes_are_reached(n, k, d):
    assert shipped_linear_codes().rows[n, k].distance >= d


@needs_data
def test_every_cell_but_the_listed_reaches_the_table_and_none_exceeds_its_upper_bound():
    path = (
        Path(os.environ["PROTOSPHERE_DATA"])
        / "tables"
        / "binary_linear_code_bounds_2006.csv"
    )
    with path.open(newline="") as lines:
        table = {(int(row["n"]), int(row["k"])): row for row in csv.DictReader(lines)}
    ours = {cell: row.distance for cell, row in shipped_linear_codes().rows.items()}
    listed = behind()
    assert {cell for cell, d in ours.items() if d < int(table[cell]["lower"])} <= set(
        listed
    )
    assert all(ours[cell] >= d for cell, d in listed.items())
    assert all(d <= int(table[cell]["upper"]) for cell, d in ours.items())


# Cells where the table was once better than everything we had: K = 2^k, and 1 - 2d/n.
CELLS = [
    *(
        (56, 16, "2/7"),
        (56, 15, "2/7"),
        (56, 14, "2/7"),
        (40, 16, "2/5"),
        (48, 8, "1/12"),
        (56, 10, "1/7"),
    ),
    *(
        (128, 10, "1/16"),
        (32, 13, "3/8"),
        (48, 15, "1/3"),
        (48, 17, "5/12"),
        (40, 12, "3/10"),
        (96, 8, "1/24"),
    ),
]


@pytest.mark.parametrize(("dim", "k", "value"), CELLS)
def test_best_is_no_worse_than_the_table(dim, k, value):
    code = ps.best(num_classes=1 << k, dim=dim, iterations=0)
    assert code.max_cosine <= Fraction(value)
    assert code.certificate.guarantee is not None


def test_more_than_half_of_a_linear_code_has_no_better_subset():
    code = ps.best(num_classes=500, dim=56, iterations=0, catalogue=False)
    assert code.provenance.scheme == "best: best_known_linear"
    assert not any(step.numbers for step in code.provenance.resolved.steps)
    whole = ps.best(num_classes=512, dim=56, iterations=0, catalogue=False)
    assert code.max_cosine == whole.max_cosine


def test_what_a_code_is_does_not_depend_on_the_table(monkeypatch):
    from protosphere.constructions.block_codes import best_known_linear
    from protosphere.constructions.build import rebuild

    code = ps.construct("best_known_linear", num_classes=300, dim=40, mapping="random")
    monkeypatch.setattr(
        best_known_linear,
        "shipped_linear_codes",
        lambda: pytest.fail("the table was asked"),
    )
    again = rebuild(code.provenance)
    assert (again.points == code.points).all()
    assert again.certificate == code.certificate


@pytest.mark.parametrize(
    "member",
    [
        "40-9-30 orbits b 1",
        "40-9-16",
        "orbits b 1",
        "41-9-16 orbits b 1",
        "40-9-16 x",
    ],
)
def test_names_that_are_not_what_they_say_are_refused(member):
    from dataclasses import replace

    from protosphere.constructions.build import rebuild

    made = ps.construct("best_known_linear", num_classes=300, dim=40).provenance
    with pytest.raises(ps.InvalidArgumentError):
        rebuild(replace(made, chosen={"member": member}))
