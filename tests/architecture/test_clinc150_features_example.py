"""The example that makes the tutorial's file runs on a small JSON with a stand-in for the text encoder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "clinc150_features.py"
TUTORIAL = ROOT / "docs" / "tutorials" / "rejecting-out-of-scope.md"

ENCODER = """
import zlib
import numpy as np

class SentenceTransformer:
    def __init__(self, model):
        assert model

    def encode(self, texts, normalize_embeddings, show_progress_bar):
        assert normalize_embeddings
        rows = np.stack([vector(text) for text in texts])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

def vector(text):
    return np.random.default_rng(zlib.crc32(text.encode())).standard_normal(384)
"""

SENTENCES = {
    "oos_val": [["why is the sky", "oos"]],
    "val": [["how much money is there", "balance"], ["fly me home", "book_flight"]],
    "train": [
        ["what do I have", "balance"],
        ["get me a plane", "book_flight"],
        ["wake me at six", "alarm"],
    ],
    "oos_test": [["who won", "oos"], ["what is a fugue", "oos"]],
    "test": [["wake me up", "alarm"]],
    "oos_train": [["sing", "oos"]],
}


@pytest.fixture
def example(tmp_path):
    """Run the example in an empty folder; `sentence_transformers` is a stand-in, or missing."""

    def run(*words, encoder=ENCODER, **variables):
        packages = tmp_path / "packages"
        packages.mkdir(exist_ok=True)
        (packages / "sentence_transformers.py").write_text(encoder)
        (tmp_path / "data_full.json").write_text(json.dumps(SENTENCES))
        search_path = os.pathsep.join([str(packages), *filter(None, sys.path)])
        environment = {**os.environ, "PYTHONPATH": search_path}
        environment.pop("PROTOSPHERE_DATA", None)
        return subprocess.run(
            [sys.executable, str(EXAMPLE), *words],
            capture_output=True,
            text=True,
            env=environment | variables,
            cwd=tmp_path,
            check=False,
        )

    return run


def test_the_file_has_the_layout_of_the_tutorial(example, tmp_path):
    ended = example("--json", "data_full.json")
    assert ended.returncode == 0, ended.stderr
    folder = tmp_path / "data" / "text"
    assert [path.name for path in folder.iterdir()] == ["clinc150_minilm.npz"]
    with np.load(folder / "clinc150_minilm.npz", allow_pickle=False) as file:
        arrays = dict(file)
    assert arrays["class_names"].tolist() == ["alarm", "balance", "book_flight"]
    assert arrays["y_train"].tolist() == [1, 2, 0]
    assert arrays["y_val"].tolist() == [1, 2]
    assert arrays["y_oos_test"].tolist() == [-1, -1]
    assert {name[2:] for name in arrays if name.startswith("x_")} == set(SENTENCES)
    assert arrays["x_train"].dtype == np.int8
    lengths = np.linalg.norm(arrays["x_train"] * arrays["step"], axis=1)
    assert lengths == pytest.approx(1, abs=0.02)

    cell = TUTORIAL.read_text().split("```{code-cell}\n")[1].split("```")[0]
    done = subprocess.run(
        [sys.executable, "-c", f"{cell}\nprint(len(x['train']), y['val'].tolist())"],
        capture_output=True,
        text=True,
        env={**os.environ, "PROTOSPHERE_DATA": str(tmp_path / "data")},
        check=False,
    )
    assert done.stdout.split("\n")[-2] == "3 [1, 2]", done.stderr


def test_the_folder_is_that_of_the_variable_or_the_option(example, tmp_path):
    ended = example("--json", "data_full.json", PROTOSPHERE_DATA="elsewhere")
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "elsewhere" / "text" / "clinc150_minilm.npz").exists()
    assert example("--json", "data_full.json", "-o", "f.npz").returncode == 0
    assert (tmp_path / "f.npz").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot read"), ("[", "must have the splits"), ("{}", "must have")],
)
def test_another_file_is_one_sentence(example, tmp_path, content, message):
    if content is not None:
        (tmp_path / "other.json").write_text(content)
    ended = example("--json", "other.json")
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert message in ended.stderr


def test_a_missing_package_is_one_sentence(example):
    absent = (
        "raise ModuleNotFoundError(f'No module named {__name__!r}', name=__name__)\n"
    )
    ended = example("--json", "data_full.json", encoder=absent)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "pip install sentence-transformers" in ended.stderr


def test_the_tutorial_without_its_file_says_what_makes_it(tmp_path):
    cell = TUTORIAL.read_text().split("```{code-cell}\n")[1].split("```")[0]
    environment = {**os.environ}
    environment.pop("PROTOSPHERE_DATA", None)
    done = subprocess.run(
        [sys.executable, "-c", cell],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        check=False,
    )
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("FileNotFoundError")
    assert "python examples/clinc150_features.py" in last
