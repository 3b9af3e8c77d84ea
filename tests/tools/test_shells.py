"""Centers of lattices, found at random: the table gains what nothing in it beats, and its shells are there."""

from __future__ import annotations

from fractions import Fraction

from tools.__main__ import main
from tools.shells_command import shell_rows, unbeaten

from protosphere.constructions.lattices.lattice_shell import ShellRow, shells_named
from protosphere.tables.table_files import read_known_table, shipped_file


def read(path):
    return read_known_table(path, ShellRow, lambda row: row.size > 1)


def test_shells_around_the_origin_are_joined_while_that_costs_nothing():
    rows = {
        row.outer: (row.inner, row.size)
        for row in shell_rows("laminated", 8, (0,) * 8, 1, Fraction(16))
    }
    assert rows == {
        "4": ("4", 240),
        "8": ("4", 2400),
        "12": ("8", 8880),
        "16": ("12", 24_240),
    }  # twice E8


def test_the_table_of_the_package_has_nothing_that_another_of_it_beats():
    with shipped_file("lattice_shells.csv") as path:
        rows = read(path)
    assert unbeaten(rows) == rows


def test_a_search_keeps_what_is_better(tmp_path, capsys):
    table = tmp_path / "shells.csv"
    table.write_text(
        "lattice,dim,inner,outer,center,denominator,size\nlaminated,9,4,4,0 0 0 0 0 0 0 0 0,1,272\n"
    )
    assert main(["shells", str(table), "9", "--tries", "2", "--most", "2000"]) == 0
    found = read(table)
    assert "laminated-9:4:0,0,0,0,0,0,0,0,0/1" in {row.id for row in found}
    assert len(found) > 3
    assert f"{len(found)} rows, 1 before" in capsys.readouterr().out
    for row in found:
        assert sum(shells_named(9, row.id).sizes().values()) == row.size
