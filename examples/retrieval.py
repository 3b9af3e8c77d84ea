"""Retrieval of scikit-learn's digits by hash codes of 31 bits.

For each query, the program counts how many of the ten nearest stored images show the same digit. The bits are the signs
of features that were trained with a BCH code as prototypes. They are compared with the signs of random projections of
the images, and with the cosines of the trained features. `--json` prints JSON.
"""

from __future__ import annotations

import argparse
import json

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from protosphere.nn import PrototypeClassifier

STORED = 898
BITS = 31
NEAREST = 10


def precision(similarity: NDArray[np.floating], classes: NDArray[np.integer]) -> float:
    """Return the percentage of the `NEAREST` nearest stored images that have the class of the query.

    `similarity` has a row for each query and a column for each stored image. `classes` has the classes of the stored
    images, then those of the queries.
    """
    nearest = (-similarity).argsort(axis=1, kind="stable")[:, :NEAREST]
    hits = classes[:STORED][nearest] == classes[STORED:, None]
    return 100 * float(hits.mean())


def inner_products(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the inner products of queries with stored images, with a row for each query.

    `rows` has a row for each stored image, then a row for each query.
    """
    return rows[STORED:] @ rows[:STORED].T


def signs(features: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return hash codes with entries +1 and -1. The inner product of two of them is n - 2 (Hamming distance)."""
    return np.where(features > 0, 1.0, -1.0)


def measured(seed: int) -> dict[str, float]:
    """Return the precision in percent of each of the three ways of comparing images, by its name."""
    images, classes = load_digits(return_X_y=True)
    model = PrototypeClassifier(
        dim=BITS,
        scheme="bch",
        preset="lindstrom",
        hidden=(64,),
        max_iter=2000,
        random_state=seed,
    )
    model.fit(images[:STORED], classes[:STORED])
    features = model.embed(images)
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    centered = images - images[:STORED].mean(axis=0)
    projections = np.random.default_rng(seed).standard_normal((images.shape[1], BITS))
    return {
        "trained_bits": precision(inner_products(signs(features)), classes),
        "trained_cosine": precision(inner_products(unit), classes),
        "random_bits": precision(
            inner_products(signs(centered @ projections)), classes
        ),
    }


def main() -> None:
    """Print the precisions, with one value for each seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()

    runs = [measured(seed) for seed in range(given.seeds)]
    answer = {name: [run[name] for run in runs] for name in runs[0]}
    if given.json:
        print(json.dumps(answer))
        return
    for name, values in answer.items():
        print(f"{name:14s}", " ".join(f"{value:.1f}%" for value in values))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
