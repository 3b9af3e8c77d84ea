"""Prototypes in use, by entropy and by count."""

from __future__ import annotations

import pytest
import torch

from protosphere.errors import InvalidArgumentError
from protosphere.nn import prototypes_in_use


def test_equal_use_of_all_is_all():
    assert prototypes_in_use(torch.eye(7)) == pytest.approx((7, 7))


def test_collapse_to_one_is_one():
    collapsed = torch.zeros(5, 7)
    collapsed[:, 3] = 1
    assert prototypes_in_use(collapsed) == pytest.approx((1, 1))


def test_uniform_probabilities_use_all_by_entropy_and_one_by_count():
    used = prototypes_in_use(torch.full((5, 7), 1 / 7))
    assert used.effective == pytest.approx(7)
    assert used.chosen == 1


def test_entropy_is_that_of_the_mean_assignment():
    assignments = torch.tensor([[0.9, 0.1, 0.0], [0.3, 0.7, 0.0]])
    used = prototypes_in_use(assignments)
    entropy = torch.distributions.Categorical(torch.tensor([0.6, 0.4, 0.0])).entropy()
    assert used == pytest.approx((float(entropy.exp()), 2))


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32])
def test_counts_are_taken_as_they_are(dtype):
    used = prototypes_in_use(torch.tensor([3, 0, 1, 0], dtype=dtype))
    entropy = torch.distributions.Categorical(torch.tensor([0.75, 0.25])).entropy()
    assert used == pytest.approx((float(entropy.exp()), 2))


@pytest.mark.parametrize(
    "given",
    [
        torch.ones(2, 2, 2),
        torch.ones(0),
        torch.zeros(4),
        torch.tensor([1.0, -1.0]),
        torch.tensor([1.0, float("nan")]),
        torch.tensor([1.0, float("inf")]),
    ],
)
def test_bad_input_is_refused_by_name(given):
    with pytest.raises(InvalidArgumentError, match="'assignments'"):
        prototypes_in_use(given)
