"""Codes and heads work without the extras, and a missing extra is reported in one sentence with its install line."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import protosphere as ps
from protosphere.extras import EXTRAS, MissingExtraError, require

BLOCKED = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
"""

CODES_AND_HEADS = """
import torch
import protosphere as ps
from protosphere.nn import PrototypeHead

code = ps.best(num_classes=10, dim=4, iterations=50, seed=0)
code.save("code.safetensors")
assert ps.load("code.safetensors").max_cosine == code.max_cosine
assert ps.certify(code.points).max_cosine <= code.max_cosine + 1e-12
head = PrototypeHead(code)
head.loss(torch.randn(8, 4, requires_grad=True), torch.arange(8)).backward()
assert len(head.decode(torch.randn(8, 4))[0]) == 8
assert ps.construct("kerdock", num_classes=100, dim=16).num_classes == 100
assert not set(BLOCKED) & set(sys.modules)
"""

COMMANDS = """
import contextlib, io, json
from protosphere.cli import main

answers = []
for words in json.loads(sys.argv[1]):
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = main(words)
    answers.append((code, said.getvalue()))
print(json.dumps(answers))
"""


def run_without(packages, script, folder, *arguments):
    command = [
        sys.executable,
        "-c",
        f"BLOCKED = {list(packages)}\n{BLOCKED}{script}",
        *arguments,
    ]
    ended = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_codes_and_heads_need_no_extra(tmp_path):
    run_without(EXTRAS, CODES_AND_HEADS, tmp_path)


def test_commands_name_a_missing_extra_before_they_start(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOSPHERE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "two.toml").write_text(
        'dataset = "digits"\nschemes = ["one_hot"]\ndims = [10]\n'
    )
    wanted = {
        "compare -K 10 --dims 4,8": ("matplotlib", "plots"),
        "histogram simplex -K 10 -n 9 -o h.png": ("matplotlib", "plots"),
        "atlas --shipped --figure a.png": ("matplotlib", "plots"),
        "figure all": ("matplotlib", "plots"),
        "report . --html r.html": ("plotly", "plots"),
        "train digits --scheme simplex --dim 9": ("lightning-fabric", "train"),
        "sweep two.toml": ("lightning-fabric", "train"),
        "sweep two.toml --workers 2": ("lightning-fabric", "train"),
        "sweep two.toml --export t.parquet": ("pyarrow", "parquet"),
        "features digits --model net.onnx -o f.npz": ("onnxruntime", "onnx"),
        "train cifar10 --scheme simplex --dim 9": ("pooch", "train"),
    }
    answers = json.loads(
        run_without(
            EXTRAS, COMMANDS, tmp_path, json.dumps([words.split() for words in wanted])
        )
    )
    for (words, (package, extra)), (code, said) in zip(
        wanted.items(), answers, strict=True
    ):
        assert (code, said.count("\n")) == (2, 1), (words, said)
        assert f"this needs {package}: pip install 'protosphere[{extra}]'" in said, (
            words
        )
    assert not {path.suffix for path in tmp_path.rglob("*")} & {
        ".png",
        ".parquet",
        ".html",
    }


def test_sweep_on_a_cluster_names_the_missing_ray_extra(tmp_path):
    (tmp_path / "two.toml").write_text(
        'dataset = "digits"\nepochs = 1\nschemes = ["one_hot"]\ndims = [10]\n'
    )
    words = ["sweep", "two.toml", "--ray"]
    [(code, said)] = json.loads(
        run_without(["ray"], COMMANDS, tmp_path, json.dumps([words]))
    )
    assert code == 2
    assert "this needs ray: pip install 'protosphere[ray]'" in said


def test_a_missing_package_is_an_import_error_and_one_of_ours(monkeypatch):
    for module in ("plotly", "plotly.graph_objects"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        MissingExtraError,
        match=r"^this needs plotly: pip install 'protosphere\[plots\]'$",
    ) as raised:
        require("plotly.graph_objects")
    assert isinstance(raised.value, ImportError)
    assert isinstance(raised.value, ps.ProtosphereError)


def test_a_broken_package_is_reported_with_its_own_error(monkeypatch, tmp_path):
    (tmp_path / "plotly.py").write_text("import nowhere_at_all")
    monkeypatch.delitem(sys.modules, "plotly", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(
        MissingExtraError,
        match=r"plotly \(No module named 'nowhere_at_all'\): pip install",
    ):
        require("plotly")


def test_every_extra_installs_the_packages_it_is_named_for():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())[
        "project"
    ]
    extras = project["optional-dependencies"]
    distributions = packages_distributions()
    for package, extra in EXTRAS.items():
        names = [line.partition(">=")[0] for line in extras[extra]]
        assert set(distributions[package]) & set(names), package
    brought = {line.partition(">=")[0] for line in project["dependencies"]}
    assert not brought & {name for package in EXTRAS for name in distributions[package]}
