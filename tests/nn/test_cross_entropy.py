"""`head.loss` takes what torch's cross_entropy takes, and gives what it gives for the head's logits."""

from __future__ import annotations

from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.nn.product_codes import code_of
from torch import nn
from torch.nn.functional import cross_entropy

from protosphere.errors import InvalidArgumentError
from protosphere.nn import PRESETS, PrototypeHead
from protosphere.nn.projections import projection

CODES = {
    "matrix": ("uniform", 30, 7, {}, "dense"),
    "cosets": ("kerdock", 280, 16, {}, "hadamard"),
    "shuffled": ("kerdock", 1003, 64, {"mapping": "random"}, "hadamard"),
    "glue": ("construction_x", 3001, 70, {}, "hadamard"),
    "axes": ("cross_polytope", 11, 6, {}, "axes"),
    "simplex": ("simplex", 9, 12, {"mapping": "random"}, "simplex"),
    "simplices": ("orthogonal_simplices", 14, 9, {}, "simplices"),
    "parts": ("product", 180, 12, {}, "parts"),
    "parts, shuffled": ("product", 180, 10, {"mapping": "random"}, "parts"),
    "parts, some": ("product", 101, 10, {}, "parts"),
    "quantized": ("quantized", 101, 12, {}, "quantized"),
}
EACH = pytest.mark.parametrize("name", CODES)
PRECISION = {
    torch.float64: 1e-9,
    torch.float32: 2e-5,
    torch.bfloat16: 2e-2,
    torch.float16: 4e-3,
}


@cache
def head_of(name, preset="lindstrom", dtype=torch.float64):
    scheme, num_classes, dim, options, kind = CODES[name]
    code = code_of(scheme, num_classes, dim, **options)
    return PrototypeHead(code, projection=kind, preset=preset).to(dtype)


def by_torch(head, z, target, **options):
    """From all logits, in float32 for half types; the classes in torch's place for them."""
    logits = head(z.float() if z.dtype in (torch.bfloat16, torch.float16) else z)
    if z.ndim > 1:
        logits = logits.movedim(-1, 1)
        target = target.movedim(-1, 1) if target.is_floating_point() else target
    return cross_entropy(logits, target, **options)


def close(ours, theirs, dtype, *, times=1.0):
    torch.testing.assert_close(
        ours.double(),
        theirs.double(),
        rtol=PRECISION[dtype],
        atol=PRECISION[dtype] * times,
        equal_nan=True,
    )


@st.composite
def losses(draw):
    """A head, z, a target of any kind, and options."""
    name = draw(st.sampled_from(sorted(CODES)))
    dtype = draw(st.sampled_from(list(PRECISION)))
    head = head_of(
        name, draw(st.sampled_from(["lindstrom", "protosphere", "kasarla"])), dtype
    )
    rng = torch.Generator().manual_seed(draw(st.integers(0, 999)))
    shape = draw(st.sampled_from([(), (1,), (5,), (0,), (2, 3), (2, 0), (2, 2, 2)]))
    z = torch.randn(*shape, head.dim, generator=rng).to(dtype) * draw(
        st.sampled_from([1.0, 20.0, 0.0])
    )
    options = {
        "label_smoothing": draw(st.sampled_from([0.0, 0.1, 1.0])),
        "reduction": draw(st.sampled_from(["mean", "sum", "none"])),
    }
    wide = torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype
    if draw(st.booleans()):
        options["weight"] = torch.rand(head.num_classes, generator=rng).to(wide)
    if draw(st.booleans()):
        shares = torch.rand(*shape, head.num_classes, generator=rng)
        return head, z, (1.5 * shares / shares.sum(-1, keepdim=True)).to(wide), options
    target = torch.randint(head.num_classes, shape, generator=rng)
    if draw(st.booleans()) and shape:
        options["ignore_index"] = draw(st.sampled_from([-100, 3, 255]))
        target = torch.where(
            torch.rand(shape, generator=rng) < 0.3, options["ignore_index"], target
        )
    return head, z, target, options


