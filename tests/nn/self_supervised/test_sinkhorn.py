"""Sinkhorn's assignments: against scaling of the plain exponentials, in the limit, and for extreme numbers."""

from __future__ import annotations

import pytest
import torch
from scipy.optimize import linear_sum_assignment
from tests.nn.self_supervised.dense_losses import dense_sinkhorn

from protosphere.errors import InvalidArgumentError
from protosphere.nn import sinkhorn


def scores(rows, columns, dtype=torch.float64):
    generator = torch.Generator().manual_seed(1)
    return 2 * torch.rand(rows, columns, generator=generator, dtype=dtype) - 1


@pytest.mark.parametrize("iterations", [1, 3, 10])
def test_equals_scaled_exponentials(iterations):
    given = scores(7, 11)
    found = sinkhorn(given, epsilon=0.07, iterations=iterations)
    torch.testing.assert_close(found, dense_sinkhorn(given, 0.07, iterations))


@pytest.mark.parametrize(("rows", "columns"), [(12, 5), (5, 12), (8, 8)])
def test_is_doubly_stochastic_in_the_limit(rows, columns):
    found = sinkhorn(scores(rows, columns), epsilon=0.1, iterations=3000)
    ones = torch.ones(rows, dtype=torch.float64)
    equal = torch.full((columns,), rows / columns, dtype=torch.float64)
    torch.testing.assert_close(found.sum(1), ones, rtol=0, atol=1e-12)
    torch.testing.assert_close(found.sum(0), equal, rtol=0, atol=1e-9)


def test_is_the_best_matching_for_small_epsilon():
    given = scores(6, 6)
    found = sinkhorn(given, epsilon=0.002, iterations=5000)
    _, best = linear_sum_assignment(given.numpy(), maximize=True)
    assert found.argmax(1).tolist() == best.tolist()
    assert float(found.amax(1).min()) > 0.99


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 1e3])
def test_does_not_overflow(epsilon):
    found = sinkhorn(100 * scores(9, 4, torch.float32), epsilon=epsilon)
    assert found.isfinite().all()
    torch.testing.assert_close(found.sum(1), torch.ones(9))


def test_follows_a_permutation_of_prototypes():
    given = scores(7, 11)
    order = torch.randperm(11, generator=torch.Generator().manual_seed(2))
    torch.testing.assert_close(sinkhorn(given[:, order]), sinkhorn(given)[:, order])


def test_leaves_the_scores_alone_and_has_no_gradient():
    given = scores(5, 3).requires_grad_()
    before = given.detach().clone()
    assert not sinkhorn(given, epsilon=1.0).requires_grad
    assert torch.equal(given, before)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_computes_in_float32_for_half_types(dtype):
    given = scores(20, 30).to(dtype)
    found = sinkhorn(given)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, sinkhorn(given.float()), rtol=0, atol=0)


@pytest.mark.parametrize(
    ("given", "options", "named"),
    [
        (torch.ones(3), {}, "'scores'"),
        (torch.ones(3, 2, dtype=torch.int64), {}, "'scores'"),
        (torch.ones(0, 2), {}, "'scores'"),
        (torch.ones(3, 2), {"epsilon": 0}, "'epsilon'"),
        (torch.ones(3, 2), {"epsilon": float("nan")}, "'epsilon'"),
        (torch.ones(3, 2), {"iterations": 0}, "'iterations'"),
        (torch.ones(3, 2), {"iterations": 2.5}, "'iterations'"),
    ],
)
def test_bad_input_is_refused_by_name(given, options, named):
    with pytest.raises(InvalidArgumentError, match=named):
        sinkhorn(given, **options)
