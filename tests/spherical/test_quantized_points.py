"""Certificates of quantized points hold for the points that exact arithmetic gives, whatever a file states."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from typing import cast

import numpy as np
import pytest
from tests.nn.product_codes import quantized_code

import protosphere as ps
from protosphere.spherical.certificate import certified
from protosphere.spherical.io import container
from protosphere.spherical.placement import Placement
from protosphere.spherical.structures import QuantizedPoints, quantized


def exact_rows(points):
    """The points with 60 digits, of which at least 40 are right."""
    rows = []
    for own in points.values.tolist():
        row = []
        for part, value in zip(points.parts, own, strict=False):
            row += [Decimal(x) for x in part[value].tolist()]
        words = own[len(points.parts) :]
        chosen = [
            book[word].tolist()
            for book, word in zip(points.codebooks, words, strict=True)
        ]
        sums = [
            sum((Decimal(x) for x in column), Decimal(0))
            for column in zip(*chosen, strict=True)
        ]
        rest = 1 - sum(x * x for x in row)
        scale = (rest / sum(x * x for x in sums)).sqrt()
        rows.append(row + [scale * x for x in sums])
    return rows


def largest_exact_cosine(points):
    with localcontext() as context:
        context.prec = 60
        rows = exact_rows(points)
        return max(
            sum(x * y for x, y in zip(rows[i], rows[j], strict=True))
            for i in range(len(rows))
            for j in range(i)
        )


def certificate_of(points):
    return certified(Placement("points", points), None)


@pytest.mark.parametrize("gap", [0.0, 3e-14, 8e-14])
@pytest.mark.parametrize("few", [1, 100])
def test_pairs_of_nearly_the_same_cosine_are_all_compared(gap, few, monkeypatch):
    monkeypatch.setattr(quantized, "ALL_PAIRS_POINTS", few)
    far = 0.1
    near = np.sqrt(far**2 - 2 * gap)
    between = far / 2 + 0.999 * near  # a value of no class, which is searched first
    first = np.array([[-far / 2], [far / 2], [between]])
    second = np.array([[-near / 2], [near / 2]])
    values = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=np.uint8)
    points = QuantizedPoints((first, second), np.ones((1, 1, 1)), values, 3)
    lowest, highest = certificate_of(points).interval
    assert lowest <= largest_exact_cosine(points) <= highest


def canceling(size, seed=0):
    """A code and its points, to whose first and third codewords opposite vectors of this norm are added."""
    code = quantized_code(((5, 3), (4, 2)), (3, 6, 4), 12, seed=seed)
    points = cast("QuantizedPoints", code.placement.structure)
    codebooks = points.codebooks.copy()
    codebooks[0] += size / 2
    codebooks[2] -= size / 2
    return code, replace(points, codebooks=codebooks)


@pytest.mark.parametrize("seed", range(8))
def test_sums_of_codewords_that_nearly_cancel_are_computed_exactly(seed):
    points = canceling(30.0, seed)[1]
    exact = np.array(exact_rows(points), dtype=float)
    found = points.unit_rows(0, points.count)
    np.testing.assert_allclose(found, exact, rtol=0, atol=5e-16)


@pytest.mark.parametrize("size", [1e3, 1e5])
def test_codewords_that_cancel_are_refused(size, tmp_path):
    code, points = canceling(size)
    with pytest.raises(ps.CertificateError, match="norm"):
        points.check()
    path = tmp_path / "code.safetensors"
    code.save(path)
    arrays, description = container.read(path)
    container.write(path, arrays, description)
    assert ps.load(path).num_classes == 12
    container.write(path, points.arrays(), description)
    with pytest.raises(ps.StorageError, match="norm"):
        ps.load(path)
