"""The stand-alone verifier accepts every code file that protosphere writes, and no file that states something false."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import eval_gegenbauer
from tests.fuzz.forgeries import forged_files, forged_proofs, write_json
from tests.nn.product_codes import quantized_code
from tests.spherical.test_quantized_points import canceling, exact_rows
from tests.spherical.test_structures import CASES

import protosphere as ps
from protosphere import verify
from protosphere.bounds.coxeter_boroczky import simplex_bound
from protosphere.bounds.proved_optimum import PROVED_OPTIMA
from protosphere.spherical.certificate import certified
from protosphere.spherical.io import container
from protosphere.spherical.placement import Placement
from protosphere.spherical.spherical_code import SphericalCode
from protosphere.spherical.structures import ProductPoints
from protosphere.types import ignore

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*/code-*.safetensors"))
SCRIPT = Path(verify.__file__)
FRACTIONS = st.fractions(min_value=-1, max_value=1, max_denominator=50)


def run_script(*arguments):
    """The exit code and the JSON of the script, in an interpreter without any package."""
    command = [sys.executable, "-I", "-S", str(SCRIPT), *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, json.loads(done.stdout)


def saved(code, folder, name="code.safetensors"):
    code.save(folder / name)
    return folder / name


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Small files of several structures and theorems."""
    folder = tmp_path_factory.mktemp("sources")
    requests = [
        ("bch", 40, 31),
        ("reed_muller", 40, 16),
        ("simplex", 9, 12),
        ("uniform", 30, 6),
        ("e8_shell", 60, 8),
        ("orthogonal_simplices", 12, 9),
        ("gold", 50, 32),
    ]
    files = [
        saved(
            ps.construct(scheme, num_classes=K, dim=n), folder, f"{scheme}.safetensors"
        )
        for scheme, K, n in requests
    ]
    signs = np.where(np.random.default_rng(3).random((40, 21)) < 0.5, -1.0, 1.0)
    own = ps.from_points(signs / math.sqrt(21))
    return [*files, saved(own, folder, "signs.safetensors")]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_files_of_every_scheme_are_accepted(path):
    verdict = verify.verify(path)
    assert verdict.accepted, verdict.reason


@pytest.mark.parametrize("few", [0, 2000])
@pytest.mark.parametrize("case", CASES)
def test_interval_has_the_cosine_of_all_pairs_for_every_known_structure(case, few, tmp_path, monkeypatch):  # fmt: skip
    monkeypatch.setattr(verify, "FEW_WORDS", few)
    structure = CASES[case]
    placement = Placement("points", structure)
    code = SphericalCode(placement, certified(placement, None), None)
    verdict = verify.verify(saved(code, tmp_path))
    assert verdict.accepted, verdict.reason
    rows = structure.unit_rows(0, structure.count)
    measured = (rows @ rows.T)[np.triu_indices(len(rows), 1)].max()
    assert float(Fraction(verdict.numbers["max_cosine_low"])) <= measured + 1e-14
    assert float(Fraction(verdict.numbers["max_cosine_high"])) >= measured - 1e-14


def test_best_codes_of_random_sizes_are_accepted(tmp_path):
    rng = np.random.default_rng(28)
    for _ in range(3):
        K = int(np.exp(rng.uniform(np.log(3), np.log(100))))
        n = int(rng.integers(2, 24))
        code = ps.best(num_classes=K, dim=n, iterations=0)
        verdict = verify.verify(saved(code, tmp_path))
        assert verdict.accepted, (K, n, verdict.reason)


@pytest.mark.parametrize(("K", "n"), [(247, 22), (500, 24)])
def test_points_of_large_bases_are_unit_vectors(K, n, tmp_path):
    code = ps.construct("lattice_shell", num_classes=K, dim=n)
    verdict = verify.verify(saved(code, tmp_path))
    assert verdict.accepted, verdict.reason


def test_forged_files_are_rejected(sources, tmp_path):
    for name, path in forged_files(sources, tmp_path, 64):
        assert not verify.verify(path).accepted, (name, path)


