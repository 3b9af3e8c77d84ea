"""Losses, log-sum-exps and top classes that never hold all logits, against torch's from all of them."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.nn.product_codes import product_code, quantized_code
from torch.nn.functional import cross_entropy, normalize

import protosphere as ps
from protosphere.nn.kernels import threaded as threads
from protosphere.nn.projections import combinations, dense, hadamard, projection_for

CODES = {
    "cosets": ps.construct("kerdock", num_classes=4096, dim=64),
    "cosets and a rest, shuffled": ps.construct(
        "kerdock", num_classes=1003, dim=64, mapping="random"
    ),
    "cosets without opposites": ps.construct(
        "shortened_cosets", num_classes=3000, dim=125
    ),
    "glue": ps.construct("construction_x", num_classes=20_011, dim=70),
    "glue, not antipodal": ps.construct("construction_x", num_classes=300, dim=20),
    "simplex": ps.construct("simplex", num_classes=20, dim=30, mapping="random"),
    "simplices": ps.construct(
        "orthogonal_simplices", num_classes=31, dim=20, mapping="random"
    ),
    "axes": ps.construct("cross_polytope", num_classes=21, dim=12),
    "matrix": ps.construct("uniform", num_classes=300, dim=7),
    "parts": product_code(mapping="random"),
    "parts, some": product_code(num_classes=101),
    "quantized": quantized_code(((9, 3), (13, 2)), num_classes=101),
}
KINDS = {
    "simplex": "simplex",
    "simplices": "simplices",
    "axes": "axes",
    "matrix": "dense",
    "parts": "parts",
    "parts, some": "parts",
    "quantized": "quantized",
    "glue, not antipodal": "auto",
}
SOME = [
    "cosets and a rest, shuffled",
    "cosets without opposites",
    "glue",
    "simplex",
    "axes",
    "matrix",
]


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Several tiles, the last one shorter, also for small codes."""
    monkeypatch.setattr(hadamard, "TILE_ENTRIES", 1000)
    monkeypatch.setattr(hadamard, "HIGHEST_ENTRIES", 300)
    monkeypatch.setattr(dense, "TILE_ENTRIES", 500)
    monkeypatch.setattr(combinations, "TILE_ENTRIES", 200)


def projection(name, dtype=torch.float64):
    return projection_for(CODES[name], KINDS.get(name, "hadamard"), dtype)


def batch_of(name, size=3.0, batch=6, dtype=torch.float64, seed=0):
    rng = torch.Generator().manual_seed(seed)
    z = (
        normalize(
            torch.randn(batch, CODES[name].dim, generator=rng, dtype=torch.float64),
            dim=1,
        )
        * size
    )
    target = torch.randint(0, CODES[name].num_classes, (batch,), generator=rng)
    weight = torch.rand(CODES[name].num_classes, generator=rng, dtype=torch.float64)
    return z.to(dtype).requires_grad_(), target, weight.to(dtype)


def logits_of(name, z):
    return z @ torch.from_numpy(CODES[name].points).to(z.dtype).T


