from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

import protosphere as ps
from protosphere.assignment import MAPPINGS
from protosphere.cli.arguments import Mapping, SchemeOptions, Subset
from protosphere.constructions.block_codes.words import SUBSETS


def test_card_of_an_optimal_code(run):
    answer = run("construct", "reed_muller", "-K", 100, "-n", 64)
    assert answer.exit_code == 0
    for fact in (
        "100 points in 64 dimensions",
        "RM(1,6)",
        "90.0000 degrees",
        "rankin_orthoplex",
        "optimal",
    ):
        assert fact in answer.out


def test_card_shows_the_fraction_beside_the_decimal(run):
    assert "0.015873 (exactly 1/63)" in run("construct", "bch", "-K", 100, "-n", 63).out


def test_card_says_that_a_converse_in_floating_point_is_met_to_within_rounding(run):
    lines = run("construct", "e8_shell", "-K", 240, "-n", 8).out.splitlines()
    (gap,) = (line for line in lines if "gap" in line)
    assert "to within rounding" in gap
    lines = run("construct", "bch", "-K", 100, "-n", 127).out.splitlines()
    assert not any("to within rounding" in line for line in lines)


def test_card_of_a_code_without_guarantee(run):
    out = run("construct", "uniform", "--classes", 10, "--dim", 3).out
    assert "none by theory" in out
    assert "optimal" not in out


def test_json_has_exact_fractions_as_text(run):
    record = run("construct", "bch", "-K", 100, "-n", 63, "--json").json
    assert record["max_cosine_exact"] == "1/63"
    assert record["max_cosine"] == 1 / 63
    assert record["guarantee_exact"] == "1/63"
    assert record["converse_exact"] == "0"
    assert record["theorem"] == "rankin_orthoplex"
    assert record["optimal"] is False
    assert record["options"] == {"modify": False, "subset": "first"}
    assert record["file"] is None


def test_json_of_floats_has_no_exact_value(run):
    record = run("construct", "uniform", "-K", 5, "-n", 3, "--json").json
    assert record["max_cosine_exact"] is None
    assert record["guarantee"] is None


def test_options_reach_the_scheme(run):
    record = run(
        "construct",
        "bch",
        "-K",
        20,
        "-n",
        20,
        "--modify",
        "--subset",
        "greedy",
        "--json",
    ).json
    assert record["options"] == {"modify": True, "subset": "greedy"}
    words = "construct log_sum_exp -K 8 -n 3 --steps 7 --lr 0.5 --momentum 0.5 --dtype float64 --device cpu --json"
    options = {
        "steps": 7,
        "lr": 0.5,
        "momentum": 0.5,
        "dtype": "float64",
        "device": "cpu",
    }
    assert run(*words.split()).json["options"] == options
    assert run(
        "construct", "reed_solomon", "-K", 20, "-n", 16, "--q", 5, "--json"
    ).json["options"] == {"q": 5}


def test_every_option_of_every_scheme_can_be_given():
    fields = SchemeOptions.__dataclass_fields__
    assert {
        option for name in ps.available() for option in ps.describe(name).options
    } <= set(fields)


def test_choices_are_the_library_s():
    assert get_args(Subset) == SUBSETS
    assert get_args(Mapping) == MAPPINGS


def test_seed_and_mapping_decide_the_points(run, tmp_path):
    def points(*words: object):
        run("construct", "simplex", "-K", 6, "-n", 5, *words, "-o", tmp_path / "a.npy")
        return np.load(tmp_path / "a.npy")

    assert not np.array_equal(points(), points("--mapping", "random"))
    assert np.array_equal(
        points("--mapping", "random", "--seed", 3),
        points("--mapping", "random", "--seed", 3),
    )
    assert not np.array_equal(
        points("--mapping", "random", "--seed", 3),
        points("--mapping", "random", "--seed", 4),
    )


@pytest.mark.parametrize("scheme", ["bch", "simplex"])
@pytest.mark.parametrize("ending", [".npy", ".csv", ".safetensors"])
def test_written_file_holds_the_points(run, tmp_path, scheme, ending):
    file = tmp_path / f"code{ending}"
    answer = run("construct", scheme, "-K", 8, "-n", 7, "-o", file)
    assert answer.exit_code == 0
    assert file.name in "".join(answer.out.split())
    code = ps.construct(scheme, num_classes=8, dim=7)
    readers = {".npy": np.load, ".csv": lambda path: np.loadtxt(path, delimiter=",")}
    read = readers.get(ending, lambda path: ps.load(path).points)(file)
    np.testing.assert_array_equal(read, code.points)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_infeasible_request_names_what_works(run):
    answer = run("construct", "bch", "-K", 100, "-n", 64)
    assert answer.exit_code == 2
    assert "nearest: 63, 127" in answer.err


def test_foreign_option_is_refused(run):
    answer = run("construct", "simplex", "-K", 3, "-n", 2, "--q", 5)
    assert answer.exit_code == 2
    assert "'simplex' has no option 'q'" in answer.err


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("code.docx", "must end in"),
        ("absent/code.npy", "no such folder"),
        ("folder.csv", "it is a folder"),
    ],
)
def test_bad_output_is_refused_before_the_work(
    run, tmp_path, monkeypatch, name, reason
):
    (tmp_path / "folder.csv").mkdir()
    monkeypatch.setattr(ps, "construct", lambda *_, **__: pytest.fail("began to work"))
    answer = run("construct", "simplex", "-K", 3, "-n", 2, "-o", tmp_path / name)
    assert answer.exit_code == 2
    assert reason in answer.err


def test_disk_trouble_is_one_sentence_and_leaves_nothing(run, tmp_path, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savetxt", full)
    answer = run("construct", "simplex", "-K", 3, "-n", 2, "-o", tmp_path / "a.csv")
    assert answer.exit_code == 2
    assert "No space left on device" in answer.err
    assert list(tmp_path.iterdir()) == []
