"""Compiled loops over cosets, in float32, against matrices in float64."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import hadamard

import protosphere as ps
from protosphere.nn.kernels import row_threads as threads
from protosphere.nn.kernels.cpu import compiled_loops as cpu_backend
from protosphere.nn.kernels.cpu import simd as lanes
from protosphere.nn.kernels.cpu.simd import LANES
from protosphere.nn.kernels.registry import backend_for
from protosphere.nn.projections import projection_for

CODES = {
    "opposites": ps.construct("kerdock", num_classes=4096, dim=64),
    "opposites, odd power": ps.construct("gold", num_classes=4096, dim=128),
    "a rest, shuffled": ps.construct(
        "kerdock", num_classes=1003, dim=64, mapping="random"
    ),
    "no opposites, short bins": ps.construct(
        "shortened_cosets", num_classes=3000, dim=125
    ),
    "glue": ps.construct("construction_x", num_classes=20_011, dim=70),
    "bins of several": ps.construct("bch", num_classes=3000, dim=63),
}
SIZES = [3.0, 300.0, 1e4, 1e-6, 0.0]


def vectors(name, size, batch=19):
    z = torch.randn(batch, CODES[name].dim, generator=torch.Generator().manual_seed(0))
    return torch.nn.functional.normalize(z, dim=1) * size


def projection(name, dtype=torch.float32):
    return projection_for(CODES[name], "hadamard", dtype)


def products(name, z):
    return z.double() @ torch.from_numpy(CODES[name].points).T


def close(ours, theirs, size):
    torch.testing.assert_close(
        ours.double(), theirs, rtol=1e-5, atol=1e-6 * max(size, 1e-6)
    )


@pytest.mark.parametrize("name", CODES)
def test_the_loops_serve_every_coset_code(name):
    block = projection(name).blocks[0]
    assert backend_for(block, torch.zeros(1, CODES[name].dim)).name == "cpu"


@pytest.mark.slow
@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("size", SIZES)
def test_words_and_their_transpose(name, size):
    z = vectors(name, size).requires_grad_()
    found = projection(name)(z)
    close(found.detach(), products(name, z.detach()), size)
    weights = torch.randn(found.shape, generator=torch.Generator().manual_seed(1))
    pulled = weights.double() @ torch.from_numpy(CODES[name].points)
    (gradient,) = torch.autograd.grad(found, z, weights)
    torch.testing.assert_close(gradient.double(), pulled, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("size", SIZES)
def test_log_sum_exp_and_the_mean_word(name, size):
    z = vectors(name, size).requires_grad_()
    ours = projection(name).log_sum_exp(z)
    scores = products(name, z.detach())
    torch.testing.assert_close(ours.double(), scores.logsumexp(1), rtol=2e-6, atol=2e-6)
    (gradient,) = torch.autograd.grad(ours.sum(), z)
    mean = scores.softmax(1) @ torch.from_numpy(CODES[name].points)
    torch.testing.assert_close(
        gradient.double(), mean, rtol=0, atol=2e-6 * max(1.0, size)
    )


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("k", [1, 5, 200])
def test_the_largest(name, k, monkeypatch):
    monkeypatch.setattr(
        cpu_backend, "CHOSEN_ENTRIES", 3000
    )  # several rows at once, not all
    z = vectors(name, 3.0)
    scores = products(name, z)
    values, classes = projection(name).top(z, k)
    close(values, scores.topk(k, dim=1).values, 3.0)
    close(values, scores.gather(1, classes), 3.0)
    assert all(len(set(row.tolist())) == k for row in classes)


@pytest.mark.parametrize("name", CODES)
def test_what_is_not_a_number_stays_so_and_in_its_row(name):
    z = vectors(name, 3.0)
    z[3, 5], z[8, 2] = torch.nan, torch.inf
    sums = projection(name).log_sum_exp(z)
    found = projection(name)(z)
    for row in (3, 8):
        assert not sums[row].isfinite()
        assert not found[row].isfinite().any()
    others = [row for row in range(len(z)) if row not in (3, 8)]
    assert sums[others].isfinite().all()
    assert found[others].isfinite().all()


@given(bits=st.integers(2, 9), seed=st.integers(0, 1 << 16))
@settings(max_examples=25, deadline=None)  # the first call compiles
def test_the_transform_is_the_product_with_sylvesters_matrix(bits, seed):
    x = np.random.default_rng(seed).normal(size=(1 << bits, LANES)).astype(np.float32)
    done, _ = lanes.walsh_hadamard_rows(
        x.reshape(-1).copy(), np.empty(x.size, np.float32), 1 << bits, 1 << bits, 1
    )
    np.testing.assert_allclose(
        done.reshape(x.shape), hadamard(1 << bits) @ x, rtol=0, atol=1e-5 * 2**bits
    )


@settings(deadline=None)
@given(st.lists(st.floats(-87, 80, width=32), min_size=1, max_size=4 * LANES))
def test_exponentials(values):
    x = np.resize(np.array(values, dtype=np.float32), 4 * LANES)
    y = np.empty_like(x)
    bits = np.empty(x.size, np.int32)
    lanes.exponentials(x, lanes.ONE, np.zeros(LANES, np.float32), y, bits, 4)
    exact = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(y, exact, rtol=2e-7 * (1 + np.abs(x).max()))


@pytest.mark.parametrize("shared_out", [threads._in_team, threads._in_pool])
def test_jobs_are_done_once_each_and_errors_are_raised(shared_out):
    if shared_out is threads._in_team and not threads._team_start():
        pytest.skip("torch's OpenMP here is not GNU's")
    assert shared_out([lambda i=i: i for i in range(7)]) == list(range(7))

    def fail():
        raise ZeroDivisionError("here")

    with pytest.raises(ZeroDivisionError, match="here"):
        shared_out([lambda: 1, fail, lambda: 3])


NOT_FINITE = """
import torch
import protosphere as ps
from protosphere.nn import PrototypeHead

head = PrototypeHead(ps.construct("kerdock", num_classes=1999, dim=64))
for value in (float("nan"), float("inf"), -float("inf"), 3e38):
    z = torch.randn(40, 64)
    z[3, 5], z[17] = value, value
    z.requires_grad_()
    head.loss(z, torch.arange(40)).backward()
    head.decode(z, k=5), head.decode(z, k=1999), head.score(z), head.score(z, "margin"), head(z)
print("alive")
"""


@pytest.mark.slow
def test_no_value_brings_the_process_down():
    ended = subprocess.run(
        [sys.executable, "-c", NOT_FINITE], check=False, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout) == (0, "alive\n"), ended.stderr