def gradient(loss, z):
    return torch.autograd.grad(loss.sum(), z)[0]


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("size", [3.0, 0.0, 1e4, 1e-6])
def test_log_sum_exp_and_its_gradient(name, size):
    z, _, _ = batch_of(name, size)
    ours = projection(name).log_sum_exp(z)
    theirs = logits_of(name, z).logsumexp(1)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(
        gradient(ours, z), gradient(theirs, z), rtol=0, atol=1e-9
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy_is_that_of_torch(name, smoothing, reduction, weighted):
    z, target, weight = batch_of(name)
    target[1] = -100
    options = {
        "weight": weight if weighted else None,
        "label_smoothing": smoothing,
        "reduction": reduction,
    }
    ours = projection(name).cross_entropy(z, target, scale=2.5, **options)
    theirs = cross_entropy(2.5 * logits_of(name, z), target, **options)
    torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(
        gradient(ours, z), gradient(theirs, z), rtol=1e-8, atol=1e-10
    )


@pytest.mark.parametrize("name", SOME)
def test_gradcheck_with_a_learned_scale(name):
    project, (z, target, weight) = projection(name), batch_of(name, batch=2)
    scale = torch.tensor(1.7, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda v, s: project.cross_entropy(v, target, weight, 0.1, "none", s),
        (z, scale),
        fast_mode=True,
    )


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize(
    ("dtype", "near"),
    [(torch.float32, 1e-5), (torch.bfloat16, 3e-2), (torch.float16, 5e-3)],
)
@pytest.mark.parametrize("size", [3.0, 1e4])
def test_half_types_add_in_float32(name, dtype, near, size):
    z, target, _ = batch_of(name, size, dtype=dtype)
    exact = z.detach().double().requires_grad_()
    ours = projection(name, torch.float32).cross_entropy(z, target)
    theirs = cross_entropy(logits_of(name, exact), target)
    assert ours.dtype == torch.float32
    torch.testing.assert_close(ours.double(), theirs, rtol=1e-5, atol=1e-5)
    found = gradient(ours, z)
    assert found.dtype == dtype
    torch.testing.assert_close(
        found.double(), gradient(theirs, exact), rtol=0, atol=near
    )


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("k", [1, 5, 20])
def test_top_classes(name, k):
    z, _, _ = batch_of(name)
    values, classes = projection(name).top(z, k)
    logits = logits_of(name, z)
    torch.testing.assert_close(values, logits.topk(k, dim=1).values)
    torch.testing.assert_close(values, logits.gather(1, classes))
    assert all(len(set(row.tolist())) == k for row in classes)


@given(st.sampled_from(SOME), st.floats(0, 300), st.integers(0, 9), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_any_batch_of_any_size(name, size, batch, seed):
    z, _, _ = batch_of(name, size, batch, torch.float32, seed)
    project = projection(name, torch.float32)
    exact = logits_of(name, z.detach().double())
    torch.testing.assert_close(
        project.log_sum_exp(z).double(), exact.logsumexp(1), rtol=1e-5, atol=1e-5
    )
    torch.testing.assert_close(
        project.top(z, 3)[0].double(),
        exact.topk(3).values,
        rtol=1e-5,
        atol=1e-5 * (1 + size),
    )


def test_not_a_number_stays_one():
    z = torch.full((2, 64), torch.nan)
    assert projection("cosets").log_sum_exp(z).isnan().all()


def test_no_block_of_all_logits_is_ever_held(monkeypatch):
    monkeypatch.undo()
    code = ps.construct("gold", num_classes=100_000, dim=512)
    project = projection_for(code, "hadamard")
    z = torch.randn(64, 512, requires_grad=True)
    target = torch.randint(0, 100_000, (64,))
    with torch.profiler.profile(profile_memory=True) as profile:
        project.cross_entropy(z, target).backward()
        project.top(z, 5)
    largest = max(event.self_cpu_memory_usage for event in profile.events())
    assert largest < 64 * 100_000 * 4 / 2


@pytest.mark.parametrize(
    "mode", [torch.no_grad, torch.enable_grad, torch.inference_mode]
)
def test_threads_change_nothing(mode, monkeypatch):
    project, (z, *_) = (
        projection("cosets", torch.float32),
        batch_of("cosets", batch=21, dtype=torch.float32),
    )
    alone = project(z), project.log_sum_exp(z), *project.top(z, 3)
    monkeypatch.setattr(threads, "FEWEST_SCORES", 1)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with mode():
            both = project(z), project.log_sum_exp(z), *project.top(z, 3)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    for one, two in zip(alone, both, strict=True):
        torch.testing.assert_close(two, one, rtol=1e-5, atol=1e-5)


def test_an_error_in_a_thread_is_raised(monkeypatch):
    monkeypatch.setattr(threads, "FEWEST_SCORES", 1)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        threads.by_rows(lambda rows: 1 / 0, torch.zeros(16, 1), 1)
