"""Exact is said only where the numbers that were given prove it; else an interval holds the true largest cosine."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import isqrt

import numpy as np
import pytest
import torch

import protosphere as ps
from protosphere.geometry.gram import largest_inner_product, sign_rows

HALF_TYPES = [
    torch.float16,
    torch.bfloat16,
    torch.float8_e4m3fn,
    torch.float8_e5m2,
    torch.float32,
    torch.float64,
]
DIGITS = 10**40


def true_cosine(first, second):
    """The cosine of two rows of exact numbers: two fractions that it is between, the same one twice if it is one."""
    product = sum(map(Fraction.__mul__, first, second))
    squared = product**2 / (sum(x * x for x in first) * sum(x * x for x in second))
    root = Fraction(isqrt(squared.numerator), isqrt(squared.denominator))
    if root**2 == squared:
        low = high = root
    else:
        low = Fraction(
            isqrt(squared.numerator * DIGITS**2 // squared.denominator), DIGITS
        )
        high = low + Fraction(1, DIGITS)
    return (low, high) if product >= 0 else (-high, -low)


def true_largest(rows):
    """The interval that holds the largest cosine of rows of floats, by brute force over fractions."""
    exact = [[Fraction(float(x)) for x in row] for row in rows]
    pairs = [true_cosine(first, second) for first, second in combinations(exact, 2)]
    return max(low for low, _ in pairs), max(high for _, high in pairs)


def require_true(certificate, rows):
    """What a certificate says holds for these rows."""
    low, high = true_largest(rows)
    if certificate.exact:
        assert low == high == certificate.max_cosine
    assert Fraction(certificate.interval[0]) <= high
    assert low <= Fraction(certificate.interval[1])
    if certificate.optimal:
        converse = Fraction(certificate.converse.value)
        assert low - converse <= Fraction(1, 10**11) * (1 - converse)


def random_rows(rng):
    """Rows that are nearly, or really, of the kinds that are exact."""
    count = int(rng.integers(2, 9))
    dim = int(rng.integers(1, 9))
    kind = rng.integers(4)
    if kind == 0:
        rows = rng.standard_normal((count, dim))
    elif kind == 1:
        rows = rng.choice([-1.0, 1.0], (count, dim))
    elif kind == 2:
        rows = rng.choice([-1.0, 0.0, 1.0], (count, dim))
    else:
        rows = np.eye(max(count, dim))[:count, :dim] - 1 / max(count, dim)
    rows[:, 0] += ~rows.any(axis=1)
    rows *= np.exp2(rng.integers(-2, 3, (count, 1)))
    if rng.random() < 0.4:
        rows = rows * (
            1 + rng.choice([1e-16, 1e-8, 1e-3, 0.02]) * rng.standard_normal(rows.shape)
        )
    if rng.random() < 0.5:
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


@pytest.mark.parametrize("dtype", HALF_TYPES, ids=str)
def test_certificates_of_tensors_of_every_type_are_true(dtype):
    rng = np.random.default_rng(0)
    for _ in range(40):
        tensor = torch.from_numpy(random_rows(rng)).to(dtype)
        rows = tensor.double().numpy()
        if np.isfinite(rows).all() and rows.any(axis=1).all():
            require_true(ps.certify(tensor, normalize=True), rows)


def test_a_certificate_of_a_bfloat16_tensor_in_a_file_is_that_of_its_numbers(tmp_path):
    rows = np.kron(np.eye(4), [[1.0], [-1.0]]) + 0.0039 * np.sign(
        np.random.default_rng(0).standard_normal((8, 4))
    )
    tensor = torch.from_numpy(rows).bfloat16()
    torch.save(tensor, tmp_path / "x.pt")
    certificate = ps.certify(tmp_path / "x.pt", normalize=True)
    require_true(certificate, tensor.double().numpy())
    assert not certificate.exact
    assert not certificate.optimal


def test_one_zero_among_many_equal_entries_is_seen():
    row = np.full(100_000, 100_000**-0.5)
    other = -row
    other[7] = 0.0
    certificate = ps.certify([row, other], normalize=True)
    truth = -((1 - 1e-5) ** 0.5)
    assert not certificate.exact
    assert not certificate.optimal
    assert certificate.interval[0] <= truth <= certificate.interval[1]


def test_rows_of_different_numbers_of_equal_entries_are_certified():
    rows = np.zeros((2, 100_001))
    rows[0, :100_000] = 100_000**-0.5
    rows[1] = 100_001**-0.5
    certificate = ps.certify(rows)
    assert (
        certificate.interval[0] <= (100_000 / 100_001) ** 0.5 <= certificate.interval[1]
    )


def test_inner_products_of_long_sign_words_are_exact():
    dim = (1 << 24) + 3
    words = np.full((2, (dim + 7) // 8), 255, dtype=np.uint8)
    words[1, 0] = 127
    words[:, -1] = 0b11100000
    assert largest_inner_product(sign_rows(words, dim)) == dim - 2


def test_integers_among_floats_are_not_equal_entries_after_rounding():
    large = 2**53
    rows = [[large + 1, float(large)], [large + 1, -float(large)]]
    assert not ps.certify(rows, normalize=True).exact
    halves = [[1, 0.5 * 2], [1, -1.0]]
    assert ps.certify(halves, normalize=True).exact


def test_integers_that_float64_rounds_together_are_not_equal_entries():
    rows = np.array([[2**60 + 1, 2**60], [2**60, -(2**60)]])
    assert not ps.certify(rows, normalize=True).exact


@pytest.mark.parametrize("scheme", ["uniform", "simplex"])
def test_a_guarantee_in_a_file_makes_nothing_exact(tmp_path, forged, scheme):
    path = tmp_path / "x.safetensors"
    code = ps.from_points(ps.construct(scheme, num_classes=5, dim=4).points)
    code.save(path)
    claim = Fraction(code.max_cosine).limit_denominator(10**8)
    claim = claim if claim >= code.max_cosine else claim + Fraction(1, 10**15)

    def promise(arrays, header):
        header["certificate"] |= {"guarantee": str(claim), "max_cosine": str(claim)}

    forged(path, promise)
    for certificate in (ps.load(path).certificate, ps.certify(path)):
        assert not certificate.exact
        require_true(certificate, code.points)


def test_a_grid_in_a_file_makes_nothing_exact(tmp_path, forged):
    path = tmp_path / "x.safetensors"
    points = np.array([[1.0, 0.0], [0.5 + 1e-15, np.sqrt(0.75)], [-1.0, 0.0]])
    ps.from_points(points).save(path)
    forged(path, lambda arrays, header: header.update(cosine_step="1/2"))
    assert not ps.certify(path).exact


def test_a_lattice_in_a_file_makes_nothing_exact(tmp_path, forged, monkeypatch):
    monkeypatch.setattr("protosphere.spherical.structures.lattice.ALL_PAIRS_POINTS", 1)
    path = tmp_path / "x.safetensors"
    ps.construct("e8_shell", num_classes=60, dim=8).save(path)
    root = 10**-0.5
    points = np.zeros((2, 8))
    points[0, 0], points[1, :2] = 1.0, (-root, (1 - root**2) ** 0.5)

    def lattice(arrays, header):
        arrays["points"] = points
        arrays["basis"] = np.eye(8)
        arrays["basis"][0, :2] = points[1, :2] - points[0, :2]
        least = Fraction(2 + 2 * root).limit_denominator(10**9)
        header.update(
            cosine_step=None,
            provenance=None,
            lattice={"least": str(least), "theorem": "none"},
        )
        header["certificate"] |= {
            "num_classes": 2,
            "max_cosine": -root,
            "guarantee": None,
        }

    forged(path, lattice)
    for certificate in (ps.load(path).certificate, ps.certify(path)):
        assert not certificate.exact
        require_true(certificate, points)


@pytest.mark.parametrize(
    ("scheme", "num_classes", "dim"),
    [
        ("simplex", 10, 9),
        ("e8_shell", 240, 8),
        ("paley_frame", 10, 5),
        ("lattice_shell", 60, 10),
    ],
)
def test_a_file_of_a_construction_stays_exact_where_its_rows_are_those_of_the_construction(
    tmp_path, forged, scheme, num_classes, dim
):
    path = tmp_path / "x.safetensors"
    code = ps.construct(scheme, num_classes=num_classes, dim=dim)
    code.save(path)
    assert ps.load(path).certificate == ps.certify(path) == code.certificate
    assert code.certificate.exact

    def turn(arrays, header):
        arrays["points"][1] *= 1 + 2.0**-51

    forged(path, turn)
    assert not ps.load(path).certificate.exact
    assert not ps.certify(path).exact


def test_what_is_measured_lies_in_its_interval_in_many_dimensions():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((2, 20_000))
    certificate = ps.certify(rows, normalize=True)
    low, high = true_largest(rows)
    assert certificate.error < 1e-12
    assert certificate.interval[0] <= low <= high <= certificate.interval[1]


def test_a_small_file_of_simplices_cannot_ask_for_all_memory(tmp_path, forged):
    path = tmp_path / "x.safetensors"
    ps.construct("orthogonal_simplices", num_classes=10, dim=6).save(path)
    forged(path, lambda arrays, header: header["certificate"].update(dim=1 << 40))
    with pytest.raises(ps.StorageError, match="'dim' should be at most"):
        ps.load(path)
