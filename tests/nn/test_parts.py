"""Heads of classes made of parts: against dense heads of the same points, and at more classes than can be listed."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.nn.product_codes import product_code, quantized_code

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.nn import PrototypeHead
from protosphere.nn.kernels.cpu import lookups
from protosphere.nn.projections import projection_for
from protosphere.nn.projections.all_combinations import AllCombinationsBlock
from protosphere.nn.projections.combinations import CombinationsBlock

NAMED = ps.compose(
    {"red car": ("red", "car"), "red bus": ("red", "bus"), "blue car": ("blue", "car")}
)


@st.composite
def heads(draw):
    """A head by parts and a dense one with the same points."""
    count = draw(st.integers(1, 4))
    shapes = tuple(
        (draw(st.integers(2, 5)), draw(st.integers(1, 3))) for _ in range(count)
    )
    total = int(np.prod([size for size, _ in shapes]))
    num_classes = draw(st.sampled_from([None, total, max(2, total // 2)]))
    if any(
        size > 2 * width and size != width + 1 for size, width in shapes if width == 1
    ):
        shapes = tuple((min(size, 2), width) for size, width in shapes)
        num_classes = None
    mapping = draw(st.sampled_from(["fixed", "random"]))
    spare = draw(st.integers(0, 2))
    dim = sum(width for _, width in shapes) + spare
    code = product_code(shapes, num_classes, dim, mapping, draw(st.integers(0, 99)))
    preset = draw(st.sampled_from(["protosphere", "soft_cap", "lindstrom"]))
    by_parts = PrototypeHead(code, preset=preset)
    assert by_parts.projection.kind == "parts"
    return by_parts, PrototypeHead(code, preset=preset, projection="dense")


@st.composite
def quantized_heads(draw):
    """A head of quantized prototypes and a dense one with the same points."""
    shapes = tuple(
        (draw(st.integers(2, 5)), draw(st.integers(1, 3)))
        for _ in range(draw(st.integers(1, 3)))
    )
    codebooks = tuple(draw(st.integers(1, most)) for most in (6, 5, 20))
    width = sum(width for _, width in shapes) + codebooks[2]
    total = int(np.prod([size for size, _ in shapes]))
    code = quantized_code(
        shapes,
        codebooks,
        draw(st.sampled_from([None, max(2, total // 2)])),
        width + draw(st.integers(0, 2)),
        draw(st.integers(0, 99)),
    )
    preset = draw(st.sampled_from(["protosphere", "soft_cap", "lindstrom"]))
    quantized = PrototypeHead(code, preset=preset)
    assert quantized.projection.kind == "quantized"
    return quantized, PrototypeHead(code, preset=preset, projection="dense")


@given(st.one_of(heads(), quantized_heads()), st.data())
@settings(max_examples=50, deadline=None)
def test_everything_is_that_of_a_dense_head(pair, data):
    dtype = data.draw(st.sampled_from([torch.float32, torch.float64]))
    by_parts, dense = (head.to(dtype) for head in pair)
    rng = torch.Generator().manual_seed(data.draw(st.integers(0, 99)))
    batch = data.draw(st.sampled_from([1, 5, 17, 33]))
    K = by_parts.num_classes
    z = torch.randn(batch, by_parts.dim, generator=rng, dtype=dtype)
    target = torch.randint(K, (batch,), generator=rng)
    if batch > 1 and data.draw(st.booleans()):
        target[1] = -100
    if data.draw(st.booleans()):
        target = torch.rand(batch, K, generator=rng, dtype=dtype).softmax(1)
    options = {"label_smoothing": data.draw(st.sampled_from([0.0, 0.1]))}
    if data.draw(st.booleans()):
        options["weight"] = torch.rand(K, generator=rng, dtype=dtype)
    found = []
    for head in (by_parts, dense):
        rows = z.clone().requires_grad_()
        loss = head.loss(rows, target, **options)
        loss.backward()
        k = min(7, K)
        nearest = head.decode(z, k)
        points = head.projection.prototypes(torch.arange(K), z)
        again = torch.nn.functional.normalize(z) @ points.T
        torch.testing.assert_close(
            again.gather(1, nearest.classes), nearest.cosines, rtol=0, atol=1e-5
        )
        assert all(len(set(row)) == k for row in nearest.classes.tolist())
        found.append(
            (loss.detach(), rows.grad, head(z), nearest.cosines, head.score(z))
        )
    for ours, theirs in zip(*found, strict=True):
        size = max(1.0, float(theirs.abs().max()))
        atol = size * (1e-5 if dtype == torch.float32 else 1e-12)
        torch.testing.assert_close(ours, theirs, rtol=0, atol=atol)


@pytest.mark.parametrize(
    ("size", "dtype", "kept"),
    [
        (256, torch.float32, torch.uint8),
        (300, torch.float32, torch.int16),
        (40_000, torch.float64, torch.int32),
    ],
)
def test_parts_of_many_values(size, dtype, kept):
    code = product_code(((size, 2), (3, 2)), num_classes=400)
    project = projection_for(code, "parts", dtype)
    assert isinstance(project.blocks[0], CombinationsBlock)
    assert project.blocks[0].values.dtype == kept
    z = torch.randn(3, code.dim, dtype=dtype)
    expected = z @ torch.from_numpy(code.points).to(dtype).T
    torch.testing.assert_close(project(z), expected, rtol=0, atol=1e-5)


def test_many_tiles_and_rising_scores_keep_the_sums_exact():
    code = product_code(((7, 6), (9, 8), (8, 7), (5, 4)), num_classes=2500)
    assert code.num_classes > 9 * lookups.TILE
    project = projection_for(code, "parts")
    points = torch.from_numpy(code.points)
    order = (points @ points[-1]).argsort()
    rising = replace(code, placement=code.placement.permuted(order.numpy()))
    z = 300 * points[-1:].float() + torch.randn(18, code.dim)
    for some, matrix in ((project, points), (projection_for(rising), points[order])):
        products = z.double() @ matrix.T
        value, mean = some.log_sum_exp_and_mean(z, True)
        torch.testing.assert_close(
            value.double(), products.logsumexp(1), rtol=1e-6, atol=0
        )
        expected = products.softmax(1) @ matrix
        torch.testing.assert_close(mean.double(), expected, rtol=0, atol=1e-4)


def test_a_trillion_classes_train_and_decode():
    code = ps.compose(sizes=(100,) * 6)
    head = PrototypeHead(code)
    assert head.num_classes == 10**12
    classes = torch.tensor([0, 123_456_789_012, 10**12 - 1])
    z = head.prototypes(classes) * 4
    z.requires_grad_()
    for options in ({}, {"label_smoothing": 0.1}):
        loss = head.loss(z, classes, **options)
        (gradient,) = torch.autograd.grad(loss, z)
        assert loss.isfinite()
        assert gradient.isfinite().all()
    nearest = head.decode(z.detach(), 50)
    assert torch.equal(nearest.classes[:, 0], classes)
    assert (nearest.cosines.diff(dim=1) <= 0).all()
    expected = torch.tensor([[12, 34, 56, 78, 90, 12]])
    assert torch.equal(head.parts(z.detach()).values[1:2], expected)
    assert head.score(z.detach()).shape == (3,)
    loaded = PrototypeHead.from_state_dict(head.state_dict())
    assert torch.equal(loaded.decode(z.detach(), 50).classes, nearest.classes)
    with pytest.raises(InvalidArgumentError, match=r"logits of all 1,000,000,000,000"):
        head(z)


def test_top_k_of_all_combinations_is_that_of_every_sum():
    code = product_code(((4, 3), (5, 4), (2, 1), (3, 2)))
    project = projection_for(code)
    assert isinstance(project.blocks[0], AllCombinationsBlock)
    z = torch.randn(5, code.dim, dtype=torch.float64)
    by_part = project.double().blocks[0]._by_part(z)
    every = torch.stack(
        [
            sum(part[:, value] for part, value in zip(by_part, values, strict=True))
            for values in itertools.product(*(range(part.shape[1]) for part in by_part))
        ],
        dim=1,
    )
    for k in (1, 2, 10, 119, 120):
        values, classes = project.top(z, k)
        torch.testing.assert_close(values, every.topk(k, dim=1).values)
        torch.testing.assert_close(every.gather(1, classes), values)


@pytest.mark.parametrize("projection", ["parts", "dense"])
def test_each_part_decides_by_its_own_softmax(projection):
    code = product_code(num_classes=61)
    head = PrototypeHead(code, preset="lindstrom", projection=projection)
    z = 5 * torch.randn(2, 3, code.dim)
    found = head.parts(z)
    assert found.values.shape == found.confidences.shape == (2, 3, 4)
    structure = code.placement.structure
    column = 0
    for part, points in enumerate(structure.part_points):
        width = points.shape[1]
        own = z[..., column : column + width].double()
        logits = structure.weights[part] * own @ torch.from_numpy(points).T
        expected = logits.softmax(-1).max(-1)
        assert torch.equal(found.values[..., part], expected.indices)
        torch.testing.assert_close(
            found.confidences[..., part].double(), expected.values, atol=1e-5, rtol=0
        )
        column += width


def test_confidences_of_all_combinations_multiply_to_the_probability_of_the_class():
    head = PrototypeHead(product_code())
    z = 3 * torch.randn(4, head.dim)
    probabilities = head(z).softmax(1).max(1)
    found = head.parts(z).confidences.prod(1)
    torch.testing.assert_close(found, probabilities.values)


def test_decisions_have_the_names_of_the_table():
    head = PrototypeHead(NAMED)
    found = head.parts(head.prototypes(torch.tensor([1, 2])))
    parts = found.names.parts
    assert found.named() == [
        dict(zip(parts, ("red", "bus"), strict=True)),
        dict(zip(parts, ("blue", "car"), strict=True)),
    ]


def test_codes_without_parts_or_names_say_so():
    with pytest.raises(InvalidArgumentError, match="made of parts"):
        PrototypeHead(ps.construct("simplex", 10, 9)).parts(torch.zeros(1, 9))
    unnamed = PrototypeHead(product_code()).parts(torch.zeros(1, 10))
    with pytest.raises(InvalidArgumentError, match="no names"):
        unnamed.named()


def test_growing_keeps_prototypes_and_knows_parts_without_examples():
    code = product_code(mapping="random")
    head = PrototypeHead(50, reserve=code)
    before = head.prototypes()
    head.grow(180)
    assert torch.equal(head.prototypes()[:50], before)
    assert head.num_classes == 180
    z = head.prototypes()
    assert torch.equal(head.decode(z).classes[:, 0], torch.arange(180))


def test_states_and_devices_give_the_same_prototypes():
    for code in (NAMED, product_code(mapping="random"), product_code(num_classes=61)):
        head = PrototypeHead(code)
        loaded = PrototypeHead.from_state_dict(head.state_dict())
        assert torch.equal(loaded.prototypes(), head.prototypes())
        with torch.device("meta"):
            empty = PrototypeHead(code)
        assert torch.equal(empty.to_empty(device="cpu").prototypes(), head.prototypes())
        twice = PrototypeHead(code).half().double()
        exact = torch.from_numpy(code.points)
        found = twice.projection.prototypes(torch.arange(code.num_classes), exact)
        torch.testing.assert_close(found, exact, rtol=0, atol=1e-12)


def test_the_state_of_other_parts_is_refused():
    head = PrototypeHead(ps.compose(sizes=(100,) * 6))
    other = PrototypeHead(ps.compose(sizes=(100,) * 6, weights=[1, 2, 1, 1, 1, 1]))
    with pytest.raises(InvalidArgumentError, match="not this head's"):
        head.load_state_dict(other.state_dict())


@pytest.mark.parametrize("num_classes", [None, 61])
@pytest.mark.parametrize("weighted", [False, True])
def test_autocast_does_not_round_label_smoothing(num_classes, weighted):
    code = product_code(num_classes=num_classes)
    head = PrototypeHead(code, preset="soft_cap")
    z = 5 * torch.randn(9, head.dim)
    target = torch.arange(9)
    weight = torch.rand(head.num_classes) + 0.5 if weighted else None
    for rows in (z, z.bfloat16()):
        expected = head.loss(rows, target, weight, 0.5)
        with torch.autocast("cpu", torch.bfloat16):
            found = head.loss(rows, target, weight, 0.5)
        torch.testing.assert_close(found, expected)
