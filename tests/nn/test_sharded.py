"""Two gloo processes with half of the classes each, against one process with all."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import torch
from tests.nn.product_codes import code_of as built
from torch import distributed, nn

import protosphere as ps
from protosphere.nn.projections import projection_for
from protosphere.nn.sharded import ShardedProjection, gathered

CODES = {
    "cosets": ("kerdock", 4096, 64, {}),
    "cosets and a rest, shuffled": ("kerdock", 1003, 64, {"mapping": "random"}),
    "glue": ("construction_x", 20_011, 70, {}),
    "simplex": ("simplex", 30, 30, {}),
    "simplices": ("orthogonal_simplices", 31, 20, {"mapping": "random"}),
    "matrix": ("uniform", 101, 8, {}),
    "parts": ("product", 180, 12, {}),
    "parts, shuffled": ("product", 180, 10, {"mapping": "random"}),
    "parts, some": ("product", 101, 10, {}),
    "quantized": ("quantized", 101, 12, {}),
    "two classes": ("uniform", 2, 3, {}),
}
KINDS = {
    "cosets": "hadamard",
    "cosets and a rest, shuffled": "hadamard",
    "glue": "hadamard",
    "simplex": "simplex",
    "simplices": "simplices",
}

ROOT = Path(__file__).parents[2]


UNITS = {
    "cosets": 32,
    "cosets and a rest, shuffled": 32,
    "tails": 32,
    "parts": 60,
    "parts, shuffled": 60,
}
"""Classes that are not divided: cosets, and combinations with a value of the first part."""


@cache
def code_of(name):
    scheme, num_classes, dim, options = CODES[name]
    return built(scheme, num_classes, dim, **options)


def inputs(name, size):
    draw = torch.Generator().manual_seed(3)
    code = code_of(name)
    z = torch.randn(8, code.dim, generator=draw) * size
    target = torch.randint(code.num_classes, (8,), generator=draw)
    target[2] = -100
    return z, target, torch.rand(code.num_classes, generator=draw)


def answers(project, name, size):
    """Losses, their gradients, log-sum-exps, top values and classes of one batch."""
    z, target, weight = inputs(name, size)
    z.requires_grad_()
    loss = project.cross_entropy(z, target, weight, 0.1, scale=2.0)
    (gradient,) = torch.autograd.grad(loss, z)
    values, classes = project.top(z, min(5, project.num_classes))
    plain = project.cross_entropy(z, target, reduction="none")
    found = {
        "loss": loss,
        "plain": plain,
        "gradient": gradient,
        "sums": project.log_sum_exp(z),
    }
    return {
        **{key: value.detach() for key, value in found.items()},
        "values": values,
        "classes": classes,
    }


def network():
    torch.manual_seed(0)
    return nn.Linear(5, 64)


def weight_gradient(project, rows=slice(None), together=lambda z: z):
    model = network()
    draw = torch.Generator().manual_seed(1)
    x = torch.randn(8, 5, generator=draw)
    target = torch.randint(4096, (8,), generator=draw)
    project.cross_entropy(together(model(x[rows])), target).backward()
    return model.weight.grad


def one_of_two(rank, folder):
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2
    )
    found = {}
    for name in CODES:
        project = ShardedProjection(code_of(name), KINDS.get(name, "auto"))
        held = sum(block.num_points for block in project.blocks)
        found[f"{name}/held"] = torch.tensor(held)
        for size in (1.0, 1000.0):
            found |= {
                f"{name}/{size}/{key}": value
                for key, value in answers(project, name, size).items()
            }
    project = ShardedProjection(code_of("cosets"), "hadamard")
    found["share of the weight gradient"] = weight_gradient(
        project, slice(4 * rank, 4 * rank + 4), gathered
    )
    torch.save(found, f"{folder}/{rank}.pt")
    distributed.barrier()  # a process that leaves early may abort the other
    distributed.destroy_process_group()


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sharded")
    # Fresh ones: a fork of this process, where compilers and solvers have left threads behind, may never wake up.
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.nn.test_sharded", str(rank), str(folder)],
            cwd=ROOT,
        )
        for rank in (0, 1)
    ]
    assert [process.wait(timeout=240) for process in both] == [0, 0]
    return [torch.load(folder / f"{rank}.pt", weights_only=True) for rank in (0, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("size", [1.0, 1000.0])
@pytest.mark.parametrize("rank", [0, 1])
def test_two_processes_answer_as_one(processes, name, size, rank):
    alone = answers(projection_for(code_of(name), "dense"), name, size)
    for key, value in alone.items():
        torch.testing.assert_close(
            processes[rank][f"{name}/{size}/{key}"], value, rtol=1e-5, atol=1e-5
        )


@pytest.mark.parametrize("name", CODES)
def test_each_holds_about_half(processes, name):
    held = [int(found[f"{name}/held"]) for found in processes]
    assert sum(held) == code_of(name).num_classes
    unit = UNITS.get(name, 1)
    assert abs(held[0] - held[1]) <= unit + 1  # and a word of the rest


def test_gathered_rows_give_their_gradients_back(processes):
    shares = [found["share of the weight gradient"] for found in processes]
    alone = weight_gradient(projection_for(code_of("cosets"), "dense"))
    torch.testing.assert_close(shares[0] + shares[1], alone, rtol=1e-5, atol=1e-6)


def test_without_processes_it_says_so():
    with pytest.raises(
        ps.InvalidArgumentError,
        match=r"'group' must be of torch.distributed, which is not initialized",
    ):
        ShardedProjection(code_of("matrix"))


def test_gathered_names_the_second_call_if_a_tensor_is_given_as_group():
    z, targets = torch.randn(4, 9), torch.arange(4)
    with pytest.raises(
        ps.InvalidArgumentError, match=r"gathered\(z\), gathered\(targets\)"
    ):
        gathered(z, targets)


if __name__ == "__main__":
    one_of_two(int(sys.argv[1]), sys.argv[2])
