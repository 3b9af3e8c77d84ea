"""Choosing a projection, refusing what does not fit, and graphs of it."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

import protosphere as ps
from protosphere.errors import InvalidArgumentError
from protosphere.nn.projections import projection_for


def kerdock(num_classes=4096, dim=64, **options):
    return ps.construct("kerdock", num_classes=num_classes, dim=dim, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "num_classes", "dim", "kind"),
    [
        ("kerdock", 65_536, 256, "hadamard"),
        ("gold", 100_000, 512, "hadamard"),
        ("construction_x", 100_000, 300, "hadamard"),
        ("simplex", 1000, 999, "simplex"),
        ("orthogonal_simplices", 1000, 700, "simplices"),
        ("cross_polytope", 1000, 500, "axes"),
        ("kerdock", 100, 16, "dense"),
        ("uniform", 5000, 64, "dense"),
    ],
)
def test_auto_takes_the_structure_where_it_pays(scheme, num_classes, dim, kind):
    assert (
        projection_for(ps.construct(scheme, num_classes=num_classes, dim=dim)).kind
        == kind
    )


@pytest.mark.parametrize(
    ("z", "sentence"),
    [
        (
            torch.zeros(3, 63),
            r"'z' must be of shape \(batch, 64\), the code's dimension, got \(3, 63\)",
        ),
        (
            torch.zeros(64),
            r"'z' must be of shape \(batch, 64\), the code's dimension, got \(64,\)",
        ),
        (
            torch.zeros(3, 64, dtype=torch.int64),
            "'z' must be of a floating type, got torch.int64",
        ),
    ],
)
def test_vectors_that_do_not_fit(z, sentence):
    project = projection_for(kerdock())
    uses = [project, project.log_sum_exp, project.top]
    if z.ndim > 1:  # a loss takes single vectors too
        uses.append(lambda z: project.cross_entropy(z, torch.zeros(3).long()))
    for use in uses:
        with pytest.raises(ps.InvalidArgumentError, match=sentence):
            use(z)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"target": torch.tensor([0, 1])},
            r"'target' must hold classes, integers of shape \(3,\), or prob",
        ),
        (
            {"target": torch.tensor([0.0, 1, 2])},
            r"'target' must .*ities of shape \(3, 4096\), got torch.float32",
        ),
        (
            {"target": torch.tensor([0, 1, 4096])},
            r"'target' must lie in 0, ..., 4095, got 0..4096",
        ),
        (
            {"target": torch.tensor([0, 1, -1])},
            r"'target' must lie in 0, ..., 4095, got -1..1",
        ),
        (
            {"weight": torch.ones(5)},
            r"'weight' must hold one number per class, 4096, got shape \(5,\)",
        ),
        (
            {"label_smoothing": 1.5},
            "'label_smoothing' must be between 0 and 1, got 1.5",
        ),
        ({"reduction": "max"}, "'reduction' must be one of mean, sum, none, got 'max'"),
    ],
)
def test_losses_that_do_not_fit(arguments, sentence):
    with pytest.raises(ps.InvalidArgumentError, match=sentence):
        projection_for(kerdock()).cross_entropy(
            torch.zeros(3, 64), **{"target": torch.zeros(3).long(), **arguments}
        )


@pytest.mark.parametrize("wrong", [-1, 100])
def test_prototypes_of_no_class(wrong):
    project = projection_for(ps.construct("simplex", num_classes=100, dim=99), "dense")
    with pytest.raises(
        InvalidArgumentError, match=r"'index' must lie in 0, \.\.\., 99, got"
    ):
        project.prototypes(torch.tensor([3, wrong]))


def test_kinds_that_do_not_fit():
    with pytest.raises(
        ps.InvalidArgumentError,
        match=r"'kind' 'simplex' does not fit SphericalCode\(kerdock.*'dense'",
    ):
        projection_for(kerdock(), "simplex")
    with pytest.raises(
        ps.InvalidArgumentError,
        match="'kind' must be one of auto, dense, axes, simplex, simplices, hadamard, parts, quantized, got",
    ):
        projection_for(kerdock(), "fast")
    with pytest.raises(
        ps.InvalidArgumentError, match="'k' must be at most the 4096 classes, got 4097"
    ):
        projection_for(kerdock()).top(torch.zeros(1, 64), 4097)


@pytest.mark.parametrize("kind", ["dense", "hadamard"])
def test_nothing_is_saved_and_nothing_is_trained(kind):
    project = projection_for(kerdock(), kind)
    assert project.state_dict() == {}
    assert list(project.parameters()) == []


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_a_module_of_another_type_serves_all(dtype):
    project = projection_for(kerdock(), "hadamard").to(dtype)
    z = torch.randn(3, 64)
    torch.testing.assert_close(
        project(z), projection_for(kerdock(), "dense")(z), rtol=0, atol=1e-5
    )


GRAPHED = [
    (kerdock(280, 16), "hadamard"),
    (ps.construct("construction_x", num_classes=3001, dim=70), "hadamard"),
    (kerdock(1003, 64, mapping="random"), "hadamard"),
    (ps.construct("simplex", num_classes=9, dim=9), "simplex"),
    (ps.construct("orthogonal_simplices", num_classes=9, dim=6), "simplices"),
    (ps.construct("cross_polytope", num_classes=9, dim=9), "axes"),
    (ps.construct("uniform", num_classes=9, dim=9), "dense"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("code", "kind"), GRAPHED[1:4])
def test_compiles_in_one_graph(code, kind):
    project = projection_for(code, kind)
    z = torch.randn(4, code.dim, requires_grad=True)
    compiled = torch.compile(project, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(z), project(z), rtol=0, atol=1e-5)
    (ours,) = torch.autograd.grad(compiled(z).square().sum(), z)
    (theirs,) = torch.autograd.grad(project(z).square().sum(), z)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("code", "kind"), GRAPHED)
def test_exports_with_any_batch(code, kind):
    project = projection_for(code, kind)
    batch = torch.export.Dim("batch", min=1)
    exported = torch.export.export(
        project, (torch.randn(4, code.dim),), dynamic_shapes=({0: batch},)
    ).module()
    z = torch.randn(7, code.dim)
    torch.testing.assert_close(exported(z), project(z), rtol=0, atol=1e-5)


BEFORE_2_7 = """
import torch
asked = torch.compiler.is_exporting
del torch.compiler.is_exporting
from protosphere.nn import PrototypeHead
head, z = PrototypeHead(10, dim=9), torch.randn(4, 9, requires_grad=True)
head.loss(z, torch.arange(4)).backward()
torch.compiler.is_exporting = asked  # this torch's own compiler asks
torch.compile(lambda z: head.loss(z, torch.arange(4)), backend="eager")(z).backward()
"""


@pytest.mark.slow
def test_a_torch_that_cannot_say_whether_it_exports_trains():
    subprocess.run([sys.executable, "-c", BEFORE_2_7], check=True, capture_output=True)


def test_many_logits_may_be_changed_in_place(monkeypatch):
    monkeypatch.setattr("protosphere.nn.kernels.threaded.HUGE_PAGES_FROM", 1 << 10)
    project = projection_for(kerdock())
    z = torch.randn(3, 64, requires_grad=True)
    project(z).mul_(2).sum().backward()
    expected = 2 * torch.tensor(
        kerdock().points.sum(axis=0), dtype=torch.float32
    ).expand(3, 64)
    torch.testing.assert_close(z.grad, expected, rtol=0, atol=1e-3)


@pytest.mark.parametrize("kind", ["dense", "hadamard"])
def test_autocast_keeps_the_type_of_z(kind):
    project = projection_for(kerdock(), kind)
    z = torch.randn(3, 64)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = project(z)
        sums = project.log_sum_exp(z)
    torch.testing.assert_close(logits, project(z), rtol=0, atol=1e-5)
    torch.testing.assert_close(sums, project.log_sum_exp(z), rtol=0, atol=1e-5)
