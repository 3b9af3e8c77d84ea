"""Gradients that are had another way: the same numbers as those of the library."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import conv2d

from protosphere.backbones import build_backbone, subpixel
from protosphere.backbones.flatten import Flatten
from protosphere.backbones.subpixel import HalvingConv2d, input_gradient


@given(
    inputs=st.integers(1, 4),
    outputs=st.integers(1, 5),
    kernel=st.integers(1, 6),
    height=st.integers(6, 13),
    width=st.integers(6, 13),
)
def test_the_gradient_of_stride_two_is_a_subpixel_convolution(
    inputs, outputs, kernel, height, width
):
    generator = torch.Generator().manual_seed(inputs + 10 * outputs + 100 * kernel)
    weight = torch.randn(
        outputs, inputs, kernel, kernel, dtype=torch.float64, generator=generator
    )
    images = torch.randn(
        2,
        inputs,
        height,
        width,
        dtype=torch.float64,
        generator=generator,
        requires_grad=True,
    )
    maps = conv2d(images, weight, stride=2)
    gradient = torch.randn(maps.shape, dtype=torch.float64, generator=generator)
    maps.backward(gradient)
    assert torch.allclose(
        input_gradient(gradient, weight, height, width), images.grad, atol=1e-12
    )


def gradients(layer, images):
    images = images.clone().requires_grad_()
    layer.zero_grad()
    with torch.autocast("cpu", torch.bfloat16):
        maps = layer(images)
    maps.float().square().sum().backward()
    return images.grad, layer.weight.grad.clone(), layer.bias.grad.clone()


def test_large_batches_in_bfloat16_have_the_gradients_of_small_ones(monkeypatch):
    torch.manual_seed(0)
    layer = HalvingConv2d(5, 50, 5).to(memory_format=torch.channels_last)
    images = torch.randn(8, 5, 12, 12).to(memory_format=torch.channels_last)
    plain = gradients(layer, images)
    called = []
    monkeypatch.setattr(subpixel, "MIN_BATCH", 8)
    monkeypatch.setattr(
        subpixel,
        "input_gradient",
        lambda *given: called.append(1) or input_gradient(*given),
    )
    other = gradients(layer, images)
    assert called, "or nothing is compared"
    for ours, theirs in zip(other, plain, strict=True):
        assert ours.dtype == theirs.dtype == torch.float32
        assert (ours - theirs).abs().max() <= 0.01 * theirs.abs().max()


@pytest.mark.parametrize("autocast", [False, True])
def test_single_precision_and_small_batches_keep_their_bits(autocast):
    torch.manual_seed(0)
    layer = HalvingConv2d(5, 50, 5)
    images = torch.randn(16 if autocast else 600, 5, 12, 12)
    plain = nn.Conv2d(5, 50, 5, stride=2)
    plain.load_state_dict(layer.state_dict())
    results = []
    for each in (layer, plain):
        given = images.clone().requires_grad_()
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            maps = each(given)
        maps.float().square().sum().backward()
        results.append((maps, given.grad))
    assert all(torch.equal(ours, theirs) for ours, theirs in zip(*results, strict=True))


def test_flattening_hands_its_gradient_on_in_the_layout_it_got():
    layouts = []
    first = torch.randn(4, 6, 3, 3)
    for flatten in (Flatten(), nn.Flatten()):
        maps = first.to(memory_format=torch.channels_last).requires_grad_()
        rectified = maps.relu()
        out = flatten(rectified)
        rectified.register_hook(
            lambda gradient: layouts.append(gradient.is_contiguous())
        )
        (out * torch.arange(out.numel()).view_as(out)).sum().backward()
        layouts.append(maps.grad)
    assert layouts[0] is False
    assert layouts[2] is True, "the plain one does not: else ours is of no use"
    assert torch.equal(layouts[1], layouts[3])


@pytest.mark.parametrize(
    "shape", [(3, 32, 32), (1, 28, 28), (1, 8, 8), (3, 2, 5), (2, 1, 1)]
)
def test_the_strided_network_takes_images_of_every_size(shape):
    network = build_backbone("strided", shape, 7).eval()
    assert network(torch.zeros(2, *shape)).shape == (2, 7)
