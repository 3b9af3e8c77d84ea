"""`functional.linear_cross_entropy` against torch's, which multiplies by the matrix of all points."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.nn.product_codes import product_code, quantized_code
from torch.nn import functional

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.nn import PrototypeHead
from protosphere.nn.functional import linear_cross_entropy
from protosphere.nn.projections import projection_for

CODES = {
    "matrix": ps.construct("uniform", num_classes=30, dim=7),
    "cosets": ps.construct("kerdock", num_classes=280, dim=16),
    "parts": product_code(),
    "parts, some": product_code(num_classes=61),
    "quantized": quantized_code(),
}


def dense(z, code, target, **options):
    """From all logits, classes in torch's place for them."""
    scale = options.pop("scale", 1.0)
    logits = scale * z @ torch.from_numpy(code.points).to(z.dtype).T
    flat = target.flatten(0, -2) if target.is_floating_point() else target.flatten()
    return functional.cross_entropy(logits.flatten(0, -2), flat, **options)


def forms(code):
    """The prototypes in every form that the function takes."""
    points = torch.from_numpy(code.points)
    return [code, points, projection_for(code, dtype=torch.float64)]


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_loss_and_gradient_are_those_of_all_logits(data):
    code = CODES[data.draw(st.sampled_from(sorted(CODES)))]
    prototypes = data.draw(st.sampled_from(forms(code)))
    rng = torch.Generator().manual_seed(data.draw(st.integers(0, 99)))
    z = torch.randn(2, 3, code.dim, generator=rng, dtype=torch.float64)
    if data.draw(st.booleans()):
        target = torch.randint(code.num_classes, (2, 3), generator=rng)
        target[0, 1] = 5
    else:
        target = torch.rand(2, 3, code.num_classes, generator=rng, dtype=z.dtype)
    options = {
        "reduction": data.draw(st.sampled_from(["mean", "sum"])),
        "label_smoothing": data.draw(st.sampled_from([0.0, 0.1])),
        "scale": data.draw(st.sampled_from([1.0, 9.0])),
    }
    if not target.is_floating_point() and data.draw(st.booleans()):
        options["ignore_index"] = 5
    if data.draw(st.booleans()):
        options["weight"] = torch.rand(code.num_classes, generator=rng, dtype=z.dtype)
    ours, theirs = z.clone().requires_grad_(), z.clone().requires_grad_()
    found = linear_cross_entropy(ours, prototypes, target, **options)
    expected = dense(theirs, code, target, **options)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    found.backward()
    expected.backward()
    torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("name", CODES)
def test_return_lse_gives_differentiable_log_sum_exps(name):
    code = CODES[name]
    z = torch.randn(4, code.dim, dtype=torch.float64, requires_grad=True)
    target = torch.arange(4)
    loss, lse = linear_cross_entropy(z, code, target, reduction="none", return_lse=True)
    logits = z @ torch.from_numpy(code.points).T
    torch.testing.assert_close(lse, logits.logsumexp(1))
    torch.testing.assert_close(lse - loss, logits[target, target])
    (found,) = torch.autograd.grad(lse.sum(), z)
    (expected,) = torch.autograd.grad(logits.logsumexp(1).sum(), z)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(("shift", "ahead"), [(True, 1), (1, 1), (2, 2)])
@pytest.mark.parametrize("soft", [False, True])
def test_shift_compares_each_position_with_a_later_target(shift, ahead, soft):
    code = CODES["parts, some"]
    z = torch.randn(2, 5, code.dim)
    target = torch.randint(code.num_classes, (2, 5))
    cut = target[:, ahead:]
    if soft:
        target = functional.one_hot(target, code.num_classes).float()
    found = linear_cross_entropy(z, code, target, shift=shift, reduction="none")
    assert found.shape == (2, 5 - ahead)
    expected = dense(z[:, :-ahead], code, cut, reduction="none")
    torch.testing.assert_close(found.flatten(), expected)


@pytest.mark.parametrize("preset", ["protosphere", "soft_cap", "mettes"])
def test_a_head_gives_the_cross_entropy_of_its_logits(preset):
    head = PrototypeHead(CODES["parts"], preset=preset)
    z = torch.randn(4, head.dim)
    target = torch.arange(4)
    found = linear_cross_entropy(z, head, target)
    torch.testing.assert_close(found, functional.cross_entropy(head(z), target))


def test_half_types_are_summed_in_float32():
    code = CODES["parts"]
    z = torch.randn(4, code.dim).bfloat16()
    found = linear_cross_entropy(z, code, torch.arange(4))
    assert found.dtype == torch.float32
    expected = linear_cross_entropy(z.float(), code, torch.arange(4))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(
    ("prototypes", "options", "message"),
    [
        (torch.zeros(3), {}, "'prototypes' must be a K x n tensor"),
        (torch.eye(7).requires_grad_(), {}, "'prototypes' must be constant"),
        ("simplex", {}, "'prototypes' must be a code, a head"),
        (CODES["cosets"], {}, "'z' must be of shape"),
        (CODES["matrix"], {"shift": 4}, "'shift' must be below"),
        (CODES["matrix"], {"shift": -1}, "'shift'"),
        (CODES["matrix"], {"shift": 1.7}, "'shift' must be an integer"),
        (CODES["matrix"], {"reduction": "max"}, "'reduction'"),
    ],
)
def test_arguments_that_do_not_fit(prototypes, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        linear_cross_entropy(torch.zeros(4, 7), prototypes, torch.arange(4), **options)


@pytest.mark.parametrize("name", ["input", "target"])
def test_lists_are_refused_by_name(name):
    arguments = {"input": torch.zeros(4, 7), "target": torch.arange(4)}
    arguments[name] = arguments[name].tolist()
    with pytest.raises(InvalidArgumentError, match=f"'{name}' must be a tensor"):
        linear_cross_entropy(prototypes=torch.eye(7), **arguments)
