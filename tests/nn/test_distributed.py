"""Two gloo processes: data-parallel training gives the single process's weights, and prototypes take no part in it.

The same of parameters that are sharded over the processes, the scale that is learned among them.
"""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import distributed, nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
)
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

from protosphere.nn import PrototypeHead

STEPS = 3
BATCH = 8


def network(scale="auto"):
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(6, 16),
        nn.Tanh(),
        nn.Linear(16, 16),
        PrototypeHead(20, dim=16, scale=scale),
    )


def batches():
    draw = torch.Generator().manual_seed(1)
    return [
        (
            torch.randn(BATCH, 6, generator=draw),
            torch.randint(20, (BATCH,), generator=draw),
        )
        for _ in range(STEPS)
    ]


def trained(model, rank=0, world=1):
    solver = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, classes in batches():
        solver.zero_grad()
        nn.functional.cross_entropy(
            model(x[rank::world]), classes[rank::world]
        ).backward()
        solver.step()
    return model


def one_of_two(rank, folder):
    distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2
    )
    model = trained(DistributedDataParallel(network()), rank, 2)
    torch.save(model.module.state_dict(), f"{folder}/{rank}.pt")
    sharded = trained(fully_shard(network("learn")), rank, 2)
    whole = get_model_state_dict(
        sharded,
        options=StateDictOptions(full_state_dict=True, broadcast_from_rank0=False),
    )
    if rank == 0:
        torch.save(whole, f"{folder}/sharded.pt")
    distributed.barrier()  # a process that leaves early may abort the other
    distributed.destroy_process_group()


@pytest.mark.slow
def test_two_processes_equal_one(tmp_path):
    # Fresh ones: a fork of this process, where compilers and solvers have left threads behind, may never wake up.
    processes = [
        subprocess.Popen([sys.executable, __file__, str(rank), str(tmp_path)])
        for rank in (0, 1)
    ]
    assert [process.wait(timeout=240) for process in processes] == [0, 0]
    first, second = (
        torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in (0, 1)
    )
    alone = trained(network()).state_dict()
    assert all(torch.equal(first[name], second[name]) for name in alone)
    for name in alone:
        torch.testing.assert_close(first[name], alone[name], atol=1e-6, rtol=1e-5)
    sharded = torch.load(tmp_path / "sharded.pt", weights_only=True)
    alone = trained(network("learn")).state_dict()
    assert sharded.keys() == alone.keys()
    for name in alone:
        torch.testing.assert_close(sharded[name], alone[name], atol=1e-6, rtol=1e-5)
    assert alone["3.scaling.shift"].any()


def test_there_is_no_gradient_of_prototypes_to_send():
    model = network()
    assert all("3" not in name.split(".") for name, _ in model.named_parameters())
    assert not any(buffer.requires_grad for buffer in model.buffers())


if __name__ == "__main__":
    one_of_two(int(sys.argv[1]), sys.argv[2])
