"""The default head in place of `nn.Linear`, on scikit-learn's digits: at least as accurate at ordinary learning rates.

A short form of `examples/replace_last_layer.py`; the whole table is in docs/studies/presets.md.
"""

from __future__ import annotations

import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn

from protosphere.nn import PrototypeHead

IMAGES, CLASSES = (torch.tensor(array) for array in load_digits(return_X_y=True))
HALF = len(IMAGES) // 2
EPOCHS = 15
SEEDS = 6


def accuracy(last, rate, seed, momentum=0.9):
    draw = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    images = ((IMAGES - IMAGES.mean()) / IMAGES.std()).float()
    model = nn.Sequential(
        nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), last()
    )
    solver = torch.optim.SGD(
        model.parameters(), rate, momentum=momentum, weight_decay=5e-4
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(solver, EPOCHS)
    for _ in range(EPOCHS):
        for batch in torch.randperm(HALF, generator=draw).split(64):
            solver.zero_grad()
            nn.functional.cross_entropy(model(images[batch]), CLASSES[batch]).backward()
            solver.step()
        schedule.step()
    with torch.no_grad():
        return (model(images[HALF:]).argmax(1) == CLASSES[HALF:]).double().mean().item()


def prototypes(preset=None):
    return nn.Sequential(nn.Linear(64, 9), PrototypeHead(10, dim=9, preset=preset))


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5])
def test_as_accurate_as_a_learned_layer(rate):
    plain = [accuracy(lambda: nn.Linear(64, 10), rate, seed) for seed in range(SEEDS)]
    ours = [accuracy(prototypes, rate, seed) for seed in range(SEEDS)]
    assert sum(ours) / SEEDS >= sum(plain) / SEEDS - 0.005
    assert min(ours) > 0.91


def test_the_default_preset_is_as_accurate_as_the_other_at_a_small_rate_without_momentum():
    means = {}
    for name in ("protosphere", "soft_cap"):
        runs = [
            accuracy(lambda name=name: prototypes(name), 0.01, seed, momentum=0.0)
            for seed in range(2)
        ]
        means[name] = sum(runs) / len(runs)
    default = PrototypeHead(10, dim=9).preset.name
    assert means[default] >= max(means.values()) - 0.01, means
