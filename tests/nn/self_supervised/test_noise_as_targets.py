"""Noise as targets: distances to assigned points, and matching within the batch against all permutations."""

from __future__ import annotations

from itertools import permutations

import pytest
import torch
from torch.nn.functional import normalize

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.nn import NoiseAsTargets
from protosphere.nn.projections import projection_for


def code_of_30():
    return ps.best(num_classes=30, dim=6, iterations=0)


def embeddings(rows=5, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(rows, 6, generator=generator, dtype=torch.float64)


def distances(z, targets):
    return (normalize(z) - targets).square().sum(1).mean()


def test_evaluation_gives_the_distance_to_assigned_targets():
    code = code_of_30()
    loss = NoiseAsTargets(code).double().eval()
    index = torch.tensor([3, 29, 0, 7, 11])
    z = embeddings().requires_grad_()
    before = loss.assignment.clone()
    found = loss(z, index)
    wanted = distances(z, torch.tensor(code.points)[before[index]])
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-6)
    torch.testing.assert_close(
        torch.autograd.grad(found, z), torch.autograd.grad(wanted, z), rtol=0, atol=1e-6
    )
    assert torch.equal(loss.assignment, before)


@pytest.mark.parametrize("seed", range(3))
def test_training_finds_the_best_of_all_matchings(seed):
    points = torch.tensor(code_of_30().points)
    loss = NoiseAsTargets(code_of_30(), seed=seed).double()
    index = torch.tensor([3, 29, 0, 7, 11])
    before = loss.assignment.clone()
    held = before[index]
    z = embeddings(seed=seed)
    best = min(
        distances(z, points[held[list(order)]]) for order in permutations(range(5))
    )
    torch.testing.assert_close(loss(z, index), best, rtol=0, atol=1e-6)
    assert sorted(loss.assignment[index].tolist()) == sorted(held.tolist())
    untouched = torch.ones(30, dtype=torch.bool)
    untouched[index] = False
    assert torch.equal(loss.assignment[untouched], before[untouched])
    after = loss.assignment.clone()
    torch.testing.assert_close(loss(z, index), best, rtol=0, atol=1e-6)
    assert torch.equal(loss.assignment, after)


def test_first_assignment_is_a_permutation_that_the_seed_decides():
    first, second, other = (
        NoiseAsTargets(code_of_30(), seed=seed).assignment for seed in (0, 0, 1)
    )
    assert sorted(first.tolist()) == list(range(30))
    assert torch.equal(first, second)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("num_examples", [7, 30, 75])
def test_targets_are_shared_equally(num_examples):
    loss = NoiseAsTargets(code_of_30(), num_examples)
    counts = loss.assignment.bincount(minlength=30)
    assert len(loss.assignment) == num_examples
    assert int(counts.max() - counts.min()) <= 1


def test_an_example_that_occurs_twice_keeps_one_target():
    loss = NoiseAsTargets(code_of_30()).double()
    held = loss.assignment[[2, 5]]
    loss(embeddings(3), torch.tensor([5, 2, 5]))
    assert sorted(loss.assignment[[2, 5]].tolist()) == sorted(held.tolist())
    assert sorted(loss.assignment.tolist()) == list(range(30))


def test_training_lowers_the_loss_of_free_embeddings():
    loss = NoiseAsTargets(code_of_30())
    z = torch.nn.Parameter(embeddings(30).float())
    solver = torch.optim.SGD([z], lr=20.0)
    losses = []
    for _ in range(100):
        solver.zero_grad()
        found = loss(z, torch.arange(30))
        found.backward()
        solver.step()
        losses.append(float(found.detach()))
    assert losses[-1] < 0.1 * losses[0]


def test_state_round_trip():
    first = NoiseAsTargets(code_of_30(), seed=1)
    second = NoiseAsTargets(code_of_30(), seed=2)
    second.load_state_dict(first.state_dict())
    assert list(first.state_dict()) == ["assignment"]
    assert torch.equal(first.assignment, second.assignment)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_and_autocast_compute_in_float32(dtype):
    loss = NoiseAsTargets(code_of_30())
    index = torch.arange(5)
    z = embeddings().to(dtype)
    wanted = loss(z.float(), index)
    assert loss(z, index).dtype == torch.float32
    assert torch.equal(loss(z, index), wanted)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(loss(z.float(), index), wanted)


@pytest.mark.parametrize(
    ("z", "index", "named"),
    [
        (torch.ones(3, 5), torch.arange(3), "'z'"),
        (torch.ones(3, 6), torch.arange(2), "'index'"),
        (torch.ones(3, 6), torch.ones(3), "'index'"),
        (torch.ones(3, 6), torch.tensor([0, 1, 30]), "'index'"),
        (torch.ones(3, 6), torch.tensor([0, 1, -1]), "'index'"),
        (torch.ones(0, 6), torch.arange(0), "'index'"),
        (torch.full((3, 6), float("nan")), torch.arange(3), "'z'"),
    ],
)
def test_bad_input_is_refused_by_name(z, index, named):
    with pytest.raises(InvalidArgumentError, match=named):
        NoiseAsTargets(code_of_30())(z, index)


@pytest.mark.parametrize(
    ("code", "options", "named"),
    [
        (projection_for(code_of_30()), {}, "'code'"),
        (code_of_30(), {"num_examples": 0}, "'num_examples'"),
        (code_of_30(), {"seed": -1}, "'seed'"),
    ],
)
def test_bad_options_are_refused_by_name(code, options, named):
    with pytest.raises(InvalidArgumentError, match=named):
        NoiseAsTargets(code, **options)
