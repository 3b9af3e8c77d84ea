"""The losses as their papers write them: B x K logits, one pair of views after the other, float64."""

from __future__ import annotations

import torch
from torch.nn.functional import normalize

import protosphere as ps
from protosphere.nn import LearnedPrototypes
from protosphere.nn.projections import projection_for

BATCH = 6


def dense_sinkhorn(scores, epsilon=0.05, iterations=3):
    """Scale columns, then rows, of exp(scores / epsilon)."""
    plan = torch.exp(scores / epsilon)
    for _ in range(iterations):
        plan = plan / plan.sum(0, keepdim=True)
        plan = plan / plan.sum(1, keepdim=True)
    return plan


def dense_cross_entropy(probabilities, logits):
    return -(probabilities * logits.log_softmax(1)).sum(1).mean()


def dense_swapped(views, matrix, temperature=0.1, epsilon=0.05, iterations=3):
    cosines = [normalize(view) @ normalize(matrix).T for view in views]
    losses = [
        dense_cross_entropy(
            dense_sinkhorn(cosines[i].detach(), epsilon, iterations),
            cosines[j] / temperature,
        )
        for i in range(len(views))
        for j in range(len(views))
        if i != j
    ]
    return torch.stack(losses).mean()


def dense_dino(student, teacher_probabilities, matrix, student_temp=0.1):
    losses = [
        dense_cross_entropy(
            probabilities, normalize(view) @ normalize(matrix).T / student_temp
        )
        for i, probabilities in enumerate(teacher_probabilities)
        for j, view in enumerate(student)
        if i != j
    ]
    return torch.stack(losses).mean()


def fixed(code, kind):
    """A float64 projection of a code, and its points."""
    return projection_for(code, kind, torch.float64), torch.tensor(code.points)


def learned(num_classes, dim):
    prototypes = LearnedPrototypes(num_classes, dim, seed=3).double()
    with torch.no_grad():
        prototypes.weight.mul_(torch.rand(num_classes, 1, dtype=torch.float64) + 0.5)
    return prototypes, prototypes.weight


KINDS = {
    "dense": lambda: fixed(ps.best(num_classes=50, dim=8, iterations=0), "dense"),
    "hadamard": lambda: fixed(
        ps.construct("kerdock", num_classes=200, dim=16), "hadamard"
    ),
    "simplex": lambda: fixed(
        ps.construct("simplex", num_classes=12, dim=11), "simplex"
    ),
    "parts": lambda: fixed(ps.compose(sizes=(4, 5)), "parts"),
    "learned": lambda: learned(50, 8),
}
"""Prototypes of each kind, and the matrix of their points, by name."""


def draws(num_views, dim, seed=0, batch=BATCH):
    """Embeddings of some views, neither normalized nor small."""
    generator = torch.Generator().manual_seed(seed)
    return [
        3 * torch.randn(batch, dim, generator=generator, dtype=torch.float64)
        for _ in range(num_views)
    ]


def leaves(views):
    return [view.clone().requires_grad_() for view in views]
