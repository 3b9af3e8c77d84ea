"""Swapped prediction against a dense float64 reference, over every kind of prototypes."""

from __future__ import annotations

import pytest
import torch
from tests.nn.self_supervised.dense_losses import (
    KINDS,
    dense_sinkhorn,
    dense_swapped,
    draws,
    leaves,
)

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.nn import LearnedPrototypes, PrototypeHead, SwappedPrediction
from protosphere.nn.projections import projection_for


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("num_views", [2, 4])
def test_loss_and_gradients_equal_the_dense_ones(kind, num_views):
    prototypes, matrix = KINDS[kind]()
    views = leaves(draws(num_views, prototypes.dim))
    options = {"temperature": 0.2, "epsilon": 0.1, "iterations": 2}
    found = SwappedPrediction(prototypes, **options)(views)
    wanted = dense_swapped(views, matrix, **options)
    torch.testing.assert_close(found, wanted)
    inputs = [*views, matrix] if kind == "learned" else views
    torch.testing.assert_close(
        torch.autograd.grad(found, inputs), torch.autograd.grad(wanted, inputs)
    )


def test_code_head_and_projection_give_the_same_loss():
    code = ps.best(num_classes=50, dim=8, iterations=0)
    views = draws(2, 8)
    wanted = dense_swapped(views, torch.tensor(code.points))
    for prototypes in (code, PrototypeHead(code), projection_for(code)):
        loss = SwappedPrediction(prototypes).double()
        torch.testing.assert_close(loss(views), wanted, rtol=0, atol=1e-6)
    exact = SwappedPrediction(code).double()
    torch.testing.assert_close(exact(views), wanted)


@pytest.mark.parametrize("kind", ["dense", "learned"])
def test_a_permutation_of_prototypes_changes_nothing(kind):
    _, matrix = KINDS[kind]()
    order = torch.randperm(len(matrix), generator=torch.Generator().manual_seed(5))
    views = leaves(draws(3, 8))
    results = []
    for rows in (matrix, matrix[order]):
        if kind == "learned":
            prototypes = LearnedPrototypes(len(rows), 8).double()
            prototypes.load_state_dict({"weight": rows})
        else:
            prototypes = ps.from_points(rows.numpy())
        found = SwappedPrediction(prototypes).double()(views)
        results.append((found.detach(), *torch.autograd.grad(found, views)))
    torch.testing.assert_close(*results)


def test_assignments_are_those_of_the_cosines():
    code = ps.best(num_classes=50, dim=8, iterations=0)
    loss = SwappedPrediction(code, epsilon=0.1).double()
    (z,) = draws(1, 8)
    cosines = torch.nn.functional.normalize(z) @ torch.tensor(code.points).T
    torch.testing.assert_close(loss.assignments(z), dense_sinkhorn(cosines, 0.1))


def test_views_may_be_one_tensor():
    loss = SwappedPrediction(ps.best(num_classes=50, dim=8, iterations=0))
    views = [view.float() for view in draws(2, 8)]
    assert torch.equal(loss(torch.stack(views)), loss(views))


@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_and_autocast_compute_in_float32(learned, dtype):
    code = ps.best(num_classes=50, dim=8, iterations=0)
    loss = SwappedPrediction(LearnedPrototypes(50, 8, seed=0) if learned else code)
    views = [view.to(dtype) for view in draws(2, 8)]
    wide = [view.float() for view in views]
    wanted = loss(wide)
    assert loss(views).dtype == torch.float32
    assert torch.equal(loss(views), wanted)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(loss(wide), wanted)
        assert torch.equal(loss(views), wanted)


def test_only_learned_prototypes_are_parameters():
    code = ps.best(num_classes=50, dim=8, iterations=0)
    assert not list(SwappedPrediction(code).parameters())
    prototypes = LearnedPrototypes(50, 8)
    assert [*SwappedPrediction(prototypes).parameters()] == [prototypes.weight]


def test_state_has_the_code_and_refuses_another():
    code = ps.best(num_classes=50, dim=8, iterations=0)
    state = SwappedPrediction(code).state_dict()
    SwappedPrediction(code).load_state_dict(state)
    other = ps.construct("uniform", num_classes=50, dim=8, seed=1)
    with pytest.raises(InvalidArgumentError):
        SwappedPrediction(other).load_state_dict(state)


def test_a_view_at_the_origin_has_finite_gradients():
    loss = SwappedPrediction(ps.best(num_classes=50, dim=8, iterations=0))
    views = [torch.zeros(4, 8, requires_grad=True), torch.randn(4, 8)]
    loss(views).backward()
    assert views[0].grad.isfinite().all()


@pytest.mark.parametrize(
    ("views", "named"),
    [
        ([], "'views'"),
        ([torch.ones(3, 8)], "'views'"),
        ([torch.ones(3, 8), torch.ones(2, 8)], "'views'"),
        ([torch.ones(3, 8), torch.ones(3, 7)], "'views'"),
        ([torch.ones(0, 8), torch.ones(0, 8)], "'views'"),
        ([torch.ones(3, 8), torch.ones(3, 8).long()], "'views'"),
        ([torch.tensor(1.0), torch.tensor(1.0)], "'views'"),
        ([torch.ones(3, 8), None], "'views'"),
        (None, "'views'"),
        (torch.ones(3, 8), "'views'"),
        (torch.tensor(1.0), "'views'"),
    ],
)
def test_bad_views_are_refused_by_name(views, named):
    loss = SwappedPrediction(ps.best(num_classes=50, dim=8, iterations=0))
    with pytest.raises(InvalidArgumentError, match=named):
        loss(views)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"temperature": 0}, "'temperature'"),
        ({"epsilon": -1}, "'epsilon'"),
        ({"iterations": 0}, "'iterations'"),
        ({"prototypes": 10}, "'prototypes'"),
    ],
)
def test_bad_options_are_refused_by_name(options, named):
    given = {"prototypes": ps.best(num_classes=50, dim=8, iterations=0)} | options
    with pytest.raises(InvalidArgumentError, match=named):
        SwappedPrediction(given.pop("prototypes"), **given)
