"""Kerdock, Delsarte-Goethals and Gold: theorems, nesting, and the measuring of unions of cosets."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import protosphere as ps
from protosphere.coding import cosets
from protosphere.coding.linear import codewords
from protosphere.coding.quadratic_forms import quadratic_forms
from protosphere.coding.reed_muller import dimension, generator_rows
from protosphere.constructions.block_codes.coset_forms import coset_union, nested_codes
from protosphere.constructions.block_codes.delsarte_goethals import delsarte_goethals
from protosphere.constructions.block_codes.gold import gold
from protosphere.constructions.block_codes.kerdock import kerdock
from protosphere.spherical.certificate import certified
from protosphere.spherical.io import container as storage
from protosphere.spherical.placement import Placement
from protosphere.spherical.structures import CosetUnion, LinearWords, Plain, SignWords
from protosphere.types import ignore

FAMILIES = (kerdock, delsarte_goethals, gold)
MEASURED = [
    m
    for family in FAMILIES
    for m in family(512)
    if m.size <= 1 << 19 and (m.dim, m.size) != (256, 66048)
]
BRUTE = [m for m in MEASURED if m.size <= 5000]


def largest_of_all_pairs(placement):
    """The largest cosine, from the words alone."""
    held = placement.structure
    step = placement.structure.cosine_step
    if placement.packed_signs is not None:
        bare = SignWords(held.dim, held.packed_signs)
    else:
        bare = Plain(held.points, step)
    return bare.largest_cosine(ignore)[0]


def measured(placement):
    return placement.structure.largest_cosine(ignore)


@pytest.mark.parametrize("member", MEASURED, ids=lambda member: member.id)
def test_a_whole_code_is_measured_at_its_theorem(member):
    found = certified(member.place(member.size), member.max_cosine)
    assert found.max_cosine == member.max_cosine
    assert found.exact


@pytest.mark.parametrize("member", BRUTE, ids=lambda member: member.id)
def test_all_pairs_of_points_say_the_same(member):
    placement = member.place(member.size)
    assert largest_of_all_pairs(placement) == member.max_cosine
    if placement.packed_signs is not None:
        rows = placement.packed_signs
    else:
        rows = placement.points
    assert len(np.unique(rows, axis=0)) == member.size


def test_sizes_are_those_of_the_theorems():
    assert [(m.dim, m.size) for m in kerdock(64)] == [
        (4, 16),
        (4, 24),
        (16, 256),
        (16, 288),
        (64, 4096),
        (64, 4224),
    ]
    assert [(m.dim, m.size) for m in delsarte_goethals(64)] == [
        (16, 2**11),
        (64, 2**17),
        (64, 2**22),
    ]
    assert [(m.dim, m.size) for m in gold(128)] == [
        (8, 2**7), (32, 2**11), (32, 2**16), (128, 2**15), (128, 2**22), (128, 2**29)
    ]  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
def test_members_are_counted_up_to_the_dimension_and_never_twice(family):
    everyone = list(family(4096))
    assert len({(m.dim, m.size) for m in everyone}) == len(everyone)
    for limit in (-3, 0, 1, 2, 3, 4, 15, 16, 1000, 1024, 10**40):
        assert {m.id for m in family(limit)} >= {
            m.id for m in everyone if m.dim <= limit
        }
        assert all(m.dim <= limit for m in family(limit))


@pytest.mark.parametrize("m", range(1, 17))
def test_a_chain_grows_from_the_first_order_code_on(m):
    levels = nested_codes(m)
    assert (levels[0].size, levels[0].max_cosine) == (2 << m, 0)
    assert all(
        low.size < high.size and low.max_cosine < high.max_cosine
        for low, high in pairwise(levels)
    )
    assert m < 6 or levels[-1].size >= 1 << 22
    assert m < 7 or levels[-1].size >= 1 << 24
    assert levels[-1].size == 1 << dimension(2, m) if 2 <= m <= 10 else True


@pytest.mark.parametrize("m", [1, 3, 4, 6])
def test_the_first_words_are_the_first_order_code(m):
    assert np.array_equal(
        coset_union(m, 2 << m).packed_signs, codewords(generator_rows(1, m), 2 << m)
    )


@pytest.mark.parametrize("m", [2, 3, 4, 5, 6])
def test_every_word_of_the_last_level_is_quadratic_and_they_are_all_different(m):
    size = min(nested_codes(m)[-1].size, 1 << 16)
    words = coset_union(m, size).packed_signs
    assert len(np.unique(words, axis=0)) == size
    if size == nested_codes(m)[-1].size:
        assert np.array_equal(
            np.unique(words, axis=0),
            np.unique(codewords(generator_rows(2, m), size), axis=0),
        )


@given(st.integers(2, 9), st.integers(0, 4000), st.integers(0, 300))
@settings(deadline=None, max_examples=60)
def test_representatives_and_words_come_in_pieces(m, first, count):
    total = 1 << min(m * (m - 1) // 2, 20)
    first = first % total
    count = min(count, total - first)
    assert np.array_equal(
        quadratic_forms(m, first), quadratic_forms(m, first + count)[:first]
    )
    num_words = 1 + first + count
    assert np.array_equal(
        coset_union(m, num_words).packed_signs,
        coset_union(m, num_words + 7).packed_signs[:num_words],
    )


@pytest.mark.slow
@given(
    st.integers(1, 5),
    st.integers(1, 6),
    st.integers(0, 10**6),
    st.booleans(),
    st.booleans(),
)
@settings(deadline=None, max_examples=300)
def test_any_union_of_cosets_is_measured_as_all_its_pairs(
    m, count, seed, by_pairs, shuffled
):
    rng = np.random.default_rng(seed)
    n = 1 << m
    representatives = np.packbits(
        rng.integers(0, 2, (count, n), dtype=np.uint8), axis=1
    )
    num_words = 2 * n * (count - 1) + int(
        rng.integers(2 if count == 1 else 1, 2 * n + 1)
    )
    placement = union(m, representatives, np.arange(num_words))
    if shuffled:
        placement = placement.permuted(rng.permutation(num_words))
    with pytest.MonkeyPatch.context() as patch:
        if by_pairs:
            patch.setattr(cosets, "MOST_SUM_BITS", -1)
        value, method = measured(placement)
    assert "cosets" in method
    assert value == largest_of_all_pairs(placement)


def union(m, representatives, numbers):
    return Placement("", CosetUnion.of(representatives, m, numbers))


@pytest.mark.parametrize("numbers", [[0, 5, 40, 70], range(26, 96), [3, 3], [4, 9]])
def test_chosen_words_of_a_union_are_measured_pair_by_pair(numbers):
    placement = union(4, quadratic_forms(4, 1 + max(numbers) // 32), np.array(numbers))
    value, method = measured(placement)
    assert method == "all pairs, in integers"
    assert value == largest_of_all_pairs(placement)


@pytest.mark.parametrize("num_classes", [2, 3, 32, 33, 63, 64, 65, 100, 200, 256])
def test_a_part_of_a_code_is_measured_exactly(num_classes):
    placement = Placement("", coset_union(4, num_classes))
    assert measured(placement)[0] == largest_of_all_pairs(placement)


def test_both_ways_of_measuring_cosets_agree_on_many(monkeypatch):
    placement = Placement("", coset_union(6, 60_000))
    by_sums = measured(placement)
    monkeypatch.setattr(cosets, "MOST_SUM_BITS", -1)
    assert (
        measured(placement)
        == by_sums
        == (Fraction(1, 4), "all pairs of cosets of RM(1, m), in integers")
    )


def test_gold_codes_are_linear_and_the_cosets_say_the_same(monkeypatch):
    linear = ps.construct("gold", num_classes=1500, dim=32)
    assert isinstance(linear.placement.structure, LinearWords)
    monkeypatch.setattr(
        import_module("protosphere.constructions.block_codes.gold"), "STRUCTURE_BITS", 5
    )
    cosets_of_it = ps.construct("gold", num_classes=1500, dim=32)
    assert isinstance(cosets_of_it.placement.structure, CosetUnion)
    assert np.array_equal(linear.signs, cosets_of_it.signs)
    assert linear.max_cosine == cosets_of_it.max_cosine


def test_the_24_cell_is_a_kerdock_code_with_its_axes():
    points = ps.construct("kerdock", num_classes=24, dim=4).points
    assert sorted(np.unique((points @ points.T).round(12))) == [-1, -0.5, 0, 0.5, 1]


def saved(tmp_path):
    code = ps.construct("kerdock", num_classes=150, dim=16, mapping="random", seed=4)
    code.save(tmp_path / "k.safetensors")
    return code, tmp_path / "k.safetensors"


def test_the_cosets_survive_a_file(tmp_path):
    code, path = saved(tmp_path)
    back = ps.load(path)
    assert back.placement.structure.m == 4
    assert np.array_equal(
        back.placement.structure.numbers, code.placement.structure.numbers
    )
    assert np.array_equal(
        back.placement.structure.representatives, quadratic_forms(4, 5)
    )
    assert ps.certify(back) == code.certificate


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (
            lambda a: a["signs"].__ixor__(np.uint8(1)),
            ps.CertificateError,
            "not the ones their cosets",
        ),
        (
            lambda a: a["numbers"].__iadd__(1000),
            ps.StorageError,
            "'numbers' should be from 0 to 159",
        ),
        (
            lambda a: a["numbers"].__imul__(-1),
            ps.StorageError,
            "'numbers' should be from 0 to 159",
        ),
        (
            lambda a: a.update(representatives=a["representatives"][:2]),
            ps.StorageError,
            "'numbers' should be from 0",
        ),
        (
            lambda a: a.update(numbers=a["numbers"][:9]),
            ps.StorageError,
            "'numbers' should be",
        ),
        (lambda a: a.pop("numbers"), ps.StorageError, "'numbers' is missing"),
        (
            lambda a: a.update(points=np.tile(np.eye(16), (10, 1))[:150]),
            ps.StorageError,
            "'signs' is missing",
        ),
    ],
)
def test_a_file_that_lies_about_its_cosets_is_refused(tmp_path, change, error, words):
    _, path = saved(tmp_path)
    arrays, description = storage.read(path)
    change(arrays)
    if "points" in arrays:
        arrays.pop("signs")
    storage.write(path, arrays, description)
    with pytest.raises(error, match=words):
        ps.certify(path)
