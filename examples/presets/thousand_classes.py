"""Make a dataset of a thousand classes from features of CIFAR-100: each class is divided into ten.

    python examples/presets/thousand_classes.py thousand.npz

Each class is divided into halves along the first principal direction of its features, and into fifths along the second,
at the quantiles of the training examples. So a new class has about 50 training examples, and is hard to distinguish
from nine others.
"""

from __future__ import annotations

import sys

import numpy as np

from protosphere.data import load_dataset

PARTS = (2, 5)


def main(target: str) -> None:
    """Write the features with their new classes to the file `target`."""
    data = load_dataset("cifar100-features")
    labels = {"y_train": data.y_train.copy(), "y_test": data.y_test.copy()}
    for old in range(data.num_classes):
        x = data.x_train[data.y_train == old] * data.step
        mean, directions = (
            x.mean(axis=0),
            np.linalg.svd(x - x.mean(axis=0), full_matrices=False)[2][: len(PARTS)],
        )
        cuts = [
            np.quantile((x - mean) @ d, np.arange(1, p) / p)
            for d, p in zip(directions, PARTS, strict=True)
        ]
        for name, rows, of in (
            ("y_train", data.x_train, data.y_train),
            ("y_test", data.x_test, data.y_test),
        ):
            seen = (rows[of == old] * data.step - mean) @ directions.T
            halves, fifths = (
                np.searchsorted(cut, seen[:, i]) for i, cut in enumerate(cuts)
            )
            labels[name][of == old] = 10 * old + 5 * halves + fifths
    np.savez(target, x_train=data.x_train, x_test=data.x_test, step=data.step, **labels)
    counts = np.bincount(labels["y_train"])
    print(
        f"{target}: {len(counts)} classes of {counts.min()} to {counts.max()} training examples"
    )


if __name__ == "__main__":
    main(sys.argv[1])
