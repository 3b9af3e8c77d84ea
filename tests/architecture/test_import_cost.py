"""`import protosphere` and algebraic codes load neither torch nor scipy's solvers nor matplotlib."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = [
    "torch",
    "scipy.optimize",
    "scipy.stats",
    "matplotlib",
    "rich",
    "cyclopts",
    "safetensors",
]
HEAVY += ["lightning_fabric", "plotly", "sklearn", "ray", "numba"]


def loaded_after(statements):
    script = f"{statements}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(json.loads(answer.stdout.splitlines()[-1]))


def test_importing_loads_nothing_heavy():
    assert not loaded_after("import protosphere").intersection(HEAVY)


@pytest.mark.parametrize(
    "statements",
    [
        "import protosphere as ps; ps.construct('reed_muller', num_classes=100, dim=64)",
        "import protosphere as ps; ps.construct('simplex', num_classes=10, dim=9); ps.bounds.achievable(100, 64)",
    ],
)
def test_algebra_needs_no_torch(statements):
    assert not loaded_after(statements).intersection(
        ["torch", "matplotlib", "scipy.optimize"]
    )


@pytest.mark.parametrize(
    ("num_classes", "dim"), [(1000, 128), (10_000, 256), (100_000, 512)]
)
def test_best_without_a_search_loads_neither_torch_nor_numba(num_classes, dim):
    asked = f"import protosphere as ps; ps.best(num_classes={num_classes}, dim={dim})"
    assert not loaded_after(asked).intersection(["torch", "numba", "matplotlib"])
