"""The hunt for linear codes: from nothing to the distances that are known, and on from where it stopped."""

from __future__ import annotations

import random
from itertools import islice
from math import lcm

import numpy as np
import pytest
from tools.linear.command import target_distances
from tools.linear.deep_holes import deep_hole
from tools.linear.hunt import cyclic_codes, hunt
from tools.linear.orbit_search import (
    orbit_weights,
    order_of_x,
    prime_powers,
    random_group,
)
from tools.linear.table_file import save_linear_codes
from tools.linear.tail_search import covering_functionals
from tools.linear.workshop import Found, Workshop, distance, word_weights, workshop_of

from protosphere.coding.derivations import generator_matrix
from protosphere.coding.linear import codewords, pack, unpack
from protosphere.coding.polynomials import degree
from protosphere.errors import StorageError
from protosphere.tables.linear_codes import read_linear_codes, shipped_linear_codes


@pytest.mark.parametrize(
    ("moduli", "squarings"),
    [((0b111, 0b1011, 0b1101), 1), ((0b101, 0b111, 0b10101), 0)],
)
def test_weights_by_orbits_are_those_of_the_words(moduli, squarings):
    group = orbit_weights(moduli, squarings, 128)
    chosen = [0, 3, 5]
    code = group.code(chosen, int(group.sizes[chosen].sum()), 1)
    weights = group.weights[chosen].sum(axis=0)
    assert set(weights.tolist()) == set(word_weights(code.bits)[1:].tolist())


def test_moduli_of_an_even_order_are_the_powers_that_divide():
    assert sorted(prime_powers(6, 17)) == [0b11, 0b101, 0b111, 0b10101]
    assert prime_powers(8, 3) == [0b11, 0b101, 0b1111]


def test_groups_of_even_and_of_odd_order_are_drawn_with_all_rows():
    rng = random.Random(28)
    drawn = [random_group(9, rng, 100) for _ in range(60)]
    orders = {lcm(*map(order_of_x, moduli)) % 2 for moduli, _ in drawn}
    assert orders == {0, 1}
    for moduli, squarings in drawn:
        assert sum(map(degree, moduli)) == 9
        assert squarings == 0 or all(order_of_x(modulus) % 2 for modulus in moduli)


def test_functionals_cover_what_they_should():
    rng = random.Random(0)
    light = np.array(rng.sample(range(1, 256), 30))
    found = covering_functionals(light, 8, 4, rng)
    assert found is not None
    assert all(
        any((message & functional).bit_count() % 2 for functional in found)
        for message in light.tolist()
    )
    assert covering_functionals(np.array([1, 2, 3]), 8, 1, rng) is None, (
        "of 1, 2 and 3 one has parity 0"
    )


def test_a_deep_hole_is_far_from_every_word():
    words = unpack(codewords(pack(generator_matrix("orbits b 1")), 8), 7)
    hole = deep_hole(words, 3, random.Random(0))
    assert (words != hole).sum(axis=1).min() == 3, (
        "the simplex code with it is Hamming's"
    )
    assert deep_hole(words, 4, random.Random(0)) is None


def test_everything_that_follows_from_a_code_is_there():
    workshop = Workshop()
    workshop.add(Found(23, 12, 7, "orbits 3.ae3 3"))
    assert [
        workshop.d(n, k) for n, k in [(24, 12), (23, 11), (22, 12), (22, 11), (21, 9)]
    ] == [8, 8, 6, 7, 8]
    workshop.combine()
    assert workshop.d(48, 12) == 16
    assert all(
        distance(code.bits) >= code.d for code in list(workshop.best.values())[:40:3]
    )


def test_a_table_goes_through_a_workshop_unchanged():
    table = shipped_linear_codes()
    again = {(row.length, row.dimension): row for row in workshop_of(table).rows()}
    assert {cell: row.distance for cell, row in again.items()} == {
        c: row.distance for c, row in table.rows.items()
    }
    for cell in random.Random(1).sample(
        sorted(cell for cell in again if cell[1] <= 10), 5
    ):
        assert generator_matrix(table.derivation(*cell)).shape == cell[::-1]


def test_the_hunt_finds_codes_keeps_them_and_goes_on(tmp_path):
    targets = {
        (n, k): d for n, k, d in [(18, 6, 8), (22, 6, 9), (26, 6, 12), (38, 6, 18)]
    }
    start = workshop_of(None, islice(cyclic_codes(), 12))
    save_linear_codes(tmp_path / "start.csv", start.rows())
    first = hunt(
        tmp_path / "codes.csv", targets, groups=5, seed=1, start=tmp_path / "start.csv"
    )
    left = first.behind(targets)
    assert len(left) < len(start.behind(targets))
    kept = read_linear_codes(tmp_path / "codes.csv")
    assert all(kept.rows[cell].distance == first.d(*cell) for cell in targets)
    for cell in targets:
        assert (
            distance(generator_matrix(kept.derivation(*cell)))
            >= kept.rows[cell].distance
        )
    again = hunt(tmp_path / "codes.csv", targets, groups=1, seed=2)
    assert set(again.behind(targets)) <= set(left)


def test_targets_that_are_none_are_refused(tmp_path):
    (tmp_path / "t.csv").write_text("n,k,lower\n200,3,100\n")
    with pytest.raises(StorageError, match="no rows of lengths"):
        target_distances(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("n,k\n20,3\n")
    with pytest.raises(StorageError, match="columns n, k and lower"):
        target_distances(tmp_path / "t.csv")
