"""Every loss against its textbook formula, written out with arccosines and B x K logits."""

from __future__ import annotations

import math

import pytest
import torch
from tests.nn.product_codes import product_code, quantized_code
from torch.nn import functional

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.nn import (
    LOSSES,
    PRESETS,
    AdditiveAngularMargin,
    AdditiveCosineMargin,
    CosineCrossEntropy,
    DotRegression,
    LogitCrossEntropy,
    PrototypeHead,
    SquaredCosineDistance,
)
from protosphere.nn.losses import squared_cosine_distance
from protosphere.nn.losses.additive_angular_margin import cosine_after
from protosphere.nn.losses.registry import loss

CODES = [
    ps.construct("cross_polytope", num_classes=12, dim=6),
    ps.construct("kerdock", num_classes=200, dim=16),
    ps.construct("simplex", num_classes=5, dim=9),
    product_code(((4, 3), (5, 4))),
    product_code(((4, 3), (5, 4)), num_classes=13),
    quantized_code(num_classes=13),
]
SCALE = 8.0
MARGIN = 0.2


def cross_entropy(cosines, classes):
    return functional.cross_entropy(SCALE * cosines, classes)


def lowered(cosines, classes):
    return cross_entropy(
        cosines - MARGIN * functional.one_hot(classes, cosines.shape[1]), classes
    )


def turned(cosines, classes):
    angles = torch.acos(cosines.clamp(-1, 1)) + MARGIN * functional.one_hot(
        classes, cosines.shape[1]
    )
    return cross_entropy(
        torch.where(angles <= math.pi, torch.cos(angles), -2 - torch.cos(angles)),
        classes,
    )


def own(cosines, classes):
    return cosines[torch.arange(len(classes)), classes]


NAIVE = {
    CosineCrossEntropy: (cross_entropy, {"scale": SCALE}),
    AdditiveCosineMargin: (lowered, {"scale": SCALE, "margin": MARGIN}),
    AdditiveAngularMargin: (turned, {"scale": SCALE, "margin": MARGIN}),
    SquaredCosineDistance: (
        lambda cosines, classes: ((1 - own(cosines, classes)) ** 2).mean(),
        {},
    ),
}

LENGTH_DEPENDENT = (DotRegression, LogitCrossEntropy)
"""Losses that are no function of the cosines; each has a test of its own."""

EVERY_LOSS = (*NAIVE, *LENGTH_DEPENDENT)


def z_and_classes(code):
    draw = torch.Generator().manual_seed(1)
    classes = torch.randint(code.num_classes, (32,), generator=draw)
    noise = torch.randn(32, code.dim, generator=draw, dtype=torch.float64)
    nearness = torch.linspace(-3, 3, 32, dtype=torch.float64)[
        :, None
    ]  # from antipodal to the target to close to it
    return (
        noise + nearness * torch.tensor(code.points)[classes]
    ).requires_grad_(), classes


@pytest.mark.parametrize("code", CODES, ids=repr)
@pytest.mark.parametrize("kind", NAIVE, ids=lambda kind: kind.__name__)
def test_value_and_gradient(kind, code):
    formula, options = NAIVE[kind]
    z, classes = z_and_classes(code)
    naive = formula(
        functional.normalize(z, dim=1) @ torch.tensor(code.points).T, classes
    )
    found = kind(code, **options).double()(z, classes)
    torch.testing.assert_close(found, naive, atol=1e-6, rtol=1e-6)
    torch.testing.assert_close(
        *(torch.autograd.grad(loss, z)[0] for loss in (found, naive)),
        atol=1e-6,
        rtol=1e-5,
    )


def test_every_registered_loss_is_here():
    assert {entry.module for entry in LOSSES.values()} == set(EVERY_LOSS)
    with pytest.raises(
        InvalidArgumentError,
        match="a loss named 'squared_cosine' is registered already",
    ):
        loss("squared_cosine", squared_cosine_distance, summary="", reference="")(
            SquaredCosineDistance
        )
    with pytest.raises(InvalidArgumentError, match="did you mean 'squared_cosine'"):
        LOSSES.named("squared_cosin")


