"""What a run leaves can be used: read back, it gives the answers it was judged by."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from protosphere.errors import StorageError
from protosphere.experiments import load_model
from protosphere.experiments.models import WEIGHTS_FILE
from protosphere.experiments.run import run
from protosphere.nn import PrototypeHead

CHANGES = {
    "prototypes": {
        "scheme": "bch",
        "dim": 15,
        "mapping": "random",
        "preset": "protosphere",
    },
    "searched": {"scheme": "log_sum_exp", "dim": 5, "scheme_options": {"steps": 20}},
    "learned scale": {
        "scheme": "simplex",
        "dim": 9,
        "preset": "protosphere",
        "scale": "learn",
    },
    "linear": {"head": "linear"},
    "bottleneck": {"head": "bottleneck", "dim": 4},
    "small": {"head": "linear", "backbone": "small"},
    "mlp": {"head": "linear", "backbone": "mlp(20)", "rotation_degrees": 0.0},
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_model_comes_back(digits, tiny, tmp_path, fabric, name):
    record = run(
        tiny.changed(**CHANGES[name]), digits, tmp_path, fabric, tensorboard=False
    )
    model = load_model(tmp_path)
    assert not model.training
    assert model.config == record.config
    assert model.class_names == digits.class_names
    assert isinstance(model.head, PrototypeHead) == (model.config.head == "prototypes")
    with torch.no_grad():
        logits = model(torch.tensor(digits.x_test))
    labels = torch.tensor(digits.y_test)
    assert float((logits.argmax(1) == labels).float().mean()) == pytest.approx(
        record.test_accuracy, abs=1e-6
    )
    likelihood = torch.nn.functional.cross_entropy(logits.double(), labels)
    assert float(likelihood) == pytest.approx(
        record.metrics["test_negative_log_likelihood"], rel=1e-5
    )


def test_prototypes_are_those_of_the_file(digits, tiny, tmp_path, fabric, monkeypatch):
    config = tiny.changed(scheme="log_sum_exp", dim=5, scheme_options={"steps": 20})
    run(config, digits, tmp_path, fabric, tensorboard=False)
    before = load_model(tmp_path / WEIGHTS_FILE).head.prototypes()
    assert before.shape == (10, 5)


@pytest.mark.parametrize(
    ("tensors", "about", "complaint"),
    [
        ({}, {"input_shape": [1, 8, 1 << 40]}, "has other weights"),
        ({}, {"input_shape": [1, 8, -8]}, "must be an integer of at least 1"),
        (
            {"normalized.mean": torch.zeros(1, 1, 1, dtype=torch.bool)},
            {},
            "cannot be normalized by torch.bool",
        ),
        ({"normalized.mean": torch.zeros(2, 1, 1, 1)}, {}, "cannot be normalized"),
        ({"normalized.deviation": torch.ones(3, 1, 1)}, {}, "cannot be normalized"),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    digits, tiny, tmp_path, fabric, tensors, about, complaint
):
    run(tiny.changed(epochs=0), digits, tmp_path, fabric, tensorboard=False)
    path = tmp_path / WEIGHTS_FILE
    with safe_open(path, framework="pt") as file:
        told = json.loads(file.metadata()["protosphere"]) | about
    save_file(
        load_file(path) | tensors, path, metadata={"protosphere": json.dumps(told)}
    )
    with pytest.raises(
        StorageError, match=f"its weights do not fit its config .*{complaint}"
    ):
        load_model(path)


def test_means_in_another_precision_are_taken(digits, tiny, tmp_path, fabric):
    run(tiny.changed(epochs=0), digits, tmp_path, fabric, tensorboard=False)
    path = tmp_path / WEIGHTS_FILE
    inputs = torch.tensor(digits.x_test[:2])
    before = load_model(path)(inputs)
    with safe_open(path, framework="pt") as file:
        told = file.metadata()
    tensors = load_file(path)
    save_file(
        tensors | {"normalized.mean": tensors["normalized.mean"].double()},
        path,
        metadata=told,
    )
    assert torch.equal(load_model(path)(inputs), before)


def test_files_that_are_no_models(digits, tiny, tmp_path, fabric):
    with pytest.raises(StorageError, match="there is no such file"):
        load_model(tmp_path)
    path = tmp_path / WEIGHTS_FILE
    path.write_bytes(b"hello")
    with pytest.raises(StorageError, match="damaged, or not a file of weights"):
        load_model(tmp_path)
    save_file({"0.weight": torch.zeros(3)}, path)
    with pytest.raises(StorageError, match="it does not say what it was trained by"):
        load_model(tmp_path)
    for text in ("{", "[" * 100_000):
        save_file({"0.weight": torch.zeros(3)}, path, metadata={"protosphere": text})
        with pytest.raises(StorageError, match="damaged, or not a file of weights"):
            load_model(tmp_path)
    save_file(
        {"0.weight": torch.zeros(3)},
        path,
        metadata={"protosphere": json.dumps({"config": [1]})},
    )
    with pytest.raises(StorageError, match="its weights do not fit its config"):
        load_model(tmp_path)