@pytest.mark.slow
@given(losses())
@settings(max_examples=150, deadline=None)
def test_value_and_gradients_are_those_of_torch(case):
    head, z, target, options = case
    inputs = [
        z.requires_grad_(),
        *([target.requires_grad_()] if target.is_floating_point() else []),
    ]
    ours = head.loss(z, target, **options)
    theirs = by_torch(head, z, target, **options)
    assert ours.shape == theirs.shape
    assert not (ours < 0).any()
    close(ours, theirs, z.dtype)
    cotangent = torch.linspace(1, 2, ours.numel(), dtype=ours.dtype).view(ours.shape)
    for mine, other in zip(
        torch.autograd.grad(ours, inputs, cotangent),
        torch.autograd.grad(theirs, inputs, cotangent),
        strict=True,
    ):
        assert mine.dtype == other.dtype
        # Both gradients multiply rounding errors of cosines by the scale.
        close(mine, other, z.dtype, times=max(1.0, float(head.scaling.value) / 100))


@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8, torch.int16, torch.int8])
@pytest.mark.parametrize("preset", PRESETS)
def test_classes_of_any_integer_type(dtype, preset):
    head = head_of("matrix", preset)
    z = torch.randn(4, 7, dtype=torch.float64)
    target = torch.tensor([3, 0, 29, 7])
    assert torch.equal(head.loss(z, target.to(dtype)), head.loss(z, target))


def test_bytes_may_ignore_255():
    head = head_of("matrix")
    z = torch.randn(2, 7, dtype=torch.float64)
    target = torch.tensor([3, 255], dtype=torch.uint8)
    assert torch.equal(
        head.loss(z, target, ignore_index=255), head.loss(z[:1], target[:1])
    )


def test_the_loss_of_a_mettes_head_takes_more_dimensions_too():
    head = head_of("matrix", "mettes")
    z = torch.randn(2, 3, 7, dtype=torch.float64)
    target = torch.arange(6).view(2, 3)
    torch.testing.assert_close(
        head.loss(z, target), head.loss(z.view(6, 7), target.flatten())
    )
    target[0, 1] = -100
    kept = target.flatten() != -100
    torch.testing.assert_close(
        head.loss(z, target), head.loss(z.view(6, 7)[kept], target.flatten()[kept])
    )


@EACH
@pytest.mark.parametrize("as_probabilities", [False, True])
@pytest.mark.parametrize("one_weight", [False, True])
def test_a_loss_is_never_negative(name, as_probabilities, one_weight):
    head = head_of(name, dtype=torch.float32)
    target = torch.arange(head.num_classes)[:200]
    z = (300 * head.prototypes(target)).requires_grad_()
    if as_probabilities:
        q = nn.functional.one_hot(target, head.num_classes).float()
    else:
        q = target
    weight = (torch.arange(head.num_classes) == 1).float() if one_weight else None
    smoothing = 0.3 if one_weight else 0.0
    ours = head.loss(z, q, weight, smoothing, "none")
    assert (ours >= 0).all()
    (found,) = torch.autograd.grad(ours.sum(), z)
    exact = z.detach().double().requires_grad_()
    theirs = by_torch(head_of(name), exact, q.double() if as_probabilities else q, label_smoothing=smoothing,
                      weight=None if weight is None else weight.double(), reduction="none")  # fmt: skip
    (expected,) = torch.autograd.grad(theirs.sum(), exact)
    torch.testing.assert_close(found.double(), expected, rtol=1e-3, atol=1e-4)


def test_negative_weights_give_negative_losses_as_in_torch():
    head = head_of("matrix")
    z = torch.randn(4, 7, dtype=torch.float64)
    weight = -torch.rand(30, dtype=torch.float64)
    for target in (torch.arange(4), torch.rand(4, 30, dtype=torch.float64)):
        options = {"weight": weight, "label_smoothing": 0.2, "reduction": "none"}
        close(
            head.loss(z, target, **options),
            by_torch(head, z, target, **options),
            torch.float64,
        )
        assert (head.loss(z, target, **options) < 0).all()


