"""The package works without the functions that only Linux has: searches, heads, training and locks."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import torch

from protosphere.compiled import threads as processors
from protosphere.compiled.threads import processor_count, single_threaded

ELSEWHERE = """
import os, sys

for name in ("sched_getaffinity", "process_cpu_count", "sysconf", "fork", "RTLD_NOLOAD", "RTLD_NOW", "geteuid"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("fcntl", "resource", "pwd", "grp"):
    sys.modules[name] = None
"""

WORK = """
import warnings
warnings.simplefilter("error")
from pathlib import Path

import torch
import protosphere as ps
from protosphere.errors import StorageError
from protosphere.nn import PrototypeHead

code = ps.construct("optimized", num_classes=12, dim=4, iterations=60, seed=0)
code.save("code.safetensors")
assert ps.load("code.safetensors").max_cosine == code.max_cosine
assert ps.best(num_classes=100, dim=16, iterations=0).num_classes == 100

torch.set_num_threads(2)
z, target = torch.randn(256, 64, requires_grad=True), torch.arange(256)
head = PrototypeHead(ps.construct("kerdock", num_classes=4096, dim=64))
head.loss(z, target).backward()
with torch.no_grad():
    assert torch.allclose(head.loss(z, target), torch.nn.functional.cross_entropy(head(z), target), atol=1e-4)

import protosphere.cli.app, protosphere.experiments.sweep, protosphere.experiments.loop, protosphere.experiments.workers
from protosphere.experiments.store import Store

with Store("runs").locked():
    try:
        with Store("runs").locked():
            raise SystemExit("a second sweep got in")
    except StorageError as refusal:
        assert "in use by another sweep" in str(refusal)
with Store("runs").locked():
    pass
print("done")
"""


def test_package_works_without_linux_only_functions(tmp_path):
    command = [sys.executable, "-c", ELSEWHERE + WORK]
    ended = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "done\n"), ended.stderr


@pytest.mark.parametrize(
    ("known", "count"),
    [
        (
            {
                "process_cpu_count": lambda: 3,
                "sched_getaffinity": lambda _: {0},
                "cpu_count": lambda: 8,
            },
            3,
        ),
        ({"sched_getaffinity": lambda _: {0, 5}, "cpu_count": lambda: 8}, 2),
        ({"cpu_count": lambda: 8}, 8),
        ({"cpu_count": lambda: None}, 1),
    ],
)
def test_cpu_count_uses_what_the_system_offers(monkeypatch, known, count):
    for name in ("process_cpu_count", "sched_getaffinity", "cpu_count"):
        monkeypatch.delattr(os, name, raising=False)
    for name, answer in known.items():
        monkeypatch.setattr(os, name, answer, raising=False)
    assert processor_count() == count


def test_blas_threads_are_restored_after_the_last_nested_limit():
    def numbers():
        return [
            library["num_threads"]
            for library in processors._libraries().info()
            if library["user_api"] == "blas"
        ]

    before = numbers()
    with single_threaded():
        with single_threaded():
            assert set(numbers()) <= {1}
        assert set(numbers()) <= {1}
    assert numbers() == before


def test_torch_threads_are_restored_in_any_order_of_exit():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    first = single_threaded()
    second = single_threaded()
    with first:
        second.__enter__()
        assert torch.get_num_threads() == 1
    second.__exit__(None, None, None)
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)