@pytest.mark.parametrize("place", [3, 40, 4000, -1])
def test_a_changed_byte_is_rejected(sources, tmp_path, place):
    content = bytearray(sources[3].read_bytes())
    content[min(place, len(content) - 1)] ^= 4
    path = tmp_path / "changed.safetensors"
    path.write_bytes(content)
    assert not verify.verify(path).accepted


@pytest.mark.parametrize(
    ("structure", "dtype", "reason"),
    [
        ("hexagons", np.uint8, "the structure is unknown"),
        ("signs", np.int8, "a number type that the format does not have"),
    ],
)
def test_structures_and_number_types_of_later_versions_are_named(
    sources, tmp_path, structure, dtype, reason
):
    arrays, header = container.read(sources[0])
    arrays["more"] = np.zeros(3, dtype)
    path = tmp_path / "later.safetensors"
    container.write(path, arrays, header | {"structure": structure})
    verdict = verify.verify(path)
    assert not verdict.accepted
    assert reason in verdict.reason


@pytest.mark.parametrize("length", [0, 4, 8, 100, -1])
def test_a_truncated_file_is_rejected(sources, tmp_path, length):
    path = tmp_path / "short.safetensors"
    path.write_bytes(sources[0].read_bytes()[:length])
    assert not verify.verify(path).accepted


