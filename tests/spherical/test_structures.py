"""Every structure answers what the bare points say, in any order, in part, padded, and after a file."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.contracts.test_every_construction import ROWS

import protosphere as ps
from protosphere.coding.linear import encode, pack
from protosphere.coding.quadratic_forms import quadratic_forms
from protosphere.coding.shortened_cosets import ShortenedCosets
from protosphere.geometry.sphere import uniform_points
from protosphere.nn.projections.choose import PROJECTIONS
from protosphere.spherical.part_names import PartNames
from protosphere.spherical.structures import (
    CosetUnion,
    GluedWords,
    LinearWords,
    OrthogonalSimplices,
    Plain,
    ProductPoints,
    QuantizedPoints,
    ShortenedWords,
    SignWords,
    lattice,
    with_axes,
)
from protosphere.spherical.structures.structure import (
    STRUCTURES,
    Content,
    read_structure,
    structure,
)
from protosphere.types import UpperBound, ignore

RNG = np.random.default_rng(7)


def linear_words(bits=5, replace=False):
    generator = pack(RNG.integers(0, 2, (bits, 11)))
    messages = RNG.choice(1 << bits, 20, replace=replace)
    return LinearWords(11, encode(generator, messages), generator, messages)


def chain_header(count=90):
    return ShortenedWords.of(ShortenedCosets(4, 1, 1), count).permuted(
        RNG.permutation(count)
    )


def product(values=None, shares=(Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))):
    parts = (
        OrthogonalSimplices(np.array([4]), np.arange(4), 3),
        Plain(np.vstack([np.eye(3), -np.eye(3)]), Fraction(1)),
        SignWords(5, pack(RNG.permutation(32)[:6, None] >> np.arange(5) & 1)),
    )
    names = PartNames(("a", "b", "c"), (tuple("wxyz"), tuple("pqrst"), tuple("ij")))
    return ProductPoints(parts, (4, 5, 2), shares, values, 13, names=names)


def coset_words_and_axes():
    words = CosetUnion.of(quadratic_forms(4, 3), 4, RNG.permutation(96)[:70])
    return with_axes(words, 32).permuted(RNG.permutation(102)[:90])


def quantized():
    parts = (0.3 * uniform_points(6, 3, RNG), 0.2 * uniform_points(5, 2, RNG))
    own = np.stack(np.unravel_index(RNG.permutation(30)[:25], (6, 5)), axis=1)
    values = np.hstack([own, RNG.integers(0, 4, (25, 2))]).astype(np.uint8)
    return QuantizedPoints(parts, RNG.standard_normal((2, 4, 6)), values, 13)


SOME = np.stack(np.unravel_index(RNG.permutation(40)[:25], (4, 5, 2)), axis=1)

CASES = {
    "plain": Plain(uniform_points(30, 5, RNG)),
    "plain, on a grid": ps.construct("simplex", num_classes=7, dim=6).placement.structure,
    "signs": SignWords(13, pack(RNG.integers(0, 2, (40, 13)))),
    "linear": linear_words(),
    "linear, fewer than half": linear_words(7),
    "linear, some twice": linear_words(5, replace=True),
    "linear, few of many": linear_words(25),
    "cosets": CosetUnion.of(quadratic_forms(4, 3), 4, RNG.permutation(96)[:70]),
    "cosets, whole": CosetUnion.of(quadratic_forms(4, 3), 4, RNG.permutation(80)),
    "shortened": chain_header(),
    "glued": GluedWords(chain_header(), 0.8, ps.construct("simplex", num_classes=6, dim=5).points, 16),
    "glued, zeros": GluedWords(linear_words(), 1.0, np.zeros((1, 4)), 1 << 62),
    "simplices": OrthogonalSimplices(np.array([4, 4, 3]), RNG.permutation(11)[:9], 10),
    "lattice": ps.construct("e8_shell", num_classes=200, dim=8).placement.structure,
    "lattice, several lengths": ps.construct("lattice_shell", num_classes=150, dim=10).placement.structure,
    "product": product(),
    "product, some combinations": product(SOME.astype(np.uint8)),
    "product, all in another order": product().permuted(RNG.permutation(40)),
    "product, not exact": product(SOME.astype(np.uint8), (0.5, 0.3, 0.2)),
    "quantized": quantized(),
    "words_and_axes": coset_words_and_axes(),
    "words_and_axes, zeros": with_axes(SignWords(16, pack(RNG.integers(0, 2, (40, 16)))), 5).padded(19),
}  # fmt: skip


def structures_of_constructions():
    """Points of the structures without a case above, as the constructions of the contract test make them."""
    found = {}
    without_case = set(STRUCTURES) - {points.name for points in CASES.values()}
    for scheme, num_classes, dim, options, _ in ROWS if without_case else ():
        code = ps.construct(scheme, num_classes=num_classes, dim=dim, **options)
        points = code.placement.structure
        if points.name in without_case:
            found[points.name] = points
    return found


CASES |= structures_of_constructions()
EVERY = pytest.mark.parametrize("case", CASES)


def rows_of(points):
    return points.unit_rows(0, points.count)


def cosines(rows):
    return (rows @ rows.T)[np.triu_indices(len(rows), 1)]


def read_again(points, **changes):
    header = json.loads(json.dumps(points.header()))
    content = Content(points.arrays(), header | changes, points.count, points.dim)
    return read_structure(points.name, content)


@EVERY
def test_arrays_that_follow_from_others_may_be_left_out_where_that_is_agreed(case):
    points = CASES[case]
    carried = {
        name: array
        for name, array in points.arrays().items()
        if name not in points.derived
    }
    content = Content(
        carried,
        json.loads(json.dumps(points.header())),
        points.count,
        points.dim,
        complete=False,
    )
    assert np.array_equal(
        rows_of(read_structure(points.name, content)), rows_of(points)
    )
    if points.derived:
        with pytest.raises(ps.InvalidArgumentError, match="is missing"):
            read_structure(points.name, replace(content, complete=True))


def test_every_structure_has_a_row_and_stands_in_the_description_of_files():
    assert {case.split(",")[0] for case in CASES} == set(STRUCTURES)
    page = (Path(__file__).parents[2] / "docs" / "files.md").read_text()
    names = {
        name
        for points in CASES.values()
        for name in (points.name, *points.arrays(), *points.header())
    }
    assert {name for name in names if f"`{name}`" not in page} == set()


@EVERY
def test_points_are_unit_vectors_and_come_in_slices(case):
    points = CASES[case]
    rows = rows_of(points)
    assert rows.shape == (points.count, points.dim)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-14)
    assert np.array_equal(points.unit_rows(3, 8), rows[3:8])
    assert points.points is None or np.array_equal(points.points, rows)
    if points.packed_signs is not None:
        assert np.array_equal(
            np.unpackbits(points.packed_signs, axis=1, count=points.dim) > 0, rows > 0
        )


@EVERY
def test_the_largest_cosine_is_that_of_all_pairs(case):
    points = CASES[case]
    points.check()
    largest, method = points.largest_cosine(ignore)
    assert float(largest) == pytest.approx(cosines(rows_of(points)).max(), abs=1e-13)
    exact = points.cosine_step is not None or "several lengths" in case
    assert isinstance(largest, Fraction) == exact
    assert method


@EVERY
def test_many_points_are_bounded_by_what_the_structure_knows(case, monkeypatch):
    for name in ("shortened", "lattice", "product"):
        monkeypatch.setattr(
            f"protosphere.spherical.structures.{name}.ALL_PAIRS_POINTS", 10
        )
    points = CASES[case]
    points.check()
    assert (
        float(points.largest_cosine(ignore)[0])
        >= cosines(rows_of(points)).max() - 1e-13
    )


@EVERY
def test_the_spectrum_counts_every_pair(case):
    points = CASES[case]
    spectrum = points.spectrum(ignore)
    assert (spectrum is None) == (points.cosine_step is None)
    if spectrum is not None:
        counted = Counter(cosines(rows_of(points)).round(9).tolist())
        assert {
            round(float(cosine), 9): pairs for cosine, pairs in spectrum.items()
        } == counted


@EVERY
def test_a_permutation_and_the_first_points(case):
    points = CASES[case]
    for order in (RNG.permutation(points.count), np.arange(5), np.array([4, 2])):
        taken = points.permuted(order)
        assert np.array_equal(rows_of(taken), rows_of(points)[order])
        taken.check()
        assert float(taken.largest_cosine(ignore)[0]) == pytest.approx(
            cosines(rows_of(taken)).max(), abs=1e-13
        )
        assert np.array_equal(rows_of(read_again(taken)), rows_of(taken))


@EVERY
def test_zeros_appended_change_no_cosine(case, monkeypatch):
    points = CASES[case]
    for few in (20_000, 10):
        monkeypatch.setattr(
            "protosphere.spherical.structures.sign_words.ALL_PAIRS_POINTS", few
        )
        longer = points.padded(points.dim + 3)
        assert np.array_equal(
            rows_of(longer), np.pad(rows_of(points), ((0, 0), (0, 3)))
        )
        assert float(longer.largest_cosine(ignore)[0]) == pytest.approx(
            float(points.largest_cosine(ignore)[0]), abs=1e-14
        )


@EVERY
def test_a_file_brings_back_the_same_structure(case):
    points = CASES[case]
    back = read_again(points)
    assert type(back) is type(points)
    assert np.array_equal(rows_of(back), rows_of(points))
    read = back.largest_cosine(ignore)[0]
    made = points.largest_cosine(ignore)[0]
    assert read == made or (
        isinstance(read, float) and read == pytest.approx(float(made), abs=1e-14)
    )
    assert {name: array.tolist() for name, array in back.point_arrays().items()} == {
        name: array.tolist() for name, array in points.point_arrays().items()
    }


@EVERY
def test_sign_rows_are_the_points(case):
    points = CASES[case]
    rows = points.sign_rows()
    assert set(points.projections) <= set(PROJECTIONS)
    if rows is not None:
        signs = 2.0 * np.unpackbits(rows.words, axis=1, count=rows.length) - 1
        again = np.hstack([rows.coefficient * signs, rows.glue_vectors[rows.glue_of]])
        np.testing.assert_allclose(again, rows_of(points)[rows.classes], atol=1e-14)
    assert (
        (rows is not None)
        or "hadamard" not in points.projections
        or points.points is not None
    )


@pytest.mark.parametrize(
    "case", ["linear", "cosets", "shortened", "glued", "words_and_axes"]
)
def test_words_that_are_not_what_is_said_are_found_out(case):
    points = CASES[case]
    inner = case in ("glued", "words_and_axes")
    words = points.codewords if inner else points
    signs = words.packed_signs.copy()
    signs[1, 0] ^= 128
    changed = replace(words, held=signs)
    with pytest.raises(ps.CertificateError, match="the words are not the ones their"):
        (replace(points, codewords=changed) if inner else changed).check()


def test_axes_that_occur_twice_or_stand_alone_have_their_cosines():
    words = SignWords(16, pack(RNG.integers(0, 2, (9, 16))))
    points = with_axes(words, 6)
    twice = points.permuted(np.array([3, 10, 10, 1]))
    assert twice.largest_cosine(ignore)[0] == 1
    assert points.permuted(np.array([9, 10])).largest_cosine(ignore)[0] == -1
    assert points.permuted(np.array([9, 11])).largest_cosine(ignore)[0] == 0
    columns = np.ones((1, 16), dtype=np.uint8)
    apart = with_axes(SignWords(16, pack(columns)), 2).permuted(np.array([0, 2]))
    assert apart.largest_cosine(ignore)[0] == Fraction(-1, 4)


@pytest.mark.parametrize(
    ("of_words", "expected"),
    [
        (UpperBound(0.5), UpperBound(0.5)),
        (UpperBound(0.25), Fraction(1, 4)),
        (Fraction(1, 2), Fraction(1, 2)),
    ],
)
def test_an_upper_bound_for_words_is_no_exact_cosine_of_words_and_axes(
    monkeypatch, of_words, expected
):
    points = with_axes(SignWords(16, pack(RNG.integers(0, 2, (40, 16)))), 32)
    monkeypatch.setattr(SignWords, "largest_cosine", lambda *_: (of_words, "a bound"))
    found, _ = points.largest_cosine(ignore)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    "changes", [{"zeros": 1}, {"zeros": -1}, {"zeros": 16}, {"codewords": "plain"}]
)
def test_words_and_axes_that_do_not_fit_are_refused(changes):
    with pytest.raises(ps.InvalidArgumentError):
        read_again(CASES["words_and_axes"], **changes)


def test_a_lattice_with_shorter_vectors_than_it_says_is_found_out(monkeypatch):
    monkeypatch.setattr(lattice, "ALL_PAIRS_POINTS", 10)
    points = CASES["lattice"]
    finer = replace(
        points, lattice=replace(points.lattice, basis=points.lattice.basis / 2)
    )
    assert finer.by_lattice, "the points are still vectors of it"
    with pytest.raises(ps.CertificateError, match="no vectors shorter"):
        finer.check()


def test_a_second_structure_of_a_name_is_refused():
    with pytest.raises(ps.InvalidArgumentError, match="'plain' is registered already"):
        structure("plain")(SignWords)
    assert SignWords.name == "signs"


@pytest.mark.parametrize("case", ["linear", "cosets", "cosets, whole", "shortened"])
def test_words_that_are_not_held_are_those_that_are(case):
    held = CASES[case]
    encoded = replace(held, held=None)
    assert encoded.count == held.count
    assert np.array_equal(rows_of(encoded), rows_of(held))
    assert np.array_equal(encoded.packed_rows(3, 8), held.packed_rows(3, 8))
    assert encoded.largest_cosine(ignore)[0] == held.largest_cosine(ignore)[0]
    order = np.arange(held.count)[::-2]
    assert np.array_equal(rows_of(encoded.permuted(order)), rows_of(held)[order])
    encoded.check()
    assert "signs" not in encoded.arrays()


@pytest.mark.parametrize(
    ("scheme", "dim"), [("bch", 63), ("gold", 32), ("kerdock", 16)]
)
def test_many_words_are_encoded_on_demand_and_left_out_of_the_file(
    scheme, dim, tmp_path, monkeypatch
):
    held = ps.construct(scheme, num_classes=200, dim=dim)
    for module in ("sign_words", "structure"):
        limit = f"protosphere.spherical.structures.{module}.LARGEST_HELD_BYTES"
        monkeypatch.setattr(limit, 100)
    code = ps.construct(scheme, num_classes=200, dim=dim)
    assert code.placement.structure.held is None
    assert np.array_equal(code.points, held.points)
    assert np.array_equal(code.signs, held.signs)
    assert code.max_cosine == held.max_cosine
    code.save(tmp_path / "code.safetensors")
    again = ps.load(tmp_path / "code.safetensors")
    assert again.placement.structure.held is None
    assert np.array_equal(again.points, held.points)
