"""A head in any floating type does all a head does: every projection, every type, every use."""

from __future__ import annotations

import copy
from functools import cache

import pytest
import torch
from tests.nn.product_codes import code_of
from torch import nn

import protosphere as ps
from protosphere.nn import PRESETS, AdditiveAngularMargin, PrototypeHead

CODES = {
    "matrix": ("uniform", 300, 8, {}, "dense"),
    "cosets": ("kerdock", 4096, 64, {}, "hadamard"),
    "cosets and a rest, shuffled": (
        "kerdock",
        1003,
        64,
        {"mapping": "random"},
        "hadamard",
    ),
    "no opposites": ("shortened_cosets", 2000, 61, {}, "hadamard"),
    "glue": ("construction_x", 3001, 70, {}, "hadamard"),
    "axes": ("cross_polytope", 19, 12, {}, "axes"),
    "simplex": ("simplex", 60, 64, {"mapping": "random"}, "simplex"),
    "simplices": ("orthogonal_simplices", 50, 40, {}, "simplices"),
    "parts": ("product", 180, 12, {}, "parts"),
    "parts, some": ("product", 101, 10, {}, "parts"),
    "quantized": ("quantized", 101, 12, {}, "quantized"),
}
NEAR = {
    torch.float64: 1e-10,
    torch.float32: 2e-5,
    torch.bfloat16: 4e-2,
    torch.float16: 5e-3,
}
"""Of cosines, whose prototypes may be rounded too."""

EACH_CODE = pytest.mark.parametrize("name", CODES)
EACH_TYPE = pytest.mark.parametrize("dtype", NEAR, ids=str)


@cache
def head_of(name):
    scheme, num_classes, dim, options, kind = CODES[name]
    code = code_of(scheme, num_classes, dim, **options)
    return PrototypeHead(code, projection=kind, preset="protosphere")


def cast_head(name, dtype):
    return copy.deepcopy(head_of(name)).to(dtype)


def vectors(name, dtype, batch=7):
    z = torch.randn(
        batch,
        head_of(name).dim,
        generator=torch.Generator().manual_seed(0),
        dtype=torch.float64,
    )
    return nn.functional.normalize(z, dim=1).to(dtype)


def points(name):
    return torch.from_numpy(head_of(name).code.points)


def close(found, expected, dtype, size=1.0):
    torch.testing.assert_close(
        found.double(), expected.double(), rtol=0, atol=NEAR[dtype] * size
    )


@pytest.mark.slow
@EACH_CODE
@EACH_TYPE
@pytest.mark.parametrize("input_dtype", NEAR, ids=str)
def test_every_use(name, dtype, input_dtype):
    """Inputs may be of another type than the head."""
    head = cast_head(name, dtype)
    z = vectors(name, input_dtype).requires_grad_()
    coarse = max(dtype, input_dtype, key=NEAR.get)
    exact = z.detach().double().requires_grad_()
    cosines = exact @ points(name).T
    logits = cosines / 2 * head.scaling.value
    size = head.scaling.value / 2
    found = head(z)
    assert found.dtype == input_dtype
    close(found, logits, coarse, 2 * size)
    target = torch.arange(7) * 2
    losses = (
        head.loss(z, target, reduction="none"),
        nn.functional.cross_entropy(logits, target, reduction="none"),
    )
    close(*losses, coarse, 2 * size)
    close(head.score(z, "max_cosine"), cosines.max(1).values, coarse)
    close(
        head.score(z, "margin"),
        cosines.topk(2).values @ torch.tensor([1.0, -1.0]).double(),
        coarse,
        2,
    )
    close(head.score(z, "energy"), logits.logsumexp(1), coarse, 2 * size)
    nearest = head.decode(z, k=3)
    close(nearest.cosines, cosines.topk(3).values, coarse)
    close(cosines.gather(1, nearest.classes), cosines.topk(3).values, coarse, 2)
    (mine,), (theirs,) = (
        torch.autograd.grad(loss.sum(), v)
        for loss, v in zip(losses, (z, exact), strict=True)
    )
    assert mine.dtype == input_dtype
    along = (
        theirs - (theirs * exact).sum(1, keepdim=True) * exact / 2
    )  # of z / (1 + |z|) on the sphere
    close(mine, along, coarse, 4 * size)
    found.sum().backward()
    assert z.grad.dtype == input_dtype


@EACH_CODE
@EACH_TYPE
@pytest.mark.parametrize("cast", [torch.bfloat16, torch.float16], ids=str)
def test_under_autocast(name, dtype, cast):
    head = cast_head(name, dtype)
    z = vectors(name, dtype)
    target = torch.arange(7)
    plain = head(z), head.loss(z, target), head.score(z, "energy")
    with torch.autocast("cpu", cast):
        inside = z.clone().requires_grad_()
        found = head(inside), head.loss(inside, target), head.score(inside, "energy")
        nearest = head.decode(inside, 2)
    torch.testing.assert_close(found, plain)
    torch.testing.assert_close(tuple(nearest), tuple(head.decode(z, 2)))
    found[1].backward()
    assert inside.grad.isfinite().all()


@pytest.mark.parametrize("preset", PRESETS)
@EACH_TYPE
def test_every_preset(preset, dtype):
    head = PrototypeHead(10, dim=16, preset=preset, scale="learn").to(dtype)
    z = torch.randn(4, 16).to(dtype).requires_grad_()
    head.loss(z, torch.arange(4)).backward()
    head(z).sum().backward()
    assert z.grad.dtype == head.scaling.shift.grad.dtype == dtype
    loss = AdditiveAngularMargin(head, margin=0.1)
    assert loss(z, torch.arange(4)).isfinite()


@EACH_CODE
def test_types_and_back_lose_nothing(name):
    """What was rounded to half a type, or taken from float32, is the code's points again."""
    head = cast_head(name, torch.bfloat16)
    assert head.prototypes().shape == points(name).shape
    before = head_of(name).prototypes()
    assert torch.equal(head.float().prototypes(), before)
    like = points(name)
    exact = head.double().projection.prototypes(torch.arange(head.num_classes), like)
    torch.testing.assert_close(exact, like, rtol=0, atol=1e-12)
    assert torch.equal(head.half().float().prototypes(), before)


def test_as_many_classes_as_cost_something():
    head = PrototypeHead(ps.construct("kerdock", num_classes=65_536, dim=256))
    z = torch.randn(20, 256, requires_grad=True)
    expected = head.loss(z, torch.arange(20))
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        head.to(dtype)
        loss = head.loss(z.to(dtype), torch.arange(20))
        loss.backward()
        torch.testing.assert_close(loss.float(), expected, rtol=1e-2, atol=1e-2)
