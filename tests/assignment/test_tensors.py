"""Similarities given as tensors, of types that numpy does not have among them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import protosphere as ps
from protosphere.assignment.similarity import as_similarity

CODE = ps.construct("cross_polytope", num_classes=4, dim=2)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float8_e5m2, torch.float32, torch.float64])
def test_tensors_of_every_floating_type_are_similarities(dtype):
    halves = torch.tensor([[1, 0.5, 0, 0.25], [0.5, 1, 0.75, 0], [0, 0.75, 1, 0.5], [0.25, 0, 0.5, 1]])
    found = ps.assign(CODE, halves.to(dtype))
    assert np.array_equal(found.points, ps.assign(CODE, halves.numpy()).points)
    assert np.array_equal(as_similarity(halves.to(dtype).requires_grad_(), 4), as_similarity(halves, 4))


def test_lists_integers_and_tensors_are_taken():
    alike = np.array([[0, 9, 1, 1], [9, 0, 1, 1], [1, 1, 0, 9], [1, 1, 9, 0]])
    orders = [ps.assign(CODE, given).points for given in (alike, alike.tolist(), torch.tensor(alike), alike * 1.0)]
    assert all(np.array_equal(orders[0], points) for points in orders)
