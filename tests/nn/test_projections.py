"""Every projection against the matrix of the code's points in float64."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.nn.product_codes import code_of as built

import protosphere as ps
from protosphere.nn.projections import projection_for

CODES = {
    "kerdock": ("hadamard", "kerdock", 4096, 64, {}),
    "kerdock, part of a coset": ("hadamard", "kerdock", 1999, 64, {}),
    "kerdock, shuffled": ("hadamard", "kerdock", 1003, 64, {"mapping": "random"}),
    "kerdock and axes": ("hadamard", "kerdock", 280, 16, {}),
    "delsarte_goethals": ("hadamard", "delsarte_goethals", 5001, 64, {}),
    "gold": ("hadamard", "gold", 1001, 32, {}),
    "reed_muller": ("hadamard", "reed_muller", 1000, 64, {}),
    "bch": ("hadamard", "bch", 3000, 127, {}),
    "bch, shuffled": (
        "hadamard",
        "bch",
        777,
        64,
        {"modify": True, "mapping": "random"},
    ),
    "shortened": ("hadamard", "shortened_cosets", 3000, 125, {}),
    "punctured": ("hadamard", "shortened_cosets", 4096, 63, {}),
    "construction_x": ("hadamard", "construction_x", 3001, 70, {}),
    "construction_x, packed": ("hadamard", "construction_x", 20_011, 70, {}),
    "packed, then zeros": ("hadamard", "delsarte_goethals", 20_480, 64, {}),
    "lifted_bases": ("hadamard", "lifted_bases", 1001, 80, {}),
    "lifted_bases, the axes too": ("hadamard", "lifted_bases", 288, 24, {}),
    "cross_polytope": ("axes", "cross_polytope", 19, 12, {}),
    "cross_polytope, shuffled": (
        "axes",
        "cross_polytope",
        24,
        12,
        {"mapping": "random"},
    ),
    "one_hot": ("axes", "one_hot", 7, 9, {}),
    "simplex": ("simplex", "simplex", 200, 199, {}),
    "simplex, two points": ("simplex", "simplex", 2, 3, {}),
    "simplex, shuffled, padded": ("simplex", "simplex", 50, 70, {"mapping": "random"}),
    "simplices": ("simplices", "orthogonal_simplices", 100, 64, {}),
    "simplices, pairs only": ("simplices", "orthogonal_simplices", 40, 20, {}),
    "simplices, shuffled": (
        "simplices",
        "orthogonal_simplices",
        51,
        47,
        {"mapping": "random"},
    ),
    "parts": ("parts", "product", 180, 10, {}),
    "parts, shuffled, padded": ("parts", "product", 180, 13, {"mapping": "random"}),
    "parts, some": ("parts", "product", 101, 10, {}),
    "quantized": ("quantized", "quantized", 101, 10, {}),
    "quantized, padded": ("quantized", "quantized", 101, 13, {}),
    "parts, as a matrix": ("dense", "product", 101, 10, {}),
    "simplex, as a matrix": ("dense", "simplex", 9, 8, {}),
    "kerdock, as a matrix": ("dense", "kerdock", 256, 16, {}),
    "uniform": ("dense", "uniform", 300, 5, {}),
}
PRECISION = {
    torch.float64: 1e-12,
    torch.float32: 2e-6,
    torch.bfloat16: 2e-2,
    torch.float16: 3e-3,
}


@cache
def code_of(case):
    _, scheme, num_classes, dim, options = CODES[case]
    code = built(scheme, num_classes, dim, **options)
    return with_zeros(code, dim + 6) if "zeros" in case else code


def with_zeros(code, dim):
    """The code as `best` hands it over where it needs more dimensions: packed, zeros after the words."""
    placement = code.placement.padded(dim, "words and zeros")
    assert placement.structure.name == "glued"
    return replace(
        code, placement=placement, certificate=replace(code.certificate, dim=dim)
    )


@cache
def projection_of(case, dtype=torch.float32):
    return projection_for(code_of(case), CODES[case][0], dtype)


@cache
def matrix_of(case):
    return torch.from_numpy(code_of(case).points)


def vectors(case, batch, size=1.0, dtype=torch.float32, seed=0):
    rng = torch.Generator().manual_seed(seed)
    z = torch.randn(batch, code_of(case).dim, generator=rng, dtype=torch.float64)
    return (size * torch.nn.functional.normalize(z, dim=1)).to(dtype)


@pytest.mark.slow
@pytest.mark.parametrize("case", CODES)
@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("size", [1.0, 0.0, 1e4, 1e-6])
def test_logits_are_those_of_the_matrix(case, dtype, size):
    project = projection_of(
        case, torch.float64 if dtype == torch.float64 else torch.float32
    )
    z = vectors(case, 5, size, dtype)
    logits = project(z)
    assert logits.dtype == dtype
    assert logits.shape == (5, project.num_classes) == (5, code_of(case).num_classes)
    expected = z.double() @ matrix_of(case).T
    # the spacing of its smallest numbers
    if dtype == torch.float16:
        smallest = 1e-7
    else:
        smallest = 0
    torch.testing.assert_close(
        logits.double(), expected, rtol=0, atol=PRECISION[dtype] * size + smallest
    )


@pytest.mark.parametrize("case", CODES)
@pytest.mark.parametrize("batch", [0, 1])
def test_small_batches(case, batch):
    project = projection_of(case)
    z = vectors(case, batch)
    torch.testing.assert_close(
        project(z), (z.double() @ matrix_of(case).T).float(), rtol=0, atol=2e-6
    )
    values, classes = project.top(z, 2)
    assert values.shape == classes.shape == (batch, 2)
    assert project.log_sum_exp(z).shape == (batch,)


@pytest.mark.parametrize("case", CODES)
def test_input_need_not_be_contiguous(case):
    project = projection_of(case)
    z = vectors(case, 6)
    for view in (
        z.T.contiguous().T,
        z.repeat(1, 2)[::2, : z.shape[1]],
        z[:1].expand(4, -1),
    ):
        torch.testing.assert_close(
            project(view), project(view.clone(memory_format=torch.contiguous_format))
        )
        torch.testing.assert_close(
            project.top(view, 1)[0], project(view).max(1, keepdim=True).values
        )


@pytest.mark.parametrize("case", CODES)
def test_rows_and_their_sums_are_those_of_the_matrix(case):
    project = projection_of(case, torch.float64)
    matrix = matrix_of(case)
    index = torch.arange(len(matrix))[:: max(1, len(matrix) // 100)].flip(0)
    rows = project.prototypes(index, matrix)
    torch.testing.assert_close(rows, matrix[index], rtol=0, atol=1e-12)
    assert project.prototypes(index).dtype == torch.float32
    weight = torch.rand(len(matrix), dtype=torch.float64)
    torch.testing.assert_close(
        project.weighted_prototypes(weight[None])[0][0],
        weight @ matrix,
        rtol=0,
        atol=1e-9,
    )


@pytest.mark.parametrize("case", CODES)
def test_gradients_of_logits(case):
    project = projection_of(case, torch.float64)
    z = vectors(case, 3, dtype=torch.float64).requires_grad_()
    cotangent = torch.randn(3, project.num_classes, dtype=torch.float64)
    (gradient,) = torch.autograd.grad(project(z), z, cotangent)
    torch.testing.assert_close(gradient, cotangent @ matrix_of(case), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "case",
    [
        "kerdock and axes",
        "gold",
        "lifted_bases, the axes too",
        "simplex, shuffled, padded",
    ],
)
def test_gradcheck_of_forward_twice(case):
    project = projection_of(case, torch.float64)
    z = vectors(case, 2, dtype=torch.float64).requires_grad_()
    chosen = torch.arange(0, project.num_classes, 37)
    assert torch.autograd.gradcheck(lambda v: project(v)[:, chosen], (z,))
    assert torch.autograd.gradgradcheck(lambda v: project(v)[:, chosen] ** 2, (z,))


SCHEMES = ["kerdock", "delsarte_goethals", "gold", "shortened_cosets", "construction_x", "lifted_bases", "reed_muller",
           "bch", "cross_polytope", "simplex", "orthogonal_simplices", "lifted_cross_polytopes", "one_hot"]  # fmt: skip


@given(
    st.sampled_from(SCHEMES),
    st.integers(2, 3000),
    st.integers(2, 80),
    st.booleans(),
    st.integers(0, 99),
)
@settings(max_examples=40, deadline=None)
def test_whatever_is_found_in_a_code_gives_its_logits(
    scheme, num_classes, dim, shuffled, seed
):
    try:
        code = ps.construct(
            scheme,
            num_classes=num_classes,
            dim=dim,
            seed=seed,
            mapping="random" if shuffled else "fixed",
        )
    except ps.InfeasibleError:
        return
    z = torch.randn(3, dim, generator=torch.Generator().manual_seed(seed))
    expected = z @ torch.from_numpy(code.points).float().T
    for kind in ("hadamard", "axes", "simplex", "auto"):
        try:
            project = projection_for(code, kind)
        except ps.InvalidArgumentError:
            continue
        torch.testing.assert_close(project(z), expected, rtol=0, atol=1e-5)
        torch.testing.assert_close(
            project.top(z, 1)[0],
            expected.max(1, keepdim=True).values,
            rtol=0,
            atol=1e-5,
        )
