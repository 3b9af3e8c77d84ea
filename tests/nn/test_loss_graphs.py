"""`head.loss` waits for no device, and is one graph."""

from __future__ import annotations

import copy

import pytest
import torch
from tests.nn.test_cross_entropy import EACH, head_of
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

WAITS = {
    "_local_scalar_dense",
    "item",
    "is_nonzero",
    "nonzero",
    "equal",
    "masked_select",
    "unique",
    "_to_copy to cpu",
}


class Watching(TorchDispatchMode):
    """Notes operations after which a program must wait for a device's answer."""

    def __init__(self):
        super().__init__()
        self.waits = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        boolean = name == "index" and any(
            index is not None and index.dtype == torch.bool for index in args[1]
        )
        if name in WAITS or boolean:
            self.waits.append(name)
        return function(*args, **(kwargs or {}))


def one_step(head, z, target):
    if head.preset.loss == "cross_entropy":
        loss = head.loss(z, target, label_smoothing=0.1)
    else:
        loss = head.loss(z, target)
    loss.backward()
    return loss


@EACH
@pytest.mark.parametrize("preset", ["protosphere", "mettes"])
def test_a_step_waits_for_no_device(name, preset):
    head = head_of(name, preset, torch.float32)
    z = torch.randn(5, head.dim, requires_grad=True)
    target = torch.arange(5)
    with Watching() as watching:
        one_step(head, z, target)
        if preset != "mettes":
            one_step(head, z, torch.rand(5, head.num_classes))
    assert watching.waits == []


@EACH
@pytest.mark.parametrize("preset", ["protosphere", "mettes"])
def test_a_step_needs_no_numbers_only_shapes(name, preset):
    """On the meta device there are none: whatever looked at one would fail."""
    head = copy.deepcopy(head_of(name, preset, torch.float32)).to("meta")
    z = torch.randn(5, head.dim, device="meta", requires_grad=True)
    assert (
        one_step(head, z, torch.zeros(5, dtype=torch.int64, device="meta")).shape == ()
    )
    assert z.grad.shape == z.shape
    if preset != "mettes":
        one_step(head, z, torch.zeros(5, head.num_classes, device="meta"))
    head.to_empty(device="cpu")
    assert torch.equal(
        head.prototypes(), head_of(name, preset, torch.float32).prototypes()
    )


class Every(nn.Module):
    """The losses of several heads behind one layer each: one graph to compile instead of many."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        kinds = [
            ("matrix", "mettes"),
            ("simplex", "kasarla"),
            ("axes", "lindstrom"),
            ("shuffled", "protosphere"),
        ]
        self.heads = nn.ModuleList(
            copy.deepcopy(head_of(*kind, torch.float32)) for kind in kinds
        )
        self.layers = nn.ModuleList(nn.Linear(5, head.dim) for head in self.heads)

    def forward(self, x, target):
        found = [
            head.loss(layer(x), target)
            for layer, head in zip(self.layers, self.heads, strict=True)
        ]
        z = self.layers[-1](x)
        head = self.heads[-1]
        probabilities = torch.softmax(z @ head.prototypes().T, dim=-1)
        weighted = head.loss(
            z,
            probabilities,
            torch.linspace(0, 1, head.num_classes),
            label_smoothing=0.1,
        )
        return [*found, weighted]


@pytest.mark.slow
def test_losses_compile_into_one_graph_for_batches_of_any_size():
    plain = Every()
    compiled = torch.compile(plain, fullgraph=True, backend="aot_eager", dynamic=True)
    for batch in (6, 9):
        x = torch.randn(batch, 5)
        target = torch.arange(batch)
        answers = []
        for model in (compiled, plain):
            plain.zero_grad()
            losses = model(x, target)
            sum(losses).backward()
            answers.append(
                [losses, [parameter.grad.clone() for parameter in plain.parameters()]]
            )
        torch.testing.assert_close(*answers, rtol=1e-4, atol=1e-4)


def test_a_compiled_loss_is_of_its_own_head():
    """Copies and heads that came later have handles of their own."""
    first = head_of("matrix")
    z = torch.randn(4, 7, dtype=torch.float64)
    target = torch.arange(4)
    second = copy.deepcopy(first)
    second.projection.blocks[0].weight.neg_()
    for head in (first, second):
        torch.testing.assert_close(
            torch.compile(head.loss, fullgraph=True, backend="eager")(z, target),
            head.loss(z, target),
        )
    assert not torch.equal(first.loss(z, target), second.loss(z, target))


def second_derivative(loss, target):
    z = torch.ones(4, 7, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(loss(z, target), z, create_graph=True)
    return torch.autograd.grad(gradient[:, 0].sum(), z)[0]


def test_second_derivatives_of_a_loss_in_a_graph():
    """Where torch runs the graph as it is; it differentiates nothing twice that a compiler has lowered."""
    loss = head_of("matrix").loss
    target = torch.arange(4)
    compiled = torch.compile(loss, fullgraph=True, backend="eager")
    torch.testing.assert_close(
        second_derivative(compiled, target), second_derivative(loss, target)
    )
