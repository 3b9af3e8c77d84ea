"""Code blocks of the pages and the README: Python runs, command lines run or at least parse."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from protosphere.cli import main
from protosphere.cli.app import COMMANDS, program
from protosphere.experiments.sweep_files import load_sweep
from protosphere.plots import figures
from reproduction import app as reproduction_app

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")),
]
FENCES = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def blocks(page, *languages):
    text = (ROOT / page).read_text(encoding="utf-8")
    return [body for language, body in FENCES.findall(text) if language in languages]


def shell_lines(page):
    """What somebody would type: lines after a dollar, or all lines of a block that has none."""
    for body in (block.replace("\\\n", " ") for block in blocks(page, "console", "sh")):
        typed = re.findall(r"^\$ (.*)$", body, re.M)
        yield from (
            shlex.split(line, comments=True)
            for line in typed or body.splitlines()
            if line.strip()
        )


SHELL = [(page, words) for page in PAGES for words in shell_lines(page) if words]
REPRODUCTION = ["python", "-m", "reproduction"]
HELP = [
    ("help", [*program_words, name, *shlex.split(example)])
    for program_words, commands in (
        (["protosphere"], COMMANDS),
        (REPRODUCTION, reproduction_app.COMMANDS),
    )
    for name, command in commands.items()
    for example in command.examples
]


@pytest.mark.parametrize(
    ("page", "words"), [*SHELL, *HELP], ids=lambda value: str(value)[:90]
)
def test_documented_command_lines_parse(page, words):
    if words[0] == "protosphere":
        program().parse_args(words[1:], exit_on_error=False, print_error=False)
        return
    if words[:3] == REPRODUCTION:
        reproduction_app.program().parse_args(
            words[3:], exit_on_error=False, print_error=False
        )
        return
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.M), words
        return
    assert words[0] in {"pip", "python3", "python"}, f"{page}: who runs {words[0]!r}?"
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    asked = re.findall(r"\[([\w,]+)\]", " ".join(words))
    assert {name for names in asked for name in names.split(",")} <= set(extras)


class Classified(nn.Module):
    """A stand-in for models of timm: the last layer has the name that is given."""

    def __init__(self, name, num_classes=1000):
        super().__init__()
        self.body = nn.Linear(8, 16)
        setattr(self, name, nn.Linear(16, num_classes))


class Pretrained(Classified):
    """A stand-in for models of transformers: made from a configuration, saved and loaded by themselves."""

    def __init__(self, config):
        super().__init__("classifier", config.num_labels)
        self.config = config

    def save_pretrained(self, folder):
        from safetensors.torch import save_file

        Path(folder).mkdir(exist_ok=True)
        save_file(self.state_dict(), f"{folder}/model.safetensors")
        (Path(folder) / "labels").write_text(str(self.config.num_labels))

    @classmethod
    def from_pretrained(cls, name, num_labels=None):
        from safetensors.torch import load_file

        if not Path(name).is_dir():  # a name on the hub
            return cls(SimpleNamespace(num_labels=num_labels))
        model = cls(
            SimpleNamespace(num_labels=int((Path(name) / "labels").read_text()))
        )
        model.load_state_dict(load_file(f"{name}/model.safetensors"), strict=False)
        return model


def models_of_pages():
    """The names that blocks of `MODEL_PAGES` use without importing them."""
    import safetensors.torch as safetensors_torch
    from huggingface_hub import PyTorchModelHubMixin

    from protosphere.nn import PrototypeHead, attach

    model = attach(Classified("head"), num_classes=100, dim=64)
    saved = attach(Pretrained(SimpleNamespace(num_labels=100)), num_classes=100, dim=64)
    saved.save_pretrained("attached")
    names = {
        "torch": torch,
        "nn": nn,
        "attach": attach,
        "PrototypeHead": PrototypeHead,
        "model": model,
    }
    return names | {
        "PyTorchModelHubMixin": PyTorchModelHubMixin,
        "backbone": nn.Linear(8, 16),
        "features": 16,
        "timm": SimpleNamespace(
            create_model=lambda name, num_classes: Classified("head", num_classes)
        ),
        "ViTForImageClassification": Pretrained,
        "safetensors": SimpleNamespace(torch=safetensors_torch),
        "folder": "attached",
    }


MODEL_PAGES = ("docs/heads.md", "docs/save-and-serve.md", "docs/export-recipes.md")
"""Pages whose Python is about models, some of them of other libraries."""

MODEL_BLOCKS = [(page, body) for page in MODEL_PAGES for body in blocks(page, "python")]


@pytest.mark.parametrize(
    ("page", "body"),
    [block for block in MODEL_BLOCKS if "onnxruntime" not in block[1]],
    ids=lambda value: str(value)[:40],
)
def test_python_of_pages_about_models_runs(page, body, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(body, page, "exec"), models_of_pages())


def test_python_that_exports_to_onnx_runs(tmp_path, monkeypatch):
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    from protosphere.nn import PrototypeHead

    monkeypatch.chdir(tmp_path)
    (block,) = [body for _, body in MODEL_BLOCKS if "onnxruntime" in body]
    model = nn.Sequential(nn.Linear(64, 16), PrototypeHead(100, dim=16)).eval()
    names = {"torch": torch, "onnxruntime": onnxruntime, "model": model}
    names |= {"example": torch.randn(2, 64), "images": torch.randn(7, 64)}
    names["batch"] = torch.export.Dim("batch", min=1, max=4096)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch's exporter, about itself
        exec(compile(block, "save-and-serve.md", "exec"), names)
    expected = model(names["images"]).detach()
    assert torch.allclose(torch.from_numpy(names["logits"]), expected, atol=1e-4)


def test_python_of_the_frameworks_page_runs(monkeypatch):
    from protosphere.nn import prototype_head

    lightning_block, transformers_block = blocks("docs/frameworks.md", "python")
    lightning = SimpleNamespace(LightningModule=nn.Module)
    monkeypatch.setitem(sys.modules, "lightning", lightning)
    names = {}
    exec(compile(lightning_block, "frameworks.md", "exec"), names)
    model = names["Classifier"]()
    images = torch.randn(4, 64)
    labels = torch.arange(4)
    loss = model.training_step((images, labels), 0)
    loss.backward()
    model.configure_optimizers().step()
    assert model(images).shape == (4, 10)

    trainer = SimpleNamespace(train=lambda: None)
    transformers = SimpleNamespace(
        ViTForImageClassification=SimpleNamespace(
            from_pretrained=lambda folder: Classified("classifier")
        ),
        Trainer=lambda model, args, train_dataset: trainer,
        TrainingArguments=lambda output_dir: None,
    )
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    names = {"folder": "saved", "images": []}
    exec(compile(transformers_block, "frameworks.md", "exec"), names)
    assert prototype_head(names["model"]).num_classes == 10


def test_python_of_the_training_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (block,) = blocks("docs/training.md", "python")
    words = ["train", "digits", "--scheme", "bch", "--epochs", "1", "--json"]
    assert main(words) == 0
    folder = json.loads(capsys.readouterr().out)["folder"]
    block = re.sub(r'"runs/[^"]*"', repr(folder), block)
    images = torch.zeros(2, 1, 8, 8, dtype=torch.uint8)
    exec(compile(block, "training.md", "exec"), {"images": images})


def test_python_of_the_page_on_very_many_classes_runs():
    (block,) = blocks("docs/very-many-classes.md", "python")
    assert "50_000" in block
    names = {}
    torch.manual_seed(0)
    exec(compile(block.replace("50_000", "500"), "very-many-classes.md", "exec"), names)
    nearest = names["classes"][:, 0]
    assert (nearest == names["labels"]).float().mean() > 0.9


def test_python_of_the_page_on_classes_with_parts_runs():
    import protosphere as ps
    from protosphere.nn import CosineCrossEntropy, PrototypeHead

    (block,) = blocks("docs/classes-with-parts.md", "python")
    head = PrototypeHead(ps.compose(sizes=(3, 4)))
    batches = [(torch.randn(5, 8), torch.arange(5))]
    names = {"torch": torch, "nn": nn, "head": head, "features": 8, "batches": batches}
    names["CosineCrossEntropy"] = CosineCrossEntropy
    exec(compile(block, "classes-with-parts.md", "exec"), names)
    assert isinstance(names["network"], nn.Linear)


def program_with_own_batches(program, changes):
    """The program of classes over several processes, in which each process draws a batch of its own."""
    first, step, decode = changes.split("...\n")
    for line, new in (
        ("model = nn.Linear(128, head.dim)", first),
        ("loss(z, targets).backward()", step.strip()),
        ("correct = head", decode + "correct = head"),
        (
            "head.decode(z.detach(), k=1).classes[:, 0] == targets",
            "classes[:, 0] == gathered(targets)",
        ),
    ):
        assert program.count(line) == 1
        program = program.replace(line, new)
    return program


@pytest.mark.slow
@pytest.mark.parametrize("own_batches", [False, True])
def test_the_program_with_classes_over_several_processes_runs(tmp_path, own_batches):
    program, changes = blocks("docs/studies/head-costs.md", "python")
    assert "50_000" in program
    program = program.replace("50_000", "500")
    if own_batches:
        program = program_with_own_batches(program, changes)
    (tmp_path / "sharded.py").write_text(program)
    started = "torch.distributed.run --standalone --nproc-per-node 2 sharded.py"
    done = subprocess.run(
        [sys.executable, "-m", *started.split()],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        cwd=tmp_path,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    accuracies = re.findall(r"process \d: accuracy ([\d.]+)%", done.stdout)
    assert len(accuracies) == 2
    assert float(min(accuracies, key=float)) > 90


def test_python_of_the_page_on_learning_without_labels_runs():
    (block,) = blocks("docs/self-supervised.md", "python")
    names = {}
    exec(compile(block, "self-supervised.md", "exec"), names)
    assert torch.isfinite(names["loss"])


def test_toml_blocks_are_valid_sweeps(tmp_path):
    for page in PAGES:
        for number, body in enumerate(blocks(page, "toml")):
            path = tmp_path / f"{number}.toml"
            path.write_text(body)
            assert load_sweep(path), page


FRONT_PAGES = ("README.md", "docs/index.md")
FRONT_BLOCKS = list(
    dict.fromkeys(body for page in FRONT_PAGES for body in blocks(page, "python"))
)
"""Each block once, also where both pages have it."""


def test_every_page_with_python_is_run_here():
    run = {
        *FRONT_PAGES,
        *MODEL_PAGES,
        "docs/classes-with-parts.md",
        "docs/frameworks.md",
        "docs/self-supervised.md",
        "docs/studies/head-costs.md",
        "docs/training.md",
        "docs/very-many-classes.md",
    }
    assert {page for page in PAGES if blocks(page, "python")} == run


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("block", FRONT_BLOCKS, ids=lambda body: body[:40])
def test_each_python_block_of_the_front_pages_runs_by_itself(
    block, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    exec(compile(block, "README.md", "exec"), {})


QUICK_OPTIONS = {"mean_row_max": {"steps": 2}, "log_sum_exp": {"steps": 2}}
"""The ten seconds that these descents take are spent by other tests."""


def test_commands_of_the_readme_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    construct = figures.construct

    def construct_quickly(name, **options):
        return construct(name, **options, **QUICK_OPTIONS.get(name, {}))

    monkeypatch.setattr(figures, "_kept_codes", {})
    monkeypatch.setattr(figures, "construct", construct_quickly)
    for words in shell_lines("README.md"):
        if words and words[0] == "protosphere":
            assert main(words[1:]) == 0, (words, capsys.readouterr().err)
