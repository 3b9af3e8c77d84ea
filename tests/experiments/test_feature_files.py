"""Features made by somebody's network: right, the same after a kill, and refused in one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from protosphere.cli import main
from protosphere.data import load_dataset
from protosphere.errors import InvalidArgumentError, StorageError, TrainingError
from protosphere.experiments import feature_files
from protosphere.experiments.feature_files import Preparation, write_features
from protosphere.experiments.feature_networks import FeatureNetwork, feature_network


def network(images):
    return torch.stack(
        [images.mean((1, 2, 3)), images[:, 0, 3].sum(1), images[:, 0, :, 4].std(1)],
        dim=1,
    )


NAMED = FeatureNetwork(network, "named")


def test_features_are_those_of_the_network(digits, tmp_path):
    preparation = Preparation(mean=(10.0,), deviation=(20.0,))
    assert write_features(
        digits, NAMED, preparation, tmp_path / "f.npz", batch_size=100
    ) == (1297, 500, 3)
    made = load_dataset(str(tmp_path / "f.npz"))
    expected = network((torch.tensor(digits.x_train).float() - 10) / 20)
    assert np.allclose(made.x_train, expected.numpy(), atol=1e-6)
    assert np.array_equal(made.y_test, digits.y_test)
    assert made.class_names == digits.class_names
    assert [path.name for path in tmp_path.iterdir() if "work" in path.name] == []


def test_bytes_are_within_half_a_step(digits, tmp_path):
    write_features(digits, NAMED, Preparation(), tmp_path / "f.npz")
    write_features(digits, NAMED, Preparation(), tmp_path / "b.npz", int8=True)
    plain, packed = (load_dataset(str(tmp_path / name)) for name in ("f.npz", "b.npz"))
    center = np.load(tmp_path / "b.npz")["center"]
    assert packed.x_train.dtype == np.int8
    assert np.abs(packed.x_train).max() == 127
    assert (
        np.abs(packed.x_train * packed.step + center - plain.x_train)
        <= packed.step * 0.5001
    ).all()


def test_images_are_prepared_as_asked(digits):
    gray = torch.tensor(digits.x_train[:4])
    prepared = Preparation(size=(16, 16), mean=(1.0, 2.0, 3.0), deviation=(2.0,))(
        gray, 3
    )
    assert prepared.shape == (4, 3, 16, 16)
    assert torch.allclose(prepared[:, 0] - prepared[:, 2], torch.tensor(1.0), atol=1e-4)
    same = Preparation(deviation=(1.0,))(gray, None)
    assert torch.equal(same, gray.float())
    with pytest.raises(
        InvalidArgumentError, match="takes 1 channels, and images have 3"
    ):
        Preparation()(torch.zeros(2, 3, 8, 8, dtype=torch.uint8), 1)


KILLED = """
import os, time
from torch import nn

class Network(nn.Module):
    calls = 0

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 5)
        nn.init.constant_(self.layer.weight, 0.1)
        nn.init.constant_(self.layer.bias, 0.2)

    def forward(self, x):
        Network.calls += 1
        if os.environ.get("DIE") == str(Network.calls):
            os._exit(9)
        if "DIE" in os.environ:
            time.sleep(0.15)
        with open("calls", "a") as file:
            file.write("x")
        return self.layer(x.flatten(1)).relu()
