"""First, second and third derivatives of losses that never hold all logits, by every road torch has, against those of
the logits of the matrix."""

from __future__ import annotations

from functools import cache, partial

import pytest
import torch
from tests.nn.product_codes import code_of as built
from torch.autograd import gradcheck, gradgradcheck
from torch.nn.functional import cross_entropy

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.nn import AdditiveAngularMargin, AdditiveCosineMargin, PrototypeHead
from protosphere.nn.projections import projection_for

CODES = {
    "matrix": ("uniform", 30, 7, {}, "dense"),
    "cosets": ("kerdock", 256, 16, {}, "hadamard"),
    "cosets and axes": ("kerdock", 280, 16, {}, "hadamard"),
    "cosets and a rest, shuffled": (
        "kerdock",
        1003,
        64,
        {"mapping": "random"},
        "hadamard",
    ),
    "no opposites": ("shortened_cosets", 2000, 61, {}, "hadamard"),
    "glue": ("construction_x", 3001, 70, {}, "hadamard"),
    "axes": ("cross_polytope", 11, 6, {}, "axes"),
    "simplex, shuffled, padded": ("simplex", 9, 12, {"mapping": "random"}, "simplex"),
    "simplices": ("orthogonal_simplices", 14, 9, {}, "simplices"),
    "parts": ("product", 180, 12, {}, "parts"),
    "parts, some": ("product", 31, 10, {}, "parts"),
    "quantized": ("quantized", 31, 12, {}, "quantized"),
}
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*torch.jit.script:DeprecationWarning"
)  # torch's own forward mode

SMALL = ["matrix", "cosets and axes", "axes", "simplex, shuffled, padded"]
EACH = pytest.mark.parametrize("name", CODES)
FEW = pytest.mark.parametrize("name", SMALL)


@cache
def code_of(name):
    scheme, num_classes, dim, options, _ = CODES[name]
    return built(scheme, num_classes, dim, **options)


@cache
def head_of(name, preset="lindstrom", dtype=torch.float64):
    return PrototypeHead(code_of(name), projection=CODES[name][4], preset=preset).to(
        dtype
    )


def drawn(name, batch=3, dtype=torch.float64):
    rng = torch.Generator().manual_seed(0)
    code = code_of(name)
    z, v = torch.randn(2, batch, code.dim, generator=rng, dtype=torch.float64).to(dtype)
    return z, v, torch.randint(code.num_classes, (batch,), generator=rng)


def of_logits(name, z, target):
    """The loss of preset 'lindstrom' from all logits."""
    return cross_entropy(
        z @ torch.from_numpy(code_of(name).points).to(z.dtype).T, target
    )


def hessian_product(function, z, v):
    """By two passes backwards."""
    z = z.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(function(z), z, create_graph=True)
    return torch.autograd.grad((gradient * v).sum(), z)[0]


def forward_over_reverse(function, z, v):
    return torch.func.jvp(torch.func.grad(function), (z,), (v,))[1]


def reverse_over_forward(function, z, v):
    return torch.func.grad(lambda x: torch.func.jvp(function, (x,), (v,))[1])(z)


def vmapped(function, z, v):
    """Rows of the hessian, all at once."""
    rows = torch.eye(z.numel(), dtype=z.dtype).view(-1, *z.shape)
    _, pull = torch.func.vjp(torch.func.grad(function), z)
    return (torch.vmap(pull)(rows)[0].flatten(1) @ v.flatten()).view(z.shape)


ROADS = [hessian_product, forward_over_reverse, reverse_over_forward, vmapped]


@EACH
@pytest.mark.parametrize("road", ROADS)
def test_second_derivatives_are_those_of_all_logits(name, road):
    z, v, target = drawn(name)
    expected = hessian_product(lambda x: of_logits(name, x, target), z, v)
    head = head_of(name)  # made here: tensors made within a transform end with it
    found = road(lambda x: head.loss(x, target), z, v)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-11)


@EACH
@pytest.mark.parametrize("road", ROADS)
def test_in_float32_through_the_compiled_loops(name, road):
    z, v, target = drawn(name, batch=2, dtype=torch.float32)
    expected = hessian_product(
        lambda x: of_logits(name, x, target), z.double(), v.double()
    )
    head = head_of(name, dtype=torch.float32)
    torch.testing.assert_close(
        road(lambda x: head.loss(x, target), z, v).double(),
        expected,
        rtol=1e-4,
        atol=2e-6,
    )


@FEW
def test_the_hessian_is_the_covariance_of_the_softmax(name):
    project, (z, _, _) = head_of(name).projection, drawn(name, batch=1)
    points = torch.from_numpy(code_of(name).points)
    p = (z @ points.T).softmax(1)[0]
    covariance = points.T @ torch.diag(p) @ points - torch.outer(p @ points, p @ points)
    for hessian in (
        torch.func.hessian,
        lambda f: torch.func.jacrev(torch.func.jacrev(f)),
    ):
        found = hessian(lambda x: project.log_sum_exp(x[None])[0])(z[0])
        torch.testing.assert_close(found, covariance, rtol=1e-10, atol=1e-12)


