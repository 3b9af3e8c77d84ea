"""Closed-form gradients against automatic differentiation, and the descent against torch's own SGD."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from protosphere.constructions.descents.paper_objectives import (
    log_sum_exp_gradient,
    mean_row_max_gradient,
)
from protosphere.geometry.sphere import uniform_points
from protosphere.search.projected_descent import Descent, projected_descent


def log_sum_exp(points, temperature):
    above = torch.triu(
        torch.ones(len(points), len(points), dtype=torch.bool), diagonal=1
    )
    return (
        torch.logsumexp(temperature * (points @ points.T)[above], dim=0) / temperature
    )


def mean_row_max(points, _temperature):
    return (
        (points @ points.T - 2 * torch.eye(len(points), dtype=points.dtype))
        .max(dim=1)
        .values.mean()
    )


PAIRS = [(log_sum_exp_gradient, log_sum_exp), (mean_row_max_gradient, mean_row_max)]


@pytest.mark.parametrize(("gradient", "objective"), PAIRS)
@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 20), st.integers(1, 9), st.integers(0, 10**6), st.floats(0.5, 5000)
)
def test_gradient_is_the_derivative(
    gradient, objective, num_points, dim, seed, temperature
):
    start = uniform_points(num_points, dim, np.random.default_rng(seed))
    points = torch.tensor(start, requires_grad=True)
    objective(points, temperature).backward()
    # At a tie of the row maximum any of the tied subgradients will do; two points of R^1 tie all the time.
    if objective is mean_row_max and dim == 1:
        return
    torch.testing.assert_close(
        gradient(points.detach(), temperature), points.grad, rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize(("gradient", "objective"), PAIRS)
def test_descent_is_torch_sgd_with_projection(gradient, objective):
    steps = 25
    K = 12
    n = 5
    parameter = torch.nn.Parameter(
        torch.tensor(uniform_points(K, n, np.random.default_rng(3)))
    )
    sgd = torch.optim.SGD([parameter], lr=0.2, momentum=0.9)
    for step in range(steps):
        sgd.zero_grad()
        objective(parameter, 1 + (K - 1) * step / (steps - 1)).backward()
        sgd.step()
        with torch.no_grad():
            parameter /= parameter.norm(dim=1, keepdim=True)
    ours = projected_descent(
        K, n, gradient, Descent(steps, 0.2, 0.9, "float64"), np.random.default_rng(3)
    )
    np.testing.assert_allclose(ours, parameter.detach().numpy(), atol=1e-9)
