"""Learned prototypes: products with unit rows, the methods of a projection, and states of public heads."""

from __future__ import annotations

import pytest
import torch
from tests.nn.self_supervised.dense_losses import learned
from torch import nn
from torch.nn.functional import cross_entropy, normalize
from torch.nn.utils.parametrizations import weight_norm

from protosphere.errors import InvalidArgumentError
from protosphere.nn import LearnedPrototypes


def vectors(rows=5, dim=8):
    generator = torch.Generator().manual_seed(0)
    return torch.randn(rows, dim, generator=generator, dtype=torch.float64)


def test_products_are_those_with_unit_rows_and_train_the_weight():
    prototypes, weight = learned(50, 8)
    z = vectors().requires_grad_()
    products = prototypes(z)
    expected = z @ normalize(weight).T
    torch.testing.assert_close(products, expected)
    upstream = torch.randn(5, 50, dtype=torch.float64)
    found = torch.autograd.grad(products, [z, weight], upstream)
    wanted = torch.autograd.grad(expected, [z, weight], upstream)
    torch.testing.assert_close(found, wanted)


def test_methods_of_a_projection_equal_dense_formulas():
    prototypes, weight = learned(50, 8)
    rows = normalize(weight)
    z = 4 * vectors()
    products = z @ rows.T
    torch.testing.assert_close(prototypes.log_sum_exp(z), products.logsumexp(1))
    values, means = prototypes.log_sum_exp_and_mean(z)
    torch.testing.assert_close(values, products.logsumexp(1))
    torch.testing.assert_close(means, products.softmax(1) @ rows)
    assert prototypes.log_sum_exp_and_mean(z, False)[1].shape == (5, 0)
    weights = torch.rand(5, 50, dtype=torch.float64)
    factors = torch.rand(50, dtype=torch.float64)
    sums, totals = prototypes.weighted_prototypes(weights, factors)
    torch.testing.assert_close(sums, (weights * factors) @ rows)
    torch.testing.assert_close(totals, (weights * factors).sum(1))
    found, classes = prototypes.top(z, 3)
    torch.testing.assert_close(found, products.topk(3).values)
    assert torch.equal(classes, products.topk(3).indices)
    torch.testing.assert_close(prototypes.prototypes(), rows.detach())
    some = torch.tensor([4, 0])
    torch.testing.assert_close(prototypes.prototypes(some), rows.detach()[some])


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("by_class", [True, False])
def test_cross_entropy_equals_that_of_torch(reduction, by_class):
    prototypes, weight = learned(50, 8)
    z = vectors(6)
    target = torch.arange(6)
    if not by_class:
        target = torch.rand(6, 50, dtype=torch.float64)
    found = prototypes.cross_entropy(z, target, scale=7.0, reduction=reduction)
    wanted = cross_entropy(7 * z @ normalize(weight).T, target, reduction=reduction)
    torch.testing.assert_close(found, wanted)
    by_pairs = prototypes.cross_entropy(
        z.reshape(2, 3, 8),
        target.reshape(2, 3, *target.shape[1:]),
        scale=7.0,
        reduction=reduction,
    )
    torch.testing.assert_close(by_pairs, wanted.reshape(by_pairs.shape))


def test_seed_decides_the_initial_points():
    first, second, other = (
        LearnedPrototypes(20, 5, seed=seed).weight for seed in (1, 1, 2)
    )
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    torch.testing.assert_close(first.norm(dim=1), torch.ones(20))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_and_autocast_compute_in_float32(dtype):
    prototypes = LearnedPrototypes(300, 64, seed=0)
    z = vectors(5, 64).to(dtype)
    wide = z.float()
    assert prototypes(z).dtype == dtype
    assert torch.equal(prototypes(z), prototypes(wide).to(dtype))
    torch.testing.assert_close(
        prototypes.log_sum_exp(z), prototypes.log_sum_exp(wide), rtol=0, atol=0
    )
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(prototypes(wide), prototypes(wide).float())
        narrow = prototypes(wide)
    assert torch.equal(narrow, prototypes(wide))


@pytest.mark.parametrize("old_names", [True, False])
def test_loads_the_last_layer_of_public_heads(old_names):
    layer = weight_norm(nn.Linear(8, 50, bias=False))
    layer.parametrizations.weight.original0.data.fill_(1)
    state = layer.state_dict()
    if old_names:
        renamed = {"original0": "weight_g", "original1": "weight_v"}
        state = {renamed[name.split(".")[-1]]: value for name, value in state.items()}
    prototypes = LearnedPrototypes(50, 8)
    prototypes.load_state_dict(state)
    z = vectors().float()
    torch.testing.assert_close(prototypes(z), layer(z))


def test_refuses_a_last_layer_with_other_norms():
    state = {"weight_g": torch.full((50, 1), 2.0), "weight_v": torch.ones(50, 8)}
    with pytest.raises(RuntimeError, match="unit vectors"):
        LearnedPrototypes(50, 8).load_state_dict(state)


def test_state_round_trip():
    first = LearnedPrototypes(20, 5, seed=1)
    second = LearnedPrototypes(20, 5, seed=2)
    second.load_state_dict(first.state_dict())
    assert torch.equal(first.weight, second.weight)
    assert list(first.state_dict()) == ["weight"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"num_classes": 1, "dim": 4}, "'num_classes'"),
        ({"num_classes": 4, "dim": 0}, "'dim'"),
        ({"num_classes": 4, "dim": 4, "seed": -1}, "'seed'"),
    ],
)
def test_bad_arguments_are_refused_by_name(arguments, named):
    with pytest.raises(InvalidArgumentError, match=named):
        LearnedPrototypes(**arguments)


def test_bad_input_is_refused_by_name():
    prototypes = LearnedPrototypes(20, 5)
    with pytest.raises(InvalidArgumentError, match="'z'"):
        prototypes(torch.ones(3, 4))
    with pytest.raises(InvalidArgumentError, match="'k'"):
        prototypes.top(torch.ones(3, 5), 21)
    with pytest.raises(InvalidArgumentError, match="'target'"):
        prototypes.cross_entropy(torch.ones(3, 5), torch.ones(3, 19))
    with pytest.raises(InvalidArgumentError, match="'target'"):
        prototypes.cross_entropy(torch.ones(3, 5), torch.tensor([0, 1, 20]))
    with pytest.raises(InvalidArgumentError, match="'index'"):
        prototypes.prototypes(torch.tensor([20]))
