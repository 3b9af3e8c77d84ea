"""Classes with parts: every table gives the same code, whose cosines are means of the parts' cosines."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import protosphere as ps
from protosphere.constructions.build import rebuild
from protosphere.geometry.gram import max_cosine
from protosphere.spherical.statistics import code_statistics

ROWS = {
    "red car": ("red", "car"),
    "red bus": ("red", "bus"),
    "blue car": ("blue", "car"),
    "=green van": ("green", "van"),
}


def names_of(code):
    return code.placement.structure.names


def frame(rows, index=None):
    cells = np.array(rows, dtype=object)
    columns = ["class", "color", "kind"][-cells.shape[1] :]
    index = range(len(cells)) if index is None else index
    return SimpleNamespace(columns=columns, index=index, to_numpy=lambda: cells)


def write_table(path):
    lines = [
        "class,color,kind",
        *(",".join((name, *row)) for name, row in ROWS.items()),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_every_form_of_a_table_gives_the_same_code(tmp_path):
    expected = ps.compose(ROWS)
    forms = {
        "dicts": ps.compose(
            {name: dict(zip("ab", row, strict=True)) for name, row in ROWS.items()}
        ),
        "function": ps.compose(list(ROWS), by=ROWS.__getitem__),
        "file": ps.compose(write_table(tmp_path / "classes.csv")),
        "index": ps.compose(frame(list(ROWS.values()), list(ROWS))),
        "column": ps.compose(frame([(name, *row) for name, row in ROWS.items()])),
    }
    for code in forms.values():
        assert np.array_equal(code.points, expected.points)
        assert names_of(code).classes == tuple(ROWS)
        assert names_of(code).values == (
            ("red", "blue", "green"),
            ("car", "bus", "van"),
        )
    rows = ps.compose(list(ROWS.values()))
    assert np.array_equal(rows.points, expected.points)
    assert names_of(rows).classes is None


TABLES = st.tuples(
    st.lists(st.integers(2, 6), min_size=1, max_size=4),
    st.integers(0, 1000),
    st.integers(3, 60),
)


@given(TABLES, st.lists(st.integers(1, 9), min_size=4, max_size=4))
@settings(max_examples=25, deadline=None)
def test_certificate_is_exact_and_that_of_all_pairs(drawn, weights):
    sizes, seed, count = drawn
    combinations = int(np.prod(sizes))
    numbers = np.random.default_rng(seed).permutation(combinations)[:count]
    rows = np.stack(np.unravel_index(numbers, sizes), axis=1)
    rows = rows[:, [len(set(column)) > 1 for column in rows.T]]
    if len(np.unique(rows, axis=0)) < max(2, len(rows)):
        return
    code = ps.compose(rows.tolist(), weights=weights[: rows.shape[1]])
    assert code.certificate.exact
    assert float(code.max_cosine) == pytest.approx(max_cosine(code.points), abs=1e-12)


@given(st.lists(st.integers(2, 5), min_size=1, max_size=4))
@settings(max_examples=20, deadline=None)
def test_all_combinations_are_in_mixed_radix_order(sizes):
    code = ps.compose(sizes=sizes)
    listed = ps.compose(list(np.ndindex(*sizes)))
    assert np.array_equal(code.points, listed.points)
    assert code.certificate == listed.certificate
    assert listed.placement.structure.values is None


def test_cosine_of_two_classes_is_the_weighted_mean_of_their_parts():
    first = ps.construct("uniform", num_classes=4, dim=3, seed=1)
    second = ps.construct("cross_polytope", num_classes=5, dim=3)
    code = ps.compose(sizes=(4, 5), codes=[first, second], weights=[3, 1], dim=8)
    expected = 0.75 * np.kron(first.points @ first.points.T, np.ones((5, 5)))
    expected += 0.25 * np.kron(np.ones((4, 4)), second.points @ second.points.T)
    np.testing.assert_allclose(code.points @ code.points.T, expected, atol=1e-13)
    assert code.dim == 8


def test_a_trillion_classes_are_certified_sliced_and_counted(tmp_path):
    code = ps.compose(sizes=(1000,) * 4)
    assert code.max_cosine == 1 - Fraction(1, 4) * Fraction(1000, 999)
    last = code.rows(10**12 - 2, 10**12)
    assert last[0] @ last[1] == pytest.approx(float(code.max_cosine))
    assert code_statistics(code, scale=1.0).min_cosine == Fraction(-1, 999)
    code.save(tmp_path / "code.safetensors")
    assert ps.load(tmp_path / "code.safetensors").certificate == code.certificate


def test_part_in_few_dimensions_gives_a_measured_certificate():
    code = ps.compose(sizes=(12, 3), codes=[("uniform", 4), "simplex"])
    assert code.dim == 6
    assert float(code.max_cosine) == pytest.approx(max_cosine(code.points), abs=1e-12)


def test_provenance_rebuilds_points_and_names_bit_for_bit():
    code = ps.compose(ROWS, codes={"part 0": "one_hot"}, weights=[0.1, 0.25], reserve=2)
    again = rebuild(code.provenance)
    assert np.array_equal(again.points, code.points)
    assert again.certificate == code.certificate
    assert names_of(again) == names_of(code)


def test_file_keeps_names_of_parts_values_and_classes(tmp_path):
    code = ps.compose(ROWS)
    code.save(tmp_path / "code.safetensors")
    back = ps.load(tmp_path / "code.safetensors")
    assert names_of(back) == names_of(code)
    assert back.certificate == code.certificate == ps.certify(back)


def test_added_classes_move_no_prototype():
    code = ps.compose(ROWS, reserve=1)
    more = {"blue van": ("blue", "van"), "pink tram": ("pink", "tram")}
    grown = ps.add_classes(code, more)
    assert np.array_equal(grown.points[:4], code.points)
    assert names_of(grown).classes == (*ROWS, *more)
    assert names_of(grown).values[0] == ("red", "blue", "green", "pink")
    assert float(grown.max_cosine) == pytest.approx(max_cosine(grown.points))
    assert np.array_equal(rebuild(grown.provenance).points, grown.points)


def test_classes_are_added_to_all_combinations_by_part_names():
    code = ps.compose(
        [{"a": i, "b": j} for i in range(2) for j in range(3)], reserve={"b": 1}
    )
    grown = ps.add_classes(code, [{"b": "x", "a": 1}])
    row = grown.placement.structure.class_values(6, 7).tolist()
    assert row == [[1, 3]]
    assert np.array_equal(grown.points[:6], code.points)


class RowNumbers(list):
    """An index without names of classes, as rows keep it that are taken from a larger frame."""

    name = None


def test_rows_taken_from_a_larger_frame_keep_the_first_column_as_class_names():
    rows = [["a", "red", "x"], ["b", "red", "y"], ["c", "blue", "x"]]
    code = ps.compose(frame(rows, RowNumbers([4, 7, 9])))
    assert names_of(code).classes == ("a", "b", "c")
    assert names_of(code).parts == ("color", "kind")
    numbers = RowNumbers([4, 7, 9])
    numbers.name = "number"
    named = ps.compose(frame([row[1:] for row in rows], numbers))
    assert names_of(named).classes == ("4", "7", "9")


class Missing:
    """A missing value that, as that of pandas, has no truth value when it is compared."""

    __hash__ = None

    def __ne__(self, other):
        return self

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


def test_file_of_a_spreadsheet_is_read(tmp_path):
    lines = ['\ufeff"class, name",color,shape', '"a, b",red,"x ""q"""', "b,red,y"]
    (tmp_path / "table.csv").write_bytes("\r\n".join([*lines, "c,blue,y"]).encode())
    found = names_of(ps.compose(tmp_path / "table.csv"))
    assert found.parts == ("color", "shape")
    assert found.values == (("red", "blue"), ('x "q"', "y"))
    assert found.classes == ("a, b", "b", "c")


