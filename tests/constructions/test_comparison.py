"""Comparisons: every cell a certified number or a reason, beside the bounds."""

from fractions import Fraction

import numpy as np
import pytest

import protosphere as ps
from protosphere.constructions.comparison import (
    characteristic_dims,
    compare,
    compare_at,
    compared_schemes,
    limits,
)


def test_cells_hold_what_construct_gives() -> None:
    comparison = compare(
        20, [16, 19, 32], schemes=["simplex", "reed_muller", "uniform"], seed=3
    )
    assert len(comparison.cells) == 9
    for cell in comparison.cells:
        if cell.infeasible_reason is None:
            code = ps.construct(cell.scheme, num_classes=20, dim=cell.dim, seed=3)
            assert cell.max_cosine == code.max_cosine
        else:
            assert cell.max_cosine is None
            with pytest.raises(ps.InfeasibleError) as error:
                ps.construct(cell.scheme, num_classes=20, dim=cell.dim)
            assert str(error.value) == cell.infeasible_reason


def test_every_scheme_is_compared_and_an_infeasible_one_stops_none() -> None:
    comparison = compare(12, [6])
    assert comparison.schemes == compared_schemes()
    reasons = {cell.scheme: cell.infeasible_reason for cell in comparison.cells}
    assert reasons["cross_polytope"] is None
    assert "nearest" in (reasons["one_hot"] or "")
    assert "nearest" in (reasons["bch"] or "")


def test_modify_reaches_the_schemes_that_have_it() -> None:
    requests = ["bch", "reed_muller", "one_hot"]
    assert [c.max_cosine for c in compare(20, [20], schemes=requests).cells] == [
        None,
        None,
        0,
    ]
    modified = compare(20, [20], schemes=requests, modify=True)
    assert all(cell.infeasible_reason is None for cell in modified.cells)


def test_bounds_bracket_what_was_built() -> None:
    comparison = compare(
        30, [2, 5, 15, 29, 40], schemes=["uniform", "simplex", "cross_polytope"]
    )
    by_dim = {row.dim: row for row in comparison.limits}
    assert by_dim[2].achievable is None
    assert by_dim[5].achievable is not None
    for cell in comparison.cells:
        if cell.max_cosine is not None:
            assert float(cell.max_cosine) >= float(by_dim[cell.dim].converse) - 1e-12
    assert (
        by_dim[40].paper_converse.value == by_dim[40].converse.value == Fraction(-1, 29)
    )
    assert by_dim[15].converse.value == 0 > by_dim[15].paper_converse.value


def test_records_are_tidy() -> None:
    rows = compare(10, [8, 9], schemes=["simplex", "uniform"]).records()
    assert len({tuple(row) for row in rows}) == 1
    simplex = next(
        row for row in rows if row["scheme"] == "simplex" and row["dim"] == 9
    )
    assert simplex["exact"] == "-1/9"
    assert simplex["max_cosine"] == -1 / 9
    uniform = next(row for row in rows if row["scheme"] == "uniform")
    assert uniform["exact"] is None
    theorems = {
        (row["scheme"], row["dim"]): row["theorem"]
        for row in rows
        if row["kind"] == "bound"
    }
    assert theorems["converse", 9] == limits(10, 9).converse.theorem
    assert len(theorems) == 6


def test_progress_counts_to_its_end_and_never_back() -> None:
    seen: list[tuple[str, int, int]] = []
    compare(
        12,
        [4, 6],
        schemes=["log_sum_exp", "one_hot"],
        progress=lambda *call: seen.append(call),
    )
    assert {stage for stage, _, _ in seen} == {"comparing"}
    done = [step for _, step, _ in seen]
    assert done == sorted(done)
    assert done[-1] == seen[-1][2]


def test_characteristic_dims() -> None:
    assert characteristic_dims(100, 4, 128) == (
        4,
        7,
        8,
        15,
        16,
        31,
        32,
        50,
        63,
        64,
        99,
        100,
        127,
        128,
    )
    assert characteristic_dims(10, 1, 2) == (1, 2)
    assert characteristic_dims(7, 4, 6) == (4, 6)


@pytest.mark.parametrize("arguments", [(1, 1, 4), (10, 0, 4), (10, 5, 4)])
def test_characteristic_dims_refuses(arguments: tuple[int, int, int]) -> None:
    with pytest.raises(ps.InvalidArgumentError):
        characteristic_dims(*arguments)


def test_bad_requests_are_refused_before_any_work() -> None:
    with pytest.raises(ps.InvalidArgumentError, match="at least one"):
        compare(10, [])
    with pytest.raises(ps.InvalidArgumentError, match="did you mean 'simplex'"):
        compare(10, [4], schemes=["simplx"])
    with pytest.raises(ps.InvalidArgumentError, match="num_classes"):
        compare_at(1, [("simplex", 4)])
    with pytest.raises(ps.InvalidArgumentError, match="dims"):
        compare(10, [0])


def test_nobody_is_below_the_best():
    comparison = compare(30, [5, 8, 15, 16, 29])
    for dim in comparison.dims:
        cosines = {
            cell.scheme: cell.max_cosine for cell in comparison.cells if cell.dim == dim
        }
        reached = [float(cosine) for cosine in cosines.values() if cosine is not None]
        assert float(cosines["best"]) <= min(reached) + 1e-12


def test_energies_of_one_dimension_are_taken_at_one_scale() -> None:
    comparison = compare(
        12, [1, 6, 11], schemes=["uniform", "simplex", "cross_polytope", "best"]
    )
    for cell in comparison.cells:
        converse = float(
            next(row.converse for row in comparison.limits if row.dim == cell.dim)
        )
        if cell.max_cosine is None or converse >= 1:
            assert cell.energy is None
            continue
        code = ps.construct(
            cell.scheme,
            num_classes=12,
            dim=cell.dim,
            **({"iterations": 0} if cell.scheme == "best" else {}),
        )
        cosines = (code.points @ code.points.T)[np.triu_indices(12, 1)]
        scale = np.log(11 * 99) / (1 - converse)
        assert cell.energy == pytest.approx(np.exp(scale * (cosines - 1)).sum() / 6)
