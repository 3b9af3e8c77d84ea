"""Limits that the pages on certificates and files document."""

from __future__ import annotations

import re
from contextlib import nullcontext
from fractions import Fraction

import numpy as np
import pytest

import protosphere as ps
from protosphere.spherical.certificate import Measurement, certificate_of


def test_sign_codes_take_one_bit_an_entry():
    code = ps.construct("bch", num_classes=1000, dim=511)
    assert code.signs.nbytes == 1000 * 512 // 8


@pytest.mark.parametrize(
    ("measured", "contradiction"),
    [
        (-0.25 + 2e-9, True),
        (-0.25 + 0.5e-9, True),
        (-0.25 + 2**-54, False),
        (-0.25 - 2e-9, True),
        (-0.25 - 0.5e-9, False),
        (Fraction(-1, 4), False),
        (Fraction(-1, 4) + Fraction(1, 10**15), True),
        (Fraction(-1, 4) - Fraction(1, 10**15), True),
    ],
)
def test_certificate_refuses_a_measurement_that_contradicts_theory(
    measured, contradiction
):
    refused = pytest.raises(ps.CertificateError) if contradiction else nullcontext()
    with refused:
        found = Measurement(5, 4, measured, "by hand")
        certificate_of(found, Fraction(-1, 4), proved=False)


def test_too_many_multiplications_are_refused_before_building(monkeypatch):
    monkeypatch.setattr(
        "protosphere.constructions.limits.memory_bytes", lambda: 1 << 60
    )
    with pytest.raises(ps.InfeasibleError, match=r"num_classes\*\*2 \* dim"):
        ps.construct("uniform", num_classes=10**7, dim=11)


def test_csv_files_keep_seventeen_digits(tmp_path):
    points = np.random.default_rng(0).standard_normal((3, 4))
    ps.from_points(points, normalize=True).save(tmp_path / "x.csv")
    cells = (tmp_path / "x.csv").read_text().replace("\n", ",").strip(",").split(",")
    digits = [re.sub(r"e.*|[-.]", "", cell).lstrip("0") for cell in cells]
    assert max(map(len, digits)) == 17
