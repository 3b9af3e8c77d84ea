"""Networks: the sizes they are known for, and whatever a user brings."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from protosphere.backbones import BACKBONES, build_backbone
from protosphere.backbones.registry import backbone
from protosphere.errors import InvalidArgumentError


def parameters(network):
    return sum(weight.numel() for weight in network.parameters())


def test_known_sizes():
    assert (
        abs(parameters(build_backbone("resnet34", (3, 32, 32), 63)) - 21.3e6) < 0.05e6
    )
    assert (
        abs(parameters(build_backbone("resnet18", (3, 32, 32), 100)) - 11.2e6) < 0.05e6
    )
    assert abs(parameters(build_backbone("small", (3, 32, 32), 100)) - 0.3e6) < 0.02e6
    network = build_backbone("simard", (1, 28, 28), 10)
    shapes = [tuple(weight.shape) for weight in network.parameters() if weight.ndim > 1]
    assert shapes == [(5, 1, 5, 5), (50, 5, 5, 5), (100, 800), (10, 100)]


@pytest.mark.parametrize("name", [name for name in BACKBONES if name != "resnet34"])
@pytest.mark.parametrize("shape", [(1, 8, 8), (1, 28, 28), (3, 32, 32)])
def test_every_size_of_image(name, shape):
    assert build_backbone(name, shape, 7)(torch.zeros(2, *shape)).shape == (2, 7)


class Flat(nn.Module):
    """A stand-in for a user's own network."""

    def __init__(self, image_shape, num_classes=10):
        super().__init__()
        self.linear = nn.Linear(
            image_shape[0] * image_shape[1] * image_shape[2], num_classes
        )

    def forward(self, x):
        return self.linear(x.flatten(1))


def stubborn(dim):
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 3))


def lazy(width):
    return nn.Flatten()


def other(dim):
    return dim


@pytest.fixture
def mine(monkeypatch):
    """This file under a name that can be imported."""
    import sys

    monkeypatch.setitem(sys.modules, "mine", sys.modules[__name__])


def test_a_network_of_ones_own(mine):
    network = build_backbone("mine.Flat", (1, 8, 8), 15)
    assert network(torch.zeros(3, 1, 8, 8)).shape == (3, 15)
    assert network.training


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("resnet43", "did you mean 'resnet34'"),
        ("nothing", "one of: linear, mlp, resnet18"),
        (".", "one of: "),
        ("a..b", "one of: "),
        ("builtins.int", "must take one of dim"),
        ("builtins.object", "must take one of dim"),
        ("mine.broken_module", "cannot be imported"),
        ("mlp(0)", "up to 8 widths above 0"),
        ("mlp(1,2,3,4,5,6,7,8,9)", "up to 8 widths above 0"),
        ("small(3)", "takes no widths in brackets"),
        ("mlp(-3)", "did you mean 'mlp'"),
        ("no.such.module", "cannot be imported"),
        ("mine.Missing", "cannot be imported"),
        ("mine.lazy", "must take one of dim, num_classes"),
        ("mine.stubborn", r"must answer two inputs with \(2, 15\), got \(2, 3\)"),
        ("mine.other", "must make an nn.Module, got int"),
    ],
)
def test_refusals(mine, name, complaint):
    with pytest.raises(InvalidArgumentError, match=complaint):
        build_backbone(name, (1, 8, 8), 15)


def test_a_network_that_does_not_take_the_images(mine):
    with pytest.raises(InvalidArgumentError, match="does not take inputs of"):
        build_backbone("mine.stubborn", (3, 32, 32), 3)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("linear", [(7, 20)]),
        ("mlp", [(512, 20), (7, 512)]),
        ("mlp(30, 5)", [(30, 20), (5, 30), (7, 5)]),
    ],
)
def test_features_go_through_dense_layers(name, sizes):
    network = build_backbone(name, (20,), 7)
    assert [
        tuple(weight.shape) for weight in network.parameters() if weight.ndim > 1
    ] == sizes
    assert network(torch.zeros(2, 20)).shape == (2, 7)


def test_networks_for_images_refuse_features():
    with pytest.raises(
        InvalidArgumentError,
        match="'simard' takes images, and the data is of 20 features; try linear",
    ):
        build_backbone("simard", (20,), 7)


def test_a_name_is_given_once():
    with pytest.raises(
        InvalidArgumentError, match="a backbone named 'mlp' is registered already"
    ):
        backbone(summary="")(BACKBONES["mlp"].build)