@pytest.mark.parametrize(
    ("target", "got"),
    [
        (torch.zeros(4), r"torch.float32 of shape \(4,\)"),
        (torch.zeros(4, 29), r"torch.float32 of shape \(4, 29\)"),
        (torch.zeros(4, 30, dtype=torch.int64), r"torch.int64 of shape \(4, 30\)"),
        (torch.zeros(4, dtype=torch.bool), r"torch.bool of shape \(4,\)"),
        (torch.zeros(3, dtype=torch.int64), r"torch.int64 of shape \(3,\)"),
    ],
)
def test_targets_that_are_none_are_refused_in_one_sentence(target, got):
    needed = r"'target' must hold classes, integers of shape \(4,\), or probabilities of shape \(4, 30\), got "
    with pytest.raises(InvalidArgumentError, match=needed + got):
        head_of("matrix").loss(torch.zeros(4, 7), target)


@pytest.mark.parametrize("wrong", [-1, 30, 255])
@pytest.mark.parametrize("preset", ["lindstrom", "mettes"])
def test_a_class_out_of_range_is_refused_in_one_sentence(wrong, preset):
    with pytest.raises(
        InvalidArgumentError,
        match=rf"'target' must lie in 0, ..., 29, got {min(wrong, 0)}\.\.",
    ):
        head_of("matrix", preset).loss(torch.zeros(2, 7), torch.tensor([0, wrong]))


def test_a_weight_is_a_constant():
    with pytest.raises(
        InvalidArgumentError, match=r"'weight' must be constant.*weight\.detach\(\)"
    ):
        head_of("matrix").loss(
            torch.zeros(2, 7), torch.arange(2), torch.ones(30, requires_grad=True)
        )


@pytest.mark.slow
@EACH
def test_probabilities_take_no_second_block_of_their_size(name, monkeypatch):
    monkeypatch.setattr(projection, "WEIGHTS_ENTRIES", 1 << 14)
    head = head_of(name, dtype=torch.float32)
    batch = (1 << 18) // head.num_classes
    z = torch.randn(batch, head.dim)
    target = torch.rand(batch, head.num_classes)
    weight = torch.rand(head.num_classes)
    with torch.profiler.profile(profile_memory=True) as profile, torch.no_grad():
        sums, totals = head.projection.weighted_prototypes(target, weight)
    torch.testing.assert_close(
        sums, (target * weight) @ head.prototypes(), rtol=1e-4, atol=1e-2
    )
    torch.testing.assert_close(totals, target @ weight, rtol=1e-4, atol=1e-4)
    largest = max(event.self_cpu_memory_usage for event in profile.events())
    assert largest < max(z.nbytes + 1, target.nbytes // 4)


@EACH
@pytest.mark.parametrize("z_dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("target_dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_probabilities_of_another_type_are_computed_in_the_finer_one(
    name, z_dtype, target_dtype
):
    finer = torch.promote_types(
        torch.float32, torch.promote_types(z_dtype, target_dtype)
    )
    head = head_of(name)
    rng = torch.Generator().manual_seed(0)
    z = (
        torch.randn(5, head.dim, generator=rng, dtype=torch.float64)
        .to(z_dtype)
        .requires_grad_()
    )
    target = torch.randn(5, head.num_classes, generator=rng).softmax(1).to(target_dtype)
    exact = z.detach().double().requires_grad_()
    expected = cross_entropy(head(exact), target.double())
    found = head.loss(z, target)
    assert found.dtype == finer
    torch.testing.assert_close(
        found.double(), expected, rtol=PRECISION[finer], atol=PRECISION[finer]
    )
    (gradient,) = torch.autograd.grad(found, z)
    (expected_gradient,) = torch.autograd.grad(expected, exact)
    assert gradient.dtype == z_dtype
    torch.testing.assert_close(
        gradient.double(),
        expected_gradient,
        rtol=PRECISION[z_dtype],
        atol=PRECISION[z_dtype],
    )