@FEW
def test_third_derivatives(name):
    z, v, target = drawn(name, batch=2)

    def thrice(function):
        return hessian_product(
            lambda x: forward_over_reverse(function, x, v).square().sum(), z, v
        )

    expected = thrice(lambda x: of_logits(name, x, target))
    head = head_of(name)
    found = thrice(lambda x: head.loss(x, target))
    torch.testing.assert_close(found, expected, rtol=1e-8, atol=1e-10)


@FEW
@pytest.mark.parametrize("preset", ["soft_cap", "protosphere", "mettes"])
def test_gradcheck_and_gradgradcheck_of_the_loss(name, preset):
    z, _, target = drawn(name, batch=2)
    loss = partial(head_of(name, preset).loss, target=target)
    assert gradcheck(loss, z.requires_grad_(), check_forward_ad=True, fast_mode=True)
    assert gradgradcheck(loss, z, check_fwd_over_rev=True, fast_mode=True)


@pytest.mark.parametrize("module", [AdditiveCosineMargin, AdditiveAngularMargin])
@FEW
def test_gradgradcheck_of_losses_with_a_margin(module, name):
    z, _, target = drawn(name, batch=2)
    loss = module(head_of(name), margin=0.05)
    assert gradgradcheck(lambda x: loss(x, target), z.requires_grad_(), fast_mode=True)


@EACH
def test_logits_have_derivatives_both_ways_and_in_batches(name):
    project, (z, v, _) = (
        projection_for(code_of(name), CODES[name][4], torch.float64),
        drawn(name),
    )
    points = torch.from_numpy(code_of(name).points)
    tangent = torch.func.jvp(project, (z,), (v,))[1]
    torch.testing.assert_close(tangent, v @ points.T, rtol=1e-10, atol=1e-12)
    stacked = torch.stack([z, v, z + v], dim=1)
    found = torch.vmap(project, in_dims=1)(stacked)
    torch.testing.assert_close(
        found, stacked.transpose(0, 1) @ points.T, rtol=1e-10, atol=1e-12
    )
    jacobian = torch.func.jacrev(lambda x: project(x[None])[0])(z[0])
    torch.testing.assert_close(jacobian, points, rtol=1e-10, atol=1e-12)


@EACH
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_gradients_of_single_examples(name, dtype):
    z, _, target = drawn(name, batch=4, dtype=dtype)
    head = head_of(name, "protosphere", dtype)
    found = torch.vmap(torch.func.grad(head.loss))(z, target)
    rows = [torch.func.grad(head.loss)(z[i], target[i]) for i in range(4)]
    torch.testing.assert_close(found, torch.stack(rows), rtol=1e-5, atol=1e-6)


def test_a_wrong_class_is_found_under_vmap_too():
    z, _, _ = drawn("axes")
    with pytest.raises(
        InvalidArgumentError, match=r"'target' must lie in 0, ..., 10, got 3\.\.11"
    ):
        torch.vmap(head_of("axes").loss)(z, torch.tensor([3, 11, 4]))


def test_derivatives_by_probability_targets_and_by_a_learned_scale():
    head = PrototypeHead(
        code_of("cosets and axes"), projection="hadamard", scale="learn"
    ).double()
    z, _, _ = drawn("cosets and axes", batch=2)
    q = torch.rand(2, head.num_classes, dtype=torch.float64)

    def loss(x, target, shift):
        return torch.func.functional_call(
            Loss(head), {"head.scaling.shift": shift}, (x, target)
        )

    point = (
        z.requires_grad_(),
        q.requires_grad_(),
        torch.tensor(0.3, dtype=torch.float64, requires_grad=True),
    )
    assert gradcheck(loss, point, check_forward_ad=True, fast_mode=True)
    assert gradgradcheck(loss, point, fast_mode=True)


class Loss(torch.nn.Module):
    def __init__(self, head):
        super().__init__()
        self.head = head

    def forward(self, z, target):
        return self.head.loss(z, target, label_smoothing=0.1)


def test_second_derivatives_hold_no_block_of_all_logits():
    code = ps.construct("gold", num_classes=100_000, dim=512)
    head = PrototypeHead(code)
    z = torch.randn(64, 512, requires_grad=True)
    with torch.profiler.profile(profile_memory=True) as profile:
        (gradient,) = torch.autograd.grad(
            head.loss(z, torch.arange(64)), z, create_graph=True
        )
        gradient.square().sum().backward()
    assert (
        max(event.self_cpu_memory_usage for event in profile.events())
        < 64 * 100_000 * 4 / 2
    )
