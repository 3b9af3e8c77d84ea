"""Vectors of every length that their type can hold: normalized without overflow or underflow."""

from __future__ import annotations

import pytest
import torch

from protosphere.nn import PRESETS, PrototypeHead
from protosphere.nn.functional import SMALLEST_NORM, soft_unit, unit

FACTORS = {
    torch.float32: [1e-36, 1e-25, 1e-13, 1e-6, 1e6, 1e15, 1.9e19, 1e30, 1e37],
    torch.float64: [1e-300, 1e-160, 1e-25, 1e25, 1e160, 1e300],
    torch.bfloat16: [2.0**-110, 2.0**-40, 2.0**64, 2.0**120],
}
EVERY = [(dtype, factor) for dtype, factors in FACTORS.items() for factor in factors]


def vectors(dtype=torch.float32):
    return torch.randn(
        6, 9, generator=torch.Generator().manual_seed(0), dtype=torch.float64
    ).to(dtype)


@pytest.mark.parametrize(("dtype", "factor"), EVERY)
def test_cosines_do_not_depend_on_length(dtype, factor):
    head = PrototypeHead(10, dim=9).to(dtype)
    z = vectors(dtype)
    short = head.decode(z)
    long = head.decode(z * factor)
    assert torch.equal(short.classes, long.classes)
    torch.testing.assert_close(
        long.cosines,
        short.cosines,
        rtol=1e-2 if dtype == torch.bfloat16 else 1e-5,
        atol=0,
    )
    for kind in ("max_cosine", "margin"):
        torch.testing.assert_close(
            head.score(z * factor, kind), head.score(z, kind), rtol=1e-2, atol=1e-2
        )


@pytest.mark.parametrize(
    ("dtype", "factor"), [(d, f) for d, f in EVERY if f > 1e3 and d != torch.bfloat16]
)
@pytest.mark.parametrize("preset", ["soft_cap", "protosphere"])
def test_logits_of_long_vectors_are_those_of_the_sphere(preset, dtype, factor):
    head = PrototypeHead(10, dim=9, preset=preset).to(dtype)
    z = vectors(dtype)
    on_sphere = head.scaling.value * head.projection(unit(z))
    torch.testing.assert_close(head(z * factor), on_sphere, rtol=1e-4, atol=1e-4)
    assert torch.isfinite(head.loss(z * factor, torch.arange(6)))


@pytest.mark.parametrize("preset", sorted(set(PRESETS) - {"lindstrom", "kasarla"}))
@pytest.mark.parametrize("factor", [0, 1e-40, 1e-30, 1e-5, 1, 1e5, 1e19, 1e30, 1e38])
def test_gradients_are_finite_at_every_length(preset, factor):
    head = PrototypeHead(10, dim=9, preset=preset)
    z = (vectors() * factor).requires_grad_()
    head.loss(z, torch.arange(6)).backward()
    assert torch.isfinite(z.grad).all()


def test_only_zero_has_no_direction():
    z = torch.zeros(2, 5)
    z[1, 3] = -1e-30
    assert torch.equal(unit(z), torch.tensor([[0.0] * 5, [0, 0, 0, -1, 0]]))


@pytest.mark.parametrize("function", [unit, soft_unit])
def test_derivatives_are_those_of_the_formula(function):
    z = vectors(torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(function, z)
    assert torch.autograd.gradgradcheck(function, z)
    tiny = torch.full(
        (1, 4), SMALLEST_NORM / 8, dtype=torch.float64, requires_grad=True
    )
    assert torch.isfinite(torch.autograd.grad(function(tiny).sum(), tiny)[0]).all()
