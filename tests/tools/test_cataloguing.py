"""Making a catalogue: searched, joined, resumed, checked."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tools.__main__ import main as tools
from tools.catalogue_file import quantize
from tools.cataloguing import joined, make_catalogue, remeasured, searched_numbers

import protosphere as ps
from protosphere.cli import main
from protosphere.constructions.best.candidates import best_member
from protosphere.geometry.gram import max_cosine
from protosphere.tables.catalogue import (
    Catalogue,
    CatalogueEntry,
    check_catalogue,
    read_catalogue,
    shipped_catalogue,
)
from protosphere.tables.table_files import REBUILD_TOLERANCE
from tools import cataloguing

MAKE = [
    "catalogue",
    "parts",
    "--dims",
    "3,4",
    "--most-classes",
    "14",
    "--effort",
    "0.02",
    "-o",
    "made.npz",
]


def test_searched_numbers_fall_to_twice_the_dimension_and_odd_seeds_lie_between():
    for dim in (3, 8, 16, 32, 64):
        even, odd = (searched_numbers(dim, 300, seed) for seed in (0, 1))
        assert even[0] == 300
        assert even == sorted(set(even), reverse=True)
        assert 2 * dim < even[-1] <= 2 * dim * 1.12 + 1
        assert all(2 * dim < number <= 300 for number in odd)
    assert not set(searched_numbers(32, 300, 0)) & set(searched_numbers(32, 300, 1)) - {
        65
    }


@pytest.fixture
def made(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert tools(MAKE) in (0, None)
    assert "written: made.npz" in capsys.readouterr().out
    return read_catalogue("made.npz")


def test_what_is_made_can_be_made_anew_and_is_better_than_families_alone(made, capsys):
    assert (made.most_points, made.largest_dim) == (14, 4)
    assert made.entries
    assert check_catalogue(made, made.entries) < 1e-9
    for entry in made.entries:
        family = best_member(entry.num_points, entry.dim)
        assert family is None or entry.max_cosine < float(family.max_cosine) + 1e-9
    assert main(["catalogue", "--file", "made.npz", "--check", "2"]) in (0, None)
    assert "2 rebuilt" in capsys.readouterr().out


def test_a_finished_dimension_is_not_searched_again_but_another_seed_may_improve_it(
    made, monkeypatch
):
    def fail(*_, **__):
        raise AssertionError("searched again")

    with monkeypatch.context() as patched:
        patched.setattr(cataloguing, "searched_codes", fail)
        again = make_catalogue("parts", (3, 4), most_points=14, effort=0.02)
    assert again.entries == made.entries
    improved = make_catalogue("parts", (3, 4), most_points=14, effort=0.02, seed=1)
    for entry in made.entries:
        assert (
            improved.best_entry(entry.num_points, entry.dim).max_cosine
            <= entry.max_cosine
        )


def test_every_second_of_many_dimensions_follows_from_the_one_below(tmp_path):
    made = make_catalogue(tmp_path, (26, 27), most_points=55, effort=0.02)
    assert {
        one.levels.shape[1] for one in read_catalogue(tmp_path / "27-0.npz").sources
    } == {26}
    assert made.best_entry(55, 27).max_cosine < made.best_entry(55, 26).max_cosine
    alone = make_catalogue(tmp_path / "alone", (27,), most_points=55, effort=0.02)
    assert {one.levels.shape[1] for one in alone.sources} == {27}


def test_single_numbers_can_be_searched_longer(made):
    longer = make_catalogue(
        "parts", (3, 4, 7), most_points=14, classes=[14], effort=0.1, seed=2
    )
    assert {path.name for path in Path("parts").glob("*-2.npz")} == {
        "3-2.npz",
        "4-2.npz",
        "7-2.npz",
    }
    assert {one.num_points for one in read_catalogue("parts/4-2.npz").entries} == {
        13,
        14,
    }
    assert read_catalogue("parts/7-2.npz").entries == ()
    assert longer.best_entry(14, 4).max_cosine <= made.best_entry(14, 4).max_cosine


def test_measuring_again_corrects_the_stated_max_cosine(made):
    wrong = replace(
        made,
        entries=tuple(
            replace(one, max_cosine=one.max_cosine - 0.1) for one in made.entries
        ),
    )
    assert remeasured(wrong).entries == made.entries
    assert tools(["measure", "--file", "made.npz", "-o", "again.npz"]) in (0, None)
    assert read_catalogue("again.npz").entries == made.entries


def test_joining_drops_what_is_matched_with_as_much_room_and_codes_nobody_uses():
    held = [
        quantize(ps.construct("uniform", num_classes=5, dim=3, seed=seed).points)
        for seed in range(3)
    ]
    parts = [
        Catalogue(
            (held[0], held[1]),
            (CatalogueEntry(40, 5, 0, 0, 0.45), CatalogueEntry(39, 5, 1, 0, 0.46)),
            40,
            5,
        ),
        Catalogue(
            (held[2],),
            (CatalogueEntry(40, 6, 0, 0, 0.3), CatalogueEntry(41, 6, 0, 1, 0.31)),
            41,
            6,
        ),
    ]
    whole = joined(parts)
    assert [(one.num_points, one.dim) for one in whole.entries] == [
        (40, 5),
        (41, 6),
        (40, 6),
    ]
    assert [len(one.levels) for one in whole.sources] == [5, 5]
    assert np.array_equal(whole.sources[1].levels, held[2].levels)
    assert (whole.most_points, whole.largest_dim) == (41, 6)
    worse_than_a_family = Catalogue(
        (held[0],), (CatalogueEntry(240, 8, 0, 0, 0.51),), 240, 8
    )
    assert joined([worse_than_a_family]).entries == ()


def test_an_entry_that_promises_too_much_is_refused():
    shipped = shipped_catalogue()
    entry = shipped.best_entry(20, 3)
    assert check_catalogue(shipped, [entry]) <= 1e-5
    with pytest.raises(ps.CertificateError, match="K = 20, n = 3: the catalogue says"):
        check_catalogue(shipped, [replace(entry, max_cosine=entry.max_cosine - 0.03)])


def test_a_random_sample_of_the_shipped_one_is_made_anew():
    shipped = shipped_catalogue()
    drawn = random.SystemRandom().sample(shipped.entries, 12)
    assert check_catalogue(shipped, drawn) < REBUILD_TOLERANCE
    assert max_cosine(shipped.build(drawn[0])) < 1