def test_numbers_of_arrays_are_taken():
    rows = [[0, 0], [0, 1], [1, 0]]
    assert ps.compose(torch.tensor(rows)).num_classes == 3
    expected = ps.compose(rows, weights=[1, 2]).points
    assert np.array_equal(ps.compose(rows, weights=np.array([1, 2])).points, expected)
    assert ps.compose(rows, codes=("uniform", np.int64(3))).dim == 6


BAD = {
    "class twice": (lambda: ps.compose(["x", "x"], by=lambda _: ("a", "b")), "'x' twice"),
    "same values": (lambda: ps.compose({"x": (1, 2), "y": (1, 2)}), "'x' and 'y'"),
    "missing part": (lambda: ps.compose({"x": (1, 2), "y": (1,)}), "got 1 for class 'y'"),
    "missing value": (
        lambda: ps.compose({"x": {"a": 1, "b": 1}, "y": {"a": 1}}),
        "value of 'b' for each class, got none for class 'y'",
    ),
    "not a number": (
        lambda: ps.compose({"x": (1, 2), "y": (1, float("nan"))}),
        "got none for class 'y'",
    ),
    "other part": (
        lambda: ps.compose({"x": {"a": 1}, "y": {"a": 2, "c": 1}}),
        "must be a, got 'c' for class 'y'",
    ),
    "dict after tuple": (
        lambda: ps.compose({"x": ("red", "car"), "y": {"color": "blue", "type": "bus"}}),
        "a list of values for every class, got {'color': 'blue', 'type': 'bus'} for class 'y'",
    ),
    "tuple after dict": (
        lambda: ps.compose({"x": {"color": "blue", "type": "bus"}, "y": ("red", "car")}),
        "a dict for every class or a list of values for every class, got ('red', 'car') for class 'y'",
    ),
    "text": (lambda: ps.compose(["ab", "cd"]), "got 'ab' for class number 0"),
    "one value": (lambda: ps.compose({"x": (1, 2), "y": (1, 3)}), "leave the part out"),
    "one class": (lambda: ps.compose({"x": (1, 2)}), "at least 2 classes, got 1"),
    "missing value of a frame": (
        lambda: ps.compose({"x": (1, 2), "y": (1, Missing())}),
        "got none for class 'y'",
    ),
    "several values": (
        lambda: ps.compose(np.zeros((3, 2, 2))),
        "one value of each part for each class",
    ),
    "by": (lambda: ps.compose(["a", "b"], by=5), "'by' must be a function"),
    "names of by": (lambda: ps.compose(7, by=list), "the names of classes"),
    "one size": (lambda: ps.compose(sizes=12), "'sizes' must be a list"),
    "seed": (lambda: ps.compose(ROWS, seed="x"), "'seed' must be an integer"),
    "names only in the code": (
        lambda: ps.add_classes(ps.compose({"a": ("x", "y"), "b": ("z", "w")}), [("x", "w")]),
        "must name the new classes",
    ),
    "sizes to add": (lambda: ps.add_classes(ps.compose(ROWS), "3 x 4"), "got sizes"),
    "no code": (lambda: ps.add_classes(5, ROWS), "must be a code of ps.compose, got 5"),
    "nothing": (ps.compose, "'parts' must be a table"),
    "both": (lambda: ps.compose(ROWS, sizes=(2, 3)), "leave one out"),
    "size": (lambda: ps.compose(sizes=(2, 1)), "integer of at least 2, got 1"),
    "too many": (lambda: ps.compose(sizes=(2**21, 2**21)), "2**40"),
    "control": (lambda: ps.compose({"x\x1b": (1,), "y": (2,)}), "can be printed"),
    "unknown part": (lambda: ps.compose(ROWS, codes={"size": "simplex"}), "got 'size'"),
    "codes": (lambda: ps.compose(ROWS, codes=["simplex"]), "2 parts, got 1"),
    "code": (lambda: ps.compose(ROWS, codes=7), "'codes' must be a scheme"),
    "no dimension": (lambda: ps.compose(ROWS, codes="best"), "('best', 8) does"),
    "too few points": (
        lambda: ps.compose(ROWS, codes=ps.construct("simplex", 2, 2)),
        "each of the 3 values of 'part 0', got 2",
    ),
    "weight": (lambda: ps.compose(ROWS, weights=[1, 0]), "above 0, got 0"),
    "weights": (lambda: ps.compose(ROWS, weights=["a", "b"]), "above 0, got 'a'"),
    "reserve": (lambda: ps.compose(ROWS, reserve=-1), "'reserve' must be an integer"),
    "other code": (
        lambda: ps.add_classes(ps.construct("simplex", 3, 2), ROWS),
        "must be a code of ps.compose",
    ),
    "unseen value": (
        lambda: ps.add_classes(ps.compose(ROWS), {"pink car": ("pink", "car")}),
        "got 'pink', for which no point is reserved",
    ),
    "known class": (
        lambda: ps.add_classes(ps.compose(ROWS), {"red car": ("blue", "van")}),
        "got 'red car', which the code has",
    ),
    "known values": (
        lambda: ps.add_classes(ps.compose(ROWS), {"lorry": ("green", "van")}),
        "'=green van' and 'lorry'",
    ),
    "parts of others": (
        lambda: ps.add_classes(ps.compose(ROWS), [{"a": 1, "b": 2}]),
        "must have the parts part 0, part 1, got a, b",
    ),
    "fewer parts": (
        lambda: ps.add_classes(ps.compose(ROWS), [("red",)]),
        "2 parts of the code, got 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_answered_by_one_sentence(case):
    call, expected = BAD[case]
    with pytest.raises(ps.InvalidArgumentError) as refusal:
        call()
    assert expected in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_too_few_dimensions_are_refused_with_the_number_that_works():
    with pytest.raises(ps.InfeasibleError, match=r"dim >= 65 = 18 \+ 20 \+ 27"):
        ps.compose(sizes=(19, 21, 28), dim=64)


def test_file_that_is_not_a_table_is_refused(tmp_path):
    with pytest.raises(ps.StorageError, match="cannot read"):
        ps.compose(tmp_path / "missing.csv")
    with pytest.raises(ps.StorageError, match="cannot read"):
        ps.compose("null\0byte")
    (tmp_path / "long.csv").write_text(f"class,first\nx,{'a' * 2_000_000}\ny,b\n")
    with pytest.raises(ps.StorageError, match="cannot read"):
        ps.compose(tmp_path / "long.csv")
    (tmp_path / "empty.csv").write_text("class,first,last\nx,a,b\ny,a,\n")
    with pytest.raises(ps.InvalidArgumentError, match=r"value of 'last' .* class 'y'"):
        ps.compose(tmp_path / "empty.csv")
    (tmp_path / "short.csv").write_text("class\nx\n")
    with pytest.raises(ps.InvalidArgumentError, match="must have a heading"):
        ps.compose(tmp_path / "short.csv")


def test_guarantee_next_to_the_measured_cosine_is_not_taken_for_it():
    rows = [
        ("x", "a"),
        ("y", "a"),
        ("z", "b"),
        ("u", "c"),
    ]  # none differ in part 1 only
    table = ps.compose(rows).provenance.options["table"]
    weights = [Fraction(9 * 10**14 + 1, 10**6), Fraction(8 * 10**14, 10**6)]
    code = ps.construct(
        "composed",
        num_classes=4,
        dim=8,
        table=table,
        weights=" ".join(map(str, weights)),
    )
    true = 1 - weights[0] / sum(weights) * Fraction(4, 3)
    low, high = code.certificate.interval
    assert code.certificate.guarantee > true
    assert low <= true <= high