def with_other_bytes(path, target, change):
    """Write a file whose arrays have other bytes than they should, with a digest of those that a reader would find."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    body = change(content[start:])
    metadata = header.pop("__metadata__")
    arrays = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        shape = tuple(entry["shape"])
        arrays[name] = verify.StoredArray(entry["dtype"], shape, body[first:last])
    metadata["digest"] = verify.content_digest(arrays, metadata["description"])
    text = json.dumps(header | {"__metadata__": metadata}).encode()
    target.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return target


@pytest.mark.parametrize(
    "change",
    [lambda body: body[:-1], lambda body: body[:-40], lambda body: body + b"0"],
)
def test_bytes_that_are_missing_or_too_many_are_rejected(sources, tmp_path, change):
    signs = sources[
        -1
    ]  # words without any other array: a short last one is still a word
    same = with_other_bytes(signs, tmp_path / "same.safetensors", bytes)
    assert verify.verify(same).accepted
    other = with_other_bytes(signs, tmp_path / "other.safetensors", change)
    verdict = verify.verify(other)
    assert not verdict.accepted
    assert "bytes" in verdict.reason


def all_values(dtype):
    """Every pair of four values and three values."""
    return np.stack(np.unravel_index(np.arange(12), (4, 3)), axis=1).astype(dtype)


def forged_values():
    """A table of classes that is right, and some with a value twice, a value between two others, or a class twice."""
    negative = all_values(np.int64)
    negative[0, 0] = -1  # which Python reads as 3
    between = all_values(np.float64)
    between[0, 0] = 0.5
    longer = np.vstack([all_values(np.uint8), all_values(np.uint8)[:1]])
    return [
        (all_values(np.uint8), True),
        (negative, False),
        (between, False),
        (longer, False),
        (all_values(np.uint8).reshape(1, 2, 12), False),
    ]


@pytest.mark.parametrize(("values", "accepted"), forged_values())
def test_values_of_classes_are_numbers_of_points(values, accepted, tmp_path):
    code = ps.construct("composed", num_classes=12, dim=6, table="4 x 3")
    path = saved(code, tmp_path)
    arrays, description = container.read(path)
    container.write(path, arrays | {"values": values}, description)
    assert verify.verify(path).accepted == accepted


def a_point_twice(arrays, _):
    arrays["part0_points"][1] = arrays["part0_points"][0]
    arrays["values"][[3, 8], 1:] = arrays["values"][3, 1:]
    arrays["values"][[3, 8], 0] = 0, 1


def a_class_twice(arrays, _):
    arrays["values"][3] = arrays["values"][8]


def a_class_twice_with_other_codewords(arrays, _):
    values = arrays["values"]
    values[3, :2] = values[8, :2]
    values[3, 2:] = (values[8, 2:] + 1) % 6


def lower(name):
    def lowered(_, description):
        certificate = description["certificate"]
        certificate[name] = certificate["max_cosine"] - 1e-12

    return lowered


def scaled(name, factor):
    def changed(arrays, _):
        arrays[name] *= factor

    return changed


QUANTIZED_FORGERIES = {
    "a cosine that is too low": lower("max_cosine"),
    "a guarantee that is too low": lower("guarantee"),
    "a point twice": a_point_twice,
    "a class twice": a_class_twice,
    "a class twice, with other codewords": a_class_twice_with_other_codewords,
    "a value that no part has": lambda arrays, _: arrays["values"].fill(200),
    "values that are missing": lambda arrays, _: arrays.pop("values"),
    "a value that is moved": scaled("part0_points", 1 + 1e-9),
    "a value that is too long": scaled("part0_points", 3),
    "codewords that are too short": scaled("codewords", 1e-6),
    "another number of parts": lambda _, header: header.update(num_parts=1),
    "another number of codebooks": lambda _, header: header.update(num_codebooks=2),
    "fewer dimensions": lambda _, header: header["certificate"].update(dim=8),
}


@pytest.mark.parametrize("name", QUANTIZED_FORGERIES)
def test_forged_files_of_quantized_points_are_rejected(name, tmp_path):
    path = saved(quantized_code(codebooks=(3, 6, 4)), tmp_path)
    assert verify.verify(path).accepted
    arrays, description = container.read(path)
    arrays = {key: array.copy() for key, array in arrays.items()}
    QUANTIZED_FORGERIES[name](arrays, description)
    container.write(path, arrays, description)
    assert not verify.verify(path).accepted


def test_codewords_that_cancel_are_rejected(tmp_path):
    code, points = canceling(1e3)
    path = saved(code, tmp_path)
    _, description = container.read(path)
    description["certificate"]["max_cosine"] = points.largest_cosine(ignore)[0]
    container.write(path, points.arrays(), description)
    verdict = verify.verify(path)
    assert not verdict.accepted
    assert "cancel" in verdict.reason


@pytest.mark.parametrize("seed", range(4))
def test_quantized_points_that_are_verified_are_those_of_exact_arithmetic(seed):
    structure = quantized_code(codebooks=(3, 6, 4), seed=seed).placement.structure
    parts, codebooks = (
        [[[round(x * verify.FINE) for x in row] for row in table] for table in tables]
        for tables in (
            [part.tolist() for part in structure.parts],
            structure.codebooks.tolist(),
        )
    )
    for own, exact in zip(
        structure.values.tolist(), exact_rows(structure), strict=True
    ):
        row = verify.quantized_row(parts, codebooks, own)
        for found, coordinate in zip(row, exact, strict=True):
            assert abs(found - coordinate * verify.ONE) <= Decimal("0.50001")


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("guarantee", "499999999999999999/1000000000000000000"),
        ("converse", "500000000000000001/1000000000000000000"),
        ("converse", 0.5 - 1e-13),
        ("max_cosine", "500000000000000001/1000000000000000000"),
    ],
)
def test_what_is_stated_of_an_exact_cosine_is_compared_exactly(name, stated, tmp_path):
    path = saved(ps.construct("e8_shell", num_classes=240, dim=8), tmp_path)
    arrays, description = container.read(path)
    assert verify.verify(path).accepted
    description["certificate"][name] = stated
    container.write(path, arrays, description)
    assert not verify.verify(path).accepted


@pytest.mark.parametrize(("n", "K"), [(4, 300), (8, 900_000)])
def test_simplex_bounds_are_compared_to_eleven_digits(n, K, tmp_path):
    path = saved(ps.construct("uniform", num_classes=30, dim=n), tmp_path)
    code = verify.read_code(path, math.inf)
    bound = float(ps.bounds.coxeter_boroczky(K, n))
    certificate = {"converse": bound, "theorem": "coxeter_boroczky"}
    many = replace(code, count=K, certificate=certificate)
    found = verify.MaxCosine(Fraction(1), Fraction(1), "points")
    proved = verify.stated_converse(many, found).value
    assert bound - 1e-10 < proved < bound
    forged = replace(many, certificate=certificate | {"converse": bound + 1e-10})
    with pytest.raises(verify.VerificationError, match="not that of the theorem"):
        verify.stated_converse(forged, found)


def test_points_on_a_line_are_accepted(tmp_path):
    path = saved(ps.from_points([[1.0], [-1.0], [1.0]]), tmp_path)
    verdict = verify.verify(path)
    assert verdict.accepted, verdict.reason
    assert verdict.numbers["optimal"]


@pytest.mark.parametrize("theorem", ["nobody", "Robinson", "levenshtein"])
def test_a_theorem_that_says_nothing_of_two_points_is_rejected(theorem, tmp_path):
    path = saved(ps.construct("simplex", num_classes=2, dim=30), tmp_path)
    assert verify.verify(path).accepted
    arrays, description = container.read(path)
    description["certificate"]["theorem"] = theorem
    container.write(path, arrays, description)
    assert not verify.verify(path).accepted


def test_error_of_the_norms_covers_the_points_of_parts(tmp_path):
    points = ps.construct("uniform", num_classes=5, dim=3).placement.structure
    structure = ProductPoints((points, points), (5, 5), (0.3, 0.7), None, 6)
    placement = Placement("points", structure)
    code = SphericalCode(placement, certified(placement, None), None)
    unit = Fraction(verify.verify(saved(code, tmp_path)).numbers["unit_error"])
    for row in points.points.tolist():
        assert abs(sum(Fraction(x) ** 2 for x in row) - 1) <= unit
    assert unit < Fraction(1, 2**44)


def test_files_that_would_take_too_much_memory_are_refused(tmp_path):
    part = {"structure": "signs", "num_points": 10**5, "dim": 1, "size": 10**5}
    few = part | {"num_points": 2, "size": 2}
    words = np.resize(np.array([[0], [128]], dtype=np.uint8), (10**5, 1))
    path = saved(ps.construct("composed", num_classes=4, dim=4, table="2 x 2"), tmp_path)  # fmt: skip
    _, description = container.read(path)
    description["structure"] = "product"
    description["parts"] = [part | {"share": "1/2"}, few | {"share": "1/2"}]
    container.write(path, {"part0_signs": words, "part1_signs": words[:2]}, description)
    verdict = verify.verify(path)
    assert not verdict.accepted
    assert "--no-limit" in verdict.reason


def test_points_that_a_part_does_not_use_take_no_memory(tmp_path):
    part = {"structure": "signs", "num_points": 10**5, "dim": 1, "size": 2}
    words = np.resize(np.array([[0], [128]], dtype=np.uint8), (10**5, 1))
    path = saved(ps.construct("composed", num_classes=4, dim=4, table="2 x 2"), tmp_path)  # fmt: skip
    _, description = container.read(path)
    description["parts"] = [part | {"share": "1/2"}, part | {"share": "1/2"}]
    description["certificate"] |= {"max_cosine": "0", "guarantee": None}
    description["certificate"] |= {"converse": "-1/3", "theorem": "rankin_simplex"}
    container.write(path, {"part0_signs": words, "part1_signs": words}, description)
    verdict = verify.verify(path)
    assert verdict.accepted, verdict.reason


def test_codewords_that_would_take_too_much_memory_are_refused(sources, tmp_path, monkeypatch):  # fmt: skip
    linear = sources[0]
    assert verify.verify(linear).accepted
    monkeypatch.setattr(verify, "MOST_BYTES", 40)
    assert "--no-limit" in verify.verify(linear).reason
    assert verify.verify(linear, limit=math.inf).accepted


def test_proofs_with_long_numbers_are_rejected(tmp_path):
    path = saved(ps.construct("uniform", num_classes=30, dim=6), tmp_path)
    proof = ps.bounds.dual_polynomial(30, 6).to_json()
    long = "0" * 400  # the same numbers; a hundred long ones take minutes
    coefficients = [long + text for text in proof["coefficients"]]
    file = write_json(tmp_path / "proof.json", proof | {"coefficients": coefficients})
    verdict = verify.verify(path, file)
    assert not verdict.accepted
    assert "fraction" in verdict.reason


def test_steps_and_lattices_are_listed_as_assumed(sources):
    lattice = next(path for path in sources if "e8" in path.name)
    assumed = " ".join(verify.verify(lattice).assumed)
    assert "1 - j * 1/4" in assumed
    assert "lattice" in assumed


@pytest.mark.parametrize("theorem", ["\x1b[2J", "x\ncode.safetensors: accepted", "\ud800", "\u202e"])  # fmt: skip
def test_texts_of_a_file_cannot_change_what_a_terminal_shows(theorem, sources, tmp_path, capsys):  # fmt: skip
    arrays, description = container.read(sources[0])
    description["certificate"]["theorem"] = theorem
    container.write(tmp_path / "code.safetensors", arrays, description)
    verify.show(verify.verify(tmp_path / "code.safetensors"))
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 2
    assert all(line.isprintable() for line in shown)


def test_script_runs_without_packages_and_agrees_with_the_command(sources, tmp_path, capsys):  # fmt: skip
    from protosphere.cli import main

    _, forged = next(forged_files(sources[:1], tmp_path, 1))
    for path in (sources[0], sources[4], forged, tmp_path / "missing.safetensors"):
        exit_code, printed = run_script(path)
        with pytest.raises(SystemExit) if exit_code else nullcontext():
            main(["verify", str(path), "--json"])
        assert json.loads(capsys.readouterr().out) == printed
        assert printed["accepted"] == (exit_code == 0)


def foreign_file(folder):
    """A safetensors file that another program wrote."""
    header = json.dumps({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})
    path = folder / "foreign.safetensors"
    size = len(header).to_bytes(8, "little")
    path.write_bytes(size + header.encode() + bytes(4))
    return path


def test_files_that_cannot_be_checked_are_not_rejected(tmp_path):
    uniform = saved(ps.construct("uniform", num_classes=30, dim=6), tmp_path)
    other = ps.bounds.dual_polynomial(31, 6).to_json()
    others_proof = write_json(tmp_path / "other.json", other)
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    no_proof = write_json(tmp_path / "list.json", [1])
    cases = [
        ([tmp_path / "missing.safetensors"], "No such file"),
        ([tmp_path], "cannot read"),
        ([foreign_file(tmp_path)], "not a file that protosphere wrote"),
        ([uniform, "--proof", tmp_path / "missing.json"], "missing.json"),
        ([uniform, "--proof", broken], "broken.json"),
        ([uniform, "--proof", no_proof], "list.json"),
        ([uniform, "--proof", others_proof], "K=31 and n=6"),
    ]
    for arguments, reason in cases:
        exit_code, printed = run_script(*arguments)
        assert exit_code == 2, (arguments, printed)
        assert not printed["accepted"]
        assert not printed["checked"]
        assert reason in printed["reason"]


def test_a_false_proof_is_rejected_and_named(tmp_path):
    path = saved(ps.construct("uniform", num_classes=30, dim=6), tmp_path)
    for forged in forged_proofs(ps.bounds.dual_polynomial(30, 6).to_json()):
        verdict = verify.verify(path, write_json(tmp_path / "forged.json", forged))
        assert verdict.exit_code == 1
        assert "forged.json" in verdict.reason


def test_too_much_work_is_refused_unless_it_is_asked_for(sources):
    verdict = verify.verify(sources[3], limit=10)
    assert verdict.exit_code == 2
    assert "--no-limit" in verdict.reason
    assert verify.verify(sources[3], limit=math.inf).accepted


@pytest.mark.parametrize(
    ("scheme", "K", "n"),
    [("e8_shell", 240, 8), ("cross_polytope", 12, 6)],
)
def test_codes_that_meet_a_sharp_bound_are_proved_optimal(scheme, K, n, tmp_path):
    code = ps.construct(scheme, num_classes=K, dim=n)
    verdict = verify.verify(saved(code, tmp_path))
    assert verdict.numbers["optimal"]
    assert verdict.numbers["converse_proved"]


@pytest.mark.parametrize(("K", "n"), [(30, 6), (24, 4)])
def test_proofs_are_accepted_and_forged_proofs_are_not(K, n, tmp_path):
    path = saved(ps.construct("uniform", num_classes=K, dim=n), tmp_path)
    proof = ps.bounds.dual_polynomial(K, n).to_json()
    verdict = verify.verify(path, write_json(tmp_path / "proof.json", proof))
    assert verdict.accepted, verdict.reason
    assert Fraction(verdict.numbers["converse"]) >= Fraction(proof["cosine"])
    for forged in forged_proofs(proof):
        file = write_json(tmp_path / "forged.json", forged)
        assert not verify.verify(path, file).accepted, forged
    fewer = saved(ps.construct("uniform", num_classes=K - 1, dim=n), tmp_path, "f.safetensors")  # fmt: skip
    assert not verify.verify(fewer, tmp_path / "proof.json").accepted


def test_dual_polynomials_prove_the_bound_of_the_linear_program():
    for K, n in ((24, 4), (40, 5)):
        dual = ps.bounds.dual_polynomial(K, n)
        assert dual.is_valid
        assert float(dual.cosine) == pytest.approx(
            float(ps.bounds.linear_programming(K, n)), abs=1e-6
        )


def test_dual_polynomial_refuses_sizes_out_of_range():
    for K, n in ((10, 8), (100, 2), (10**6, 3)):
        with pytest.raises(ps.InfeasibleError, match="dual polynomial"):
            ps.bounds.dual_polynomial(K, n)


@given(st.integers(3, 40), st.integers(0, 12), FRACTIONS)
@settings(max_examples=40, deadline=None)
def test_gegenbauer_polynomials_are_those_of_scipy(n, degree, t):
    found = float(verify.value_at(verify.gegenbauer(n, degree)[degree], t))
    a = (n - 2) / 2
    wanted = eval_gegenbauer(degree, a, float(t)) / eval_gegenbauer(degree, a, 1.0)
    assert found == pytest.approx(wanted, abs=1e-9)


@given(st.integers(3, 12), st.lists(FRACTIONS, min_size=1, max_size=9))
@settings(max_examples=40, deadline=None)
def test_expansion_inverts_the_sum_of_gegenbauer_polynomials(n, coefficients):
    f = verify.from_expansion(coefficients, n)
    assert verify.expansion(f, n) == coefficients
    assert verify.value_at(f, Fraction(1)) == sum(coefficients)


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=9), FRACTIONS)
@settings(max_examples=150, deadline=None)
def test_sturm_sequences_agree_with_the_roots_of_numpy(coefficients, high):
    f = [Fraction(a) for a in coefficients]
    if f[-1] == 0 or high <= -1:
        return
    roots = np.roots(coefficients[::-1])
    real = roots[abs(roots.imag) < 1e-6].real
    near = real[(real > -1.001) & (real < float(high) + 0.001)]
    inside = real[(real > -1) & (real < float(high))]
    if len(near) != len(inside):
        return  # a root at an end, which floats cannot tell
    negative = verify.value_at(f, Fraction(-1)) < 0 and not len(inside)
    assert verify.is_negative(f, Fraction(-1), high) == negative


@given(st.integers(3, 20), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_levenshtein_polynomials_exclude_points_up_to_his_bound(n, seed):
    K = 2 * n + 1 + seed % (6 * n * n)
    bound = Fraction(float(ps.bounds.levenshtein(K, n))).limit_denominator(10**12)
    step = (1 - bound) / 10**8
    assert verify.levenshtein_excludes(K, n, bound - step)
    assert not verify.levenshtein_excludes(K, n, bound + step)


@given(st.integers(2, 9), st.integers(1, 6), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_lanes_give_the_largest_inner_product(count, width, seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-(2**40), 2**40, (count, width)).tolist()
    rows[0][0] = 1
    wanted = max(
        sum(a * b for a, b in zip(rows[i], rows[j], strict=True))
        for i in range(count)
        for j in range(i)
    )
    assert verify.largest_product(rows) == wanted


@pytest.mark.parametrize("closest_pairs", [100, 0])
@pytest.mark.parametrize("scheme", ["uniform", "optimized"])
def test_first_bits_lead_to_the_closest_pair(scheme, closest_pairs, monkeypatch):
    monkeypatch.setattr(verify, "CLOSEST_PAIRS", closest_pairs)
    options = {"iterations": 200} if scheme == "optimized" else {}
    points = ps.construct(scheme, num_classes=60, dim=7, **options).points
    rows = [[round(x * verify.ONE) for x in row] for row in points.tolist()]
    wanted = max(
        sum(a * b for a, b in zip(rows[i], rows[j], strict=True))
        for i in range(60)
        for j in range(i)
    )
    assert verify.largest_long_product(rows, 7) == wanted


def test_first_bits_do_not_decide_between_nearly_equal_pairs():
    near = 2**40  # less than the first bits can tell
    rows = [[verify.ONE, 0], [0, verify.ONE], [0, -verify.ONE], [near, verify.ONE - 1]]
    assert verify.largest_long_product(rows, 2) == verify.ONE * (verify.ONE - 1)
    rows = [[verify.ONE, 0], [5, verify.ONE], [near, 1 - verify.ONE], [7, -verify.ONE]]
    wanted = 7 * near + verify.ONE * (verify.ONE - 1)
    assert verify.largest_long_product(rows, 2) == wanted


@pytest.mark.parametrize("K", [100, 594, 2999])
def test_polygons_are_accepted(K, tmp_path):
    path = saved(ps.construct("polygon", num_classes=K, dim=2), tmp_path)
    verdict = verify.verify(path)
    assert verdict.accepted, verdict.reason


def test_lanes_are_right_beyond_a_block(monkeypatch):
    monkeypatch.setattr(verify, "BLOCK", 4)
    rows = np.random.default_rng(0).integers(-3, 4, (23, 5))
    products = (rows @ rows.T)[np.triu_indices(23, 1)]
    assert verify.largest_product(rows.tolist()) == products.max()


@pytest.mark.parametrize("K", [3, 7, 100, 10**6])
def test_circle_bound_is_just_below_the_cosine(K):
    assert float(verify.circle_bound(K)) == pytest.approx(math.cos(2 * math.pi / K), abs=1e-15)  # fmt: skip


@pytest.mark.parametrize("n", range(3, 9))
def test_simplex_bound_is_that_of_the_package(n):
    for cosine in (0.3, 0.6, 0.9):
        wanted = simplex_bound(n, 1 - cosine)
        assert verify.simplex_bound_size(n, cosine) == pytest.approx(wanted, rel=1e-12)


def test_cited_theorems_are_those_of_the_bounds():
    rows = {(row.dim, row.num_classes, row.theorem) for row in PROVED_OPTIMA}
    lines = [line.split(" ", 3) for line in verify.CITED.split("\n") if line]
    assert {(int(n), int(K), authors) for n, K, _, authors in lines} == rows
    for row in PROVED_OPTIMA:
        cited = verify.cited_bound(row.num_classes, row.dim, row.theorem)
        exact = row.cosine
        if not isinstance(exact, Fraction):
            exact = exact.bracket[0]
        assert Fraction(row.value) <= cited <= exact
        assert cited - Fraction(row.value) < Fraction(1, 10**14)


def test_a_converse_raised_within_rounding_does_not_make_points_optimal(tmp_path):
    points = ps.best(num_classes=120, dim=4, iterations=0).points
    moved = points + 1.5e-13 * np.random.default_rng(0).standard_normal((120, 4))
    own = ps.from_points(moved, normalize=True)
    arrays, description = container.read(saved(own, tmp_path))
    optimum = (1 + math.sqrt(5)) / 4
    assert own.max_cosine > optimum + 1e-13
    description["certificate"]["converse"] = float(own.max_cosine) + 3e-15
    container.write(tmp_path / "raised.safetensors", arrays, description)
    numbers = verify.verify(tmp_path / "raised.safetensors").numbers
    assert not numbers.get("optimal")
    assert float(Fraction(numbers.get("converse", 0))) <= optimum


def test_a_theorem_is_assumed_where_it_holds_and_rejected_elsewhere(tmp_path):
    path = saved(ps.construct("uniform", num_classes=30, dim=3), tmp_path)
    arrays, description = container.read(path)
    for theorem, value, accepted in (
        ("Robinson", float(PROVED_OPTIMA[8].value), True),
        ("Robinson", float(PROVED_OPTIMA[8].value) + 1e-6, False),
        ("Bachoc-Vallentin", "1/6", True),
        ("Bachoc-Vallentin", "1/5", False),
    ):
        description["certificate"] |= {"theorem": theorem, "converse": value}
        container.write(path, arrays, description)
        verdict = verify.verify(path)
        assert verdict.accepted == accepted, (theorem, value, verdict.reason)
        if accepted:
            assert not verdict.numbers["converse_proved"]
            assert any(theorem in sentence for sentence in verdict.assumed)