"""


def test_killed_and_called_again_it_goes_on(tmp_path):
    (tmp_path / "killed_network.py").write_text(KILLED)
    words = [
        "features",
        "digits",
        "--model",
        "killed_network.Network",
        "-o",
        "f.npz",
        "--batch-size",
        "100",
    ]
    command = [sys.executable, "-m", "protosphere", *words]
    environment = {key: value for key, value in os.environ.items() if key != "DIE"}
    dying = subprocess.run(
        command, cwd=tmp_path, env=environment | {"DIE": "11"}, timeout=120, check=False
    )
    assert dying.returncode == 9
    assert not (tmp_path / "f.npz").exists()
    before = len((tmp_path / "calls").read_text())
    options = {
        "cwd": tmp_path,
        "env": environment,
        "capture_output": True,
        "text": True,
        "timeout": 120,
    }
    again = subprocess.run(command, check=False, **options)
    assert again.returncode == 0, again.stderr
    assert again.stdout == "1297 training and 500 test vectors of 5 features: f.npz\n"
    assert len((tmp_path / "calls").read_text()) - before < 18, (
        "18 batches there are, and some were done"
    )
    content = (tmp_path / "f.npz").read_bytes()
    (tmp_path / "f.npz").unlink()
    subprocess.run(command, check=True, **options)
    whole = tmp_path / "f.npz"
    resumed = tmp_path / "resumed.npz"
    resumed.write_bytes(content)
    first = np.load(whole)
    second = np.load(resumed)
    assert all(np.array_equal(first[key], second[key]) for key in first.files)


def stopped(digits, folder, monkeypatch):
    """What is left in a folder by an extraction that was stopped at its third batch."""
    monkeypatch.setattr(feature_files, "NOTE_SECONDS", -1.0)
    calls = []

    def tired(images):
        calls.append(len(images))
        if len(calls) == 3:
            raise RuntimeError("tired")
        return network(images)

    with pytest.raises(TrainingError, match="tired"):
        write_features(
            digits,
            FeatureNetwork(tired, "named"),
            Preparation(),
            folder / "f.npz",
            batch_size=100,
        )
    return folder / ".f.npz.work"


def overwritten(content):
    return lambda folder: (folder / "train.npy").write_bytes(content)


def noted(rows):
    def write(folder):
        note = folder / "train-progress.json"
        note.write_text(json.dumps(json.loads(note.read_text()) | {"rows": rows}))

    return write


@pytest.mark.parametrize(
    "damage",
    [overwritten(b""), overwritten(b"\x93NUMPY\x01\0\x08\0{'d': (1"), overwritten(bytes(500)), noted(-(10**9)),
     noted(10**9), noted(1e400), noted("200"), noted([])],
)  # fmt: skip
def test_what_is_damaged_of_a_stopped_extraction_is_made_again(
    digits, tmp_path, monkeypatch, damage
):
    damage(stopped(digits, tmp_path, monkeypatch))
    write_features(digits, NAMED, Preparation(), tmp_path / "f.npz", batch_size=100)
    write_features(digits, NAMED, Preparation(), tmp_path / "g.npz", batch_size=100)
    assert (
        load_dataset(str(tmp_path / "f.npz")).digest
        == load_dataset(str(tmp_path / "g.npz")).digest
    )


def test_rows_of_another_width_are_one_sentence(digits, tmp_path, monkeypatch):
    work = stopped(digits, tmp_path, monkeypatch)
    np.save(work / "train.npy", np.zeros((len(digits.x_train), 2), np.float32))
    with pytest.raises(
        StorageError, match="has rows of another network; remove it to start again"
    ):
        write_features(digits, NAMED, Preparation(), tmp_path / "f.npz", batch_size=100)


def exported(path, *, batch=None, channels_last=False):
    """A small network as an ONNX file: the mean of each channel."""
    onnx = pytest.importorskip("onnx")
    shape = [batch or "N", 8, 8, 3] if channels_last else [batch or "N", 3, 8, 8]
    given = onnx.helper.make_tensor_value_info("images", onnx.TensorProto.FLOAT, shape)
    made = onnx.helper.make_tensor_value_info(
        "means", onnx.TensorProto.FLOAT, [batch or "N", 3]
    )
    axes = [1, 2] if channels_last else [2, 3]
    node = onnx.helper.make_node(
        "ReduceMean", ["images"], ["means"], axes=axes, keepdims=0
    )
    graph = onnx.helper.make_graph([node], "means", [given], [made])
    opset = onnx.helper.make_opsetid("", 13)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8), path)
    return str(path)


@pytest.mark.parametrize("options", [{}, {"batch": 7}, {"channels_last": True}])
def test_networks_as_onnx_files(digits, tmp_path, options):
    found = feature_network(exported(tmp_path / "means.onnx", **options))
    assert (found.channels, found.size) == (3, (8, 8))
    write_features(digits, found, Preparation(size=found.size), tmp_path / "f.npz")
    made = load_dataset(str(tmp_path / "f.npz"))
    expected = digits.x_test.mean((1, 2, 3)) / 255
    assert np.allclose(made.x_test, expected[:, None].repeat(3, 1), atol=1e-5)


def raising():
    raise KeyError("weights")


broken = nn.Linear(3, 2)
number = 3.0


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        ("none.onnx", "there is no such file"),
        ("damaged.onnx", "not a network that onnxruntime takes"),
        ("resnet", "must be a file.onnx or package.module.network"),
        ("no.such.network", "cannot be imported"),
        ("mine.raising", "cannot be made: KeyError: 'weights'"),
        ("mine.number", "cannot be made: TypeError"),
    ],
)
def test_networks_that_are_none(tmp_path, monkeypatch, model, complaint):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "mine", sys.modules[__name__])
    (tmp_path / "damaged.onnx").write_bytes(b"hello")
    with pytest.raises((InvalidArgumentError, StorageError), match=complaint):
        feature_network(model)


def test_networks_that_fail(digits, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mine", sys.modules[__name__])
    with pytest.raises(TrainingError, match="the network failed: RuntimeError"):
        write_features(
            digits, feature_network("mine.broken"), Preparation(), tmp_path / "f.npz"
        )
    nothing = FeatureNetwork(lambda images: images.flatten(1) / 0, "nan")
    with pytest.raises(TrainingError, match="must give finite numbers"):
        write_features(digits, nothing, Preparation(), tmp_path / "f.npz")


def test_bad_input_is_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "mine", sys.modules[__name__])
    for words, complaint in [
        (["--model", "mine.broken", "-o", "f.csv"], "must end in .npz"),
        (
            ["--model", "mine.broken", "-o", "f.npz", "--mean", "1", "2"],
            "one number, or one per channel, got 2",
        ),
        (
            ["--model", "mine.broken", "-o", "f.npz", "--deviation", "0"],
            "'deviation' must be a finite number above 0",
        ),
        (["--model", "mine.broken", "-o", "f.npz", "--size", "0"], "'size' must be"),
    ]:
        assert main(["features", "digits", *words]) == 2
        assert complaint in capsys.readouterr().err
