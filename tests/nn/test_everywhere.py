"""The same logits compiled, exported, in ONNX, and under autocast: for real, on every kind of projection."""

from __future__ import annotations

import onnxruntime
import pytest
import torch
from tests.nn.product_codes import product_code, quantized_code
from torch import nn

import protosphere as ps
from protosphere.nn import PRESETS, PrototypeHead

HEADS = {
    "dense": PrototypeHead(ps.construct("uniform", num_classes=20, dim=16)),
    "hadamard": PrototypeHead(
        ps.construct("kerdock", num_classes=256, dim=16), projection="hadamard"
    ),
    "axes": PrototypeHead(
        ps.construct("cross_polytope", num_classes=30, dim=16), projection="axes"
    ),
    "simplex": PrototypeHead(
        ps.construct("simplex", num_classes=17, dim=16), projection="simplex"
    ),
    "simplices": PrototypeHead(
        ps.construct("orthogonal_simplices", num_classes=25, dim=16),
        projection="simplices",
    ),
    "parts": PrototypeHead(product_code(dim=16)),
    "parts, some": PrototypeHead(product_code(num_classes=31, dim=16)),
    "quantized": PrototypeHead(quantized_code(dim=16)),
}
EACH = pytest.mark.parametrize("kind", HEADS)


class Every(nn.Module):
    """All heads behind one layer: one graph to compile or export instead of four."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = nn.Linear(16, 16)
        self.heads = nn.ModuleList(HEADS.values())

    def forward(self, z):
        return tuple(head(self.layer(z)) for head in self.heads)


EVERY = Every()
BATCH = torch.export.Dim("batch", min=2, max=512)


def vectors(batch=6):
    return torch.randn(batch, 16, generator=torch.Generator().manual_seed(0))


def agree(found, z):
    for kind, logits, expected in zip(HEADS, found, EVERY(z), strict=True):
        torch.testing.assert_close(
            torch.as_tensor(logits),
            expected,
            atol=1e-5,
            rtol=1e-5,
            msg=lambda m, k=kind: f"{k}: {m}",
        )


@pytest.mark.slow
def test_compiled_in_one_graph():
    compiled = torch.compile(EVERY, fullgraph=True, backend="aot_eager")
    z = vectors()
    agree(compiled(z), z)
    gradients = []
    for module in (compiled, EVERY):
        z = vectors().requires_grad_()
        sum(logits.square().mean() for logits in module(z)).backward()
        gradients.append(z.grad)
    torch.testing.assert_close(*gradients, atol=1e-4, rtol=1e-4)


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning"
)  # of inductor's own imports
def test_compiled_to_machine_code():
    head = HEADS["dense"]
    z = vectors()
    torch.testing.assert_close(
        torch.compile(head, fullgraph=True)(z), head(z), atol=1e-5, rtol=1e-5
    )


def test_exported():
    program = torch.export.export(EVERY, (vectors(),), dynamic_shapes=({0: BATCH},))
    agree(program.module()(vectors(9)), vectors(9))


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"
)  # the exporter's
def test_onnxruntime_agrees(tmp_path):
    path = tmp_path / "heads.onnx"
    torch.onnx.export(
        EVERY, (vectors(),), dynamo=True, dynamic_shapes=({0: BATCH},), verbose=False
    ).save(path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    agree(
        session.run(None, {session.get_inputs()[0].name: vectors(9).numpy()}),
        vectors(9),
    )


@EACH
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_gives_no_nan(kind, dtype):
    layer = nn.Linear(16, 16)
    z = torch.cat([vectors(), 1e3 * vectors(), torch.zeros(2, 16), 1e-4 * vectors()])
    classes = torch.arange(len(z)) % 10
    with torch.autocast("cpu", dtype):
        features = layer(z)
        logits = HEADS[kind](features)
        streamed = HEADS[kind].loss(features, classes)
        plain = nn.functional.cross_entropy(logits, classes)
    assert features.dtype == dtype
    assert streamed.dtype == torch.float32
    torch.testing.assert_close(streamed, plain.float(), atol=0.05, rtol=0.02)
    (streamed + plain).backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in layer.parameters())


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_types_are_normalized_in_float32(preset, dtype):
    head = PrototypeHead(10, dim=16, preset=preset)
    z = torch.full((2, 16), 2e3, dtype=dtype)  # |z|^2 is above the largest float16
    exact = head(z.double())
    found = head(z)
    assert found.dtype == dtype
    torch.testing.assert_close(
        found.double(), exact, rtol=2e-2, atol=2e-2 * exact.abs().max().item()
    )
    assert torch.isfinite(head.loss(z, torch.zeros(2, dtype=torch.int64)))
    assert torch.isfinite(head.score(z, "energy")).all()
