"""Two gloo processes: losses, gradients, center and assignment are those of a single process with both batches."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import distributed

import protosphere as ps
from protosphere.nn import (
    DINOLoss,
    LearnedPrototypes,
    NoiseAsTargets,
    SwappedPrediction,
    sinkhorn,
)

BATCH = 8
DIM = 8
CLASSES = 50


def batch(seed):
    """Views of one batch of the single process, and the numbers of its examples."""
    generator = torch.Generator().manual_seed(seed)
    views = [
        torch.randn(BATCH, DIM, generator=generator, dtype=torch.float64)
        for _ in range(3)
    ]
    return views, torch.randperm(CLASSES, generator=generator)[:BATCH]


def losses_to_compare():
    code = ps.best(num_classes=CLASSES, dim=DIM, iterations=0)
    for centering in ("center", "sinkhorn"):
        yield DINOLoss(code, centering=centering)
        yield DINOLoss(LearnedPrototypes(CLASSES, DIM, seed=0), centering=centering)
    yield SwappedPrediction(code)
    yield SwappedPrediction(LearnedPrototypes(CLASSES, DIM, seed=0))
    yield NoiseAsTargets(code)


def value(loss, views, index):
    if isinstance(loss, DINOLoss):
        return loss(views, views[:2])
    if isinstance(loss, SwappedPrediction):
        return loss(views)
    return loss(views[0], index)


def results(rank=0, world=1):
    """Everything that is compared: mean losses, gradients of the own rows, assignments, and states of the losses."""
    views, _ = batch(0)
    found = {"sinkhorn": sinkhorn(views[0][rank::world], epsilon=0.5)}
    for i, loss in enumerate(losses_to_compare()):
        loss.double()
        for step in range(2):
            views, index = batch(step)
            own = [view[rank::world].clone().requires_grad_() for view in views]
            result = value(loss, own, index[rank::world])
            result.backward()
            found[f"{i}, {step}: loss"] = result.detach()
            found[f"{i}, {step}: rows"] = own[0].grad / world
        for name, tensor in loss.state_dict().items():
            if not name.endswith("_extra_state"):
                found[f"{i}: {name}"] = tensor
    return found


def one_of_two(rank, folder):
    distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2
    )
    torch.save(results(rank, 2), f"{folder}/{rank}.pt")
    distributed.barrier()  # a process that leaves early may abort the other
    distributed.destroy_process_group()


@pytest.mark.slow
def test_two_processes_equal_one(tmp_path):
    processes = [
        subprocess.Popen([sys.executable, __file__, str(rank), str(tmp_path)])
        for rank in (0, 1)
    ]
    assert [process.wait(timeout=240) for process in processes] == [0, 0]
    first, second = (
        torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in (0, 1)
    )
    alone = results()
    assert "0: center" in alone
    assert "6: assignment" in alone
    for name, wanted in alone.items():
        if name.endswith(": loss"):
            together = (first[name] + second[name]) / 2
            torch.testing.assert_close(together, wanted)
        elif name.endswith(": rows") or name == "sinkhorn":
            for rank, mine in enumerate((first[name], second[name])):
                torch.testing.assert_close(mine, wanted[rank::2])
        else:
            torch.testing.assert_close(first[name], wanted)
            torch.testing.assert_close(second[name], wanted)


if __name__ == "__main__":
    one_of_two(int(sys.argv[1]), sys.argv[2])
