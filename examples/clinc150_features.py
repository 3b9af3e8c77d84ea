"""Make the file of the tutorial on out-of-scope sentences: sentence embeddings of CLINC150 (Larson et al. 2019).

    pip install -e '.[train,plots]' sentence-transformers
    python examples/clinc150_features.py

The program downloads data_full.json (GitHub clinc/oos-eval, CC BY 3.0), computes an embedding of each sentence with the
encoder all-MiniLM-L6-v2, and writes clinc150_minilm.npz to the folder `text` in $PROTOSPHERE_DATA, or in `data` if the
variable is not set. `--json` is the path of a copy of data_full.json. `--model` is the name or the folder of another
encoder of sentence-transformers. For any other encoder, call `feature_arrays` with your own function.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.data.download import downloaded
from protosphere.data.registry import RemoteFile
from protosphere.errors import ProtosphereError
from protosphere.storage.files import replace_file

SENTENCES = RemoteFile(
    "data_full.json",
    "https://raw.githubusercontent.com/clinc/oos-eval/master/data/data_full.json",
    "sha256:36923c3705a59e08fe9c3883d8bc2dd966ef93e22cb78ac41171782a698d56e0",
)
KNOWN = ("train", "val", "test")
SPLITS = (*KNOWN, "oos_train", "oos_val", "oos_test")
MODEL = "sentence-transformers/all-MiniLM-L6-v2"

Encode = Callable[[list[str]], NDArray[np.floating]]
Data = Mapping[str, Sequence[tuple[str, str]]]
"""By split, pairs of a sentence and its intent, as in data_full.json."""


def text_encoder(model: str) -> Encode:
    """Return a function from sentences to normalized vectors, one row per sentence.

    If the package is missing, the program ends with a message.
    """
    try:
        encoder = import_module("sentence_transformers").SentenceTransformer(model)
    except ImportError as error:
        sys.exit(
            f"clinc150_features.py: there is no package {error.name}, which the text encoder needs: "
            "pip install sentence-transformers"
        )
    return lambda texts: encoder.encode(
        texts, normalize_embeddings=True, show_progress_bar=True
    )


def read_sentences(path: Path) -> Data:
    """Return the sentences in data_full.json.

    If the file cannot be read or has another content, the program ends with a message.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if all(data[split] for split in SPLITS):
            return data
    except OSError as error:
        sys.exit(f"clinc150_features.py: cannot read {path}: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        pass
    sys.exit(f"clinc150_features.py: {path} must have the splits {', '.join(SPLITS)}")


def feature_arrays(data: Data, encode: Encode) -> dict[str, NDArray[Any]]:
    """Return the arrays of the .npz file by name.

    The array `x_SPLIT` has the embeddings of a split, with one row per sentence. They are int8 numbers that must be
    multiplied by `step`. The array `y_SPLIT` has the intent of each sentence as an index into `class_names`, or -1 if
    the sentence has none of these intents.
    """
    intents = sorted({intent for split in KNOWN for _, intent in data[split]})
    index = {intent: number for number, intent in enumerate(intents)}
    vectors = {
        split: np.asarray(encode([sentence for sentence, _ in data[split]]))
        for split in SPLITS
    }
    step = np.float32(max(np.abs(rows).max() for rows in vectors.values()) / 127)
    arrays: dict[str, NDArray[Any]] = {
        "step": np.asarray(step),
        "class_names": np.array(intents),
    }
    for split in SPLITS:
        arrays[f"x_{split}"] = np.rint(vectors[split] / step).astype(np.int8)
        numbers = [index.get(intent, -1) for _, intent in data[split]]
        arrays[f"y_{split}"] = np.array(numbers, dtype=np.int16)
    return arrays


def write_arrays(target: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays to an .npz file. An existing file is replaced atomically."""

    def write(beside: Path) -> None:
        with beside.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)

    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, write)


def main() -> None:
    """Read the command line and write the file."""
    parser = argparse.ArgumentParser(description="CLINC150 as sentence embeddings.")
    parser.add_argument("--json", type=Path, help="a copy of data_full.json")
    parser.add_argument(
        "--model", default=MODEL, help="an encoder of sentence-transformers"
    )
    parser.add_argument("--output", "-o", type=Path, help="the .npz file to write")
    arguments = parser.parse_args()

    folder = Path(os.environ.get("PROTOSPHERE_DATA", "data")) / "text"
    encode = text_encoder(arguments.model)
    try:
        source = arguments.json or downloaded(SENTENCES, folder)
        arrays = feature_arrays(read_sentences(source), encode)
        target = arguments.output or folder / "clinc150_minilm.npz"
        write_arrays(target, arrays)
    except ProtosphereError as error:
        sys.exit(f"clinc150_features.py: {error}")
    sizes = ", ".join(f"{split} {len(arrays[f'y_{split}']):,}" for split in SPLITS)
    print(f"written: {target} ({sizes})")


if __name__ == "__main__":
    main()
