"""Every kernel backend against dense products in float64, for every kind of block that it supports."""

from __future__ import annotations

import pytest
import torch
from tests.nn.product_codes import code_of

import protosphere as ps
from protosphere.nn import PrototypeHead
from protosphere.nn.kernels.registry import BACKENDS, backend_for
from protosphere.nn.kernels.torch_ops import TorchBackend
from protosphere.nn.projections import projection_for

CODES = {
    "dense": ("uniform", 300, 8, "dense"),
    "axes": ("cross_polytope", 19, 12, "axes"),
    "simplex": ("simplex", 60, 64, "simplex"),
    "simplices": ("orthogonal_simplices", 50, 40, "simplices"),
    "antipodal cosets": ("kerdock", 4096, 64, "hadamard"),
    "cosets without antipodes": ("shortened_cosets", 2000, 61, "hadamard"),
    "cosets with glue vectors": ("construction_x", 3001, 70, "hadamard"),
    "all combinations of parts": ("product", 180, 12, "parts"),
    "some combinations of parts": ("product", 101, 12, "parts"),
    "quantized": ("quantized", 101, 12, "quantized"),
}
BATCH = 19
TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-10}


class Case:
    """A block, vectors, and the dense products with its points."""

    def __init__(self, name, dtype):
        self.name = f"{name}, {dtype}"
        scheme, num_classes, dim, kind = CODES[name]
        code = code_of(scheme, num_classes, dim)
        self.block = projection_for(code, kind, dtype).blocks[0]
        draw = torch.Generator().manual_seed(0)
        self.z = 3 * torch.randn(BATCH, dim, generator=draw, dtype=dtype)
        count = self.block.num_points
        self.weights = torch.randn(BATCH, count, generator=draw, dtype=dtype)
        points = self.block.rows(torch.arange(count), torch.empty(0, dtype=dtype))
        self.points = points.double()
        self.products = self.z.double() @ self.points.T
        self.tolerance = TOLERANCE[dtype]

    def close(self, ours, theirs):
        scale = max(1.0, float(theirs.abs().max()))
        atol = self.tolerance * scale
        torch.testing.assert_close(ours.double(), theirs, rtol=0, atol=atol)


def _serves(backend, case):
    kinds = backend.block_kinds
    is_own_kind = kinds is None or case.block.kind in kinds
    return is_own_kind and backend.supports(case.block, case.z)


CASES = [Case(name, dtype) for name in CODES for dtype in TOLERANCE]
EACH_SUPPORTED = pytest.mark.parametrize(
    ("backend", "case"),
    [
        pytest.param(backend, case, id=f"{backend.name}: {case.name}")
        for backend in BACKENDS
        for case in CASES
        if _serves(backend, case)
    ],
)


@EACH_SUPPORTED
def test_products_equal_dense_products(backend, case):
    found = torch.full_like(case.weights, torch.nan)
    backend.write_products(case.block, case.z, found)
    case.close(found, case.products)


@EACH_SUPPORTED
def test_weighted_sums_equal_dense_sums(backend, case):
    found = backend.weighted_sum(case.block, case.weights)
    case.close(found, case.weights.double() @ case.points)


@EACH_SUPPORTED
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_log_sum_exp_and_its_gradient_equal_dense_ones(backend, case, scale):
    products = scale * case.products
    value, mean = backend.log_sum_exp(case.block, scale * case.z, True)
    case.close(value, products.logsumexp(1))
    expected = products.softmax(1) @ case.points
    torch.testing.assert_close(mean.double(), expected, rtol=0, atol=1e-3)
    alone, empty = backend.log_sum_exp(case.block, scale * case.z, False)
    torch.testing.assert_close(alone, value)
    assert empty.shape == (BATCH, 0)


@EACH_SUPPORTED
@pytest.mark.parametrize("k", [1, 5])
def test_top_k_equals_dense_top_k(backend, case, k):
    values, indices = backend.top_k(case.block, case.z, k)
    case.close(values, case.products.topk(k, dim=1).values)
    case.close(values, case.products.gather(1, indices))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_some_backend_supports_every_block(case):
    assert _serves(backend_for(case.block, case.z), case)


def test_the_first_backend_that_supports_a_block_serves_the_head(monkeypatch):
    calls = []

    class Stub(TorchBackend):
        name = "stub"

        def log_sum_exp(self, block, z, with_mean):
            calls.append("log_sum_exp")
            return super().log_sum_exp(block, z, with_mean)

        def top_k(self, block, z, k):
            calls.append("top_k")
            return super().top_k(block, z, k)

        def write_products(self, block, z, out):
            calls.append("write_products")
            super().write_products(block, z, out)

        def weighted_sum(self, block, weights):
            calls.append("weighted_sum")
            return super().weighted_sum(block, weights)

    head = PrototypeHead(
        ps.construct("kerdock", num_classes=256, dim=16), projection="hadamard"
    )
    z = torch.randn(4, 16, requires_grad=True)
    target = torch.arange(4)
    expected = head.loss(z, target)
    monkeypatch.setattr("protosphere.nn.kernels.registry.BACKENDS", [Stub(), *BACKENDS])
    torch.testing.assert_close(head.loss(z, target), expected)
    head.decode(z.detach(), k=2)
    head(z).sum().backward()
    assert calls == ["log_sum_exp", "top_k", "write_products", "weighted_sum"]
