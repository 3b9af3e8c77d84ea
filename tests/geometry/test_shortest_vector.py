"""Whether a lattice has shorter vectors: against all combinations of small coefficients, and at a small cost."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import protosphere as ps
from protosphere.geometry import shortest_vector
from protosphere.geometry.shortest_vector import has_shorter, lll_reduced

BOX = {2: 12, 3: 7, 4: 4}


def least(basis):
    """The squared length of the shortest vector, by all small combinations of a reduced basis."""
    rows = lll_reduced(basis)
    most = BOX[len(rows)]
    combinations = np.array(
        [c for c in product(range(-most, most + 1), repeat=len(rows)) if any(c)]
    )
    return float(((combinations @ rows) ** 2).sum(axis=1).min())


def bases(seed):
    """Integral, even, nearly integral and plain ones, all of one rank."""
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(2, 5))
    whole = rng.integers(-4, 5, (rank, rank)).astype(float)
    while abs(np.linalg.det(whole)) < 0.5:
        whole = rng.integers(-4, 5, (rank, rank)).astype(float)
    turn = np.linalg.qr(rng.standard_normal((rank, rank)))[0]
    nearly = whole + 10.0 ** -rng.integers(4, 13) * rng.standard_normal((rank, rank))
    yield from (
        whole,
        whole @ turn / 7,
        np.sqrt(2) * whole @ turn,
        nearly,
        rng.standard_normal((rank, rank)) @ whole,
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(25))
def test_it_is_what_all_combinations_say(seed):
    for basis in bases(seed):
        shortest = least(basis)
        for factor in (0.3, 0.5, 1 - 1e-4, 1.0, 1 + 1e-4, 4 / 3, 1.5, 2.0, 3.7):
            assert has_shorter(basis, shortest * factor) == (factor > 1), (
                basis,
                factor,
            )


@pytest.mark.slow
@pytest.mark.parametrize(("shell", "dim"), [("e8_shell", 8), ("barnes_wall_shell", 16), ("leech_shell", 24),
                                            ("barnes_wall_shell", 32)])  # fmt: skip
def test_lattices_of_shells_are_measured_at_a_small_cost(shell, dim, monkeypatch):
    coset = ps.construct(shell, num_classes=200, dim=dim).placement.structure.lattice
    monkeypatch.setattr(shortest_vector, "MOST_PARTIAL", 20_000)
    assert has_shorter(coset.basis, float(coset.least)) is False
    assert has_shorter(coset.basis, 2 * float(coset.least)) in (True, None)
    shorter = coset.basis.copy()
    shorter[0] /= 2
    monkeypatch.undo()
    assert has_shorter(shorter, float(coset.least)) is not False


def test_a_length_that_is_a_little_shorter_is_found():
    basis = np.array([[2.0, 0.0], [1.0, 1.0 - 1e-7]])
    assert has_shorter(basis, 2.0) is True
    assert has_shorter(basis, 2.0 * (1 - 2e-7)) is False