@pytest.mark.parametrize("preset", PRESETS)
def test_cross_entropy_is_that_of_the_heads_logits(preset):
    code = CODES[1]
    z, classes = z_and_classes(code)
    head = PrototypeHead(code, preset=preset).double()
    plain = functional.cross_entropy(head(z), classes)
    torch.testing.assert_close(LogitCrossEntropy(head)(z, classes), plain)
    dots = functional.cross_entropy(z @ torch.tensor(code.points).T, classes)
    torch.testing.assert_close(LogitCrossEntropy(code).double()(z, classes), dots)


def test_a_scale_that_the_head_learns_is_the_losses_too():
    head = PrototypeHead(CODES[0], scale="learn")
    assert CosineCrossEntropy(head).scaling is head.scaling
    assert CosineCrossEntropy(head, scale=3.0).scaling.value == 3.0


@pytest.mark.parametrize("code", CODES, ids=repr)
def test_dot_regression(code):
    z, classes = z_and_classes(code)
    dots = (z * torch.tensor(code.points)[classes]).sum(1)
    torch.testing.assert_close(
        DotRegression(code, radius=2.0).double()(z, classes),
        ((dots - 2) ** 2 / 4).mean(),
    )
    on_sphere = functional.normalize(z, dim=1)
    half = DotRegression(code).double()(on_sphere, classes)
    torch.testing.assert_close(
        half, SquaredCosineDistance(code).double()(z, classes) / 2
    )


def test_a_head_lends_its_prototypes():
    head = PrototypeHead(10, dim=9)
    z = torch.randn(4, 9)
    classes = torch.arange(4)
    harder = AdditiveAngularMargin(head)
    assert harder.projection is head.projection
    assert harder(z, classes) > CosineCrossEntropy(head)(z, classes), (
        "a margin makes it harder"
    )


def test_the_turned_cosine_never_rises():
    cosines = torch.cos(torch.linspace(0, math.pi, 2001, dtype=torch.float64))
    after = cosine_after(cosines, 0.7)
    assert (after.diff() <= 1e-12).all()
    assert after.diff().abs().max() < 2e-3, "no jump"


@pytest.mark.parametrize("kind", [AdditiveAngularMargin, AdditiveCosineMargin])
def test_a_certain_z_gives_a_finite_gradient(kind):
    code = CODES[0]
    z = (1e3 * torch.tensor(code.points, dtype=torch.float32)).requires_grad_()
    kind(code, scale=64.0)(z, torch.arange(12)).backward()
    assert torch.isfinite(z.grad).all()


def test_a_margin_is_limited_by_the_code():
    code = CODES[0]
    with pytest.raises(
        InvalidArgumentError,
        match=r"'margin' must be below 1.5708, the smallest angle.*got 1.6",
    ):
        AdditiveAngularMargin(code, margin=1.6)
    with pytest.raises(
        InvalidArgumentError,
        match=r"'margin' must be below 1, 1 - max cosine of .*got 1",
    ):
        AdditiveCosineMargin(code, margin=1.0)
    with pytest.raises(
        InvalidArgumentError, match="'radius' must be a finite number above 0"
    ):
        DotRegression(code, radius=0)


@pytest.mark.parametrize("kind", EVERY_LOSS, ids=lambda kind: kind.__name__)
def test_a_loss_of_no_prototypes(kind):
    with pytest.raises(
        InvalidArgumentError, match="made from a PrototypeHead or a code, got 3"
    ):
        kind(3)


@pytest.mark.parametrize("kind", EVERY_LOSS, ids=lambda kind: kind.__name__)
def test_targets_that_are_no_classes(kind):
    criterion, (z, classes) = kind(CODES[0]).double(), z_and_classes(CODES[0])
    ignored = torch.where(torch.arange(32) < 16, classes, -100)
    torch.testing.assert_close(criterion(z, ignored), criterion(z[:16], classes[:16]))
    with pytest.raises(
        InvalidArgumentError, match=r"'target' must lie in 0, ..., 11, got"
    ):
        criterion(z, classes + 1)
