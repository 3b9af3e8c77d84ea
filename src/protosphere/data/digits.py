"""The dataset `digits`: 1,797 handwritten digits of 8 x 8 pixels, which are shipped with the package.

The digits are the test part of E. Alpaydin, C. Kaynak, Optical recognition of handwritten digits, UCI, 1998 (CC BY
4.0), the same images as `sklearn.datasets.load_digits`. Reading them does not need scikit-learn.
"""

from importlib import resources
from io import BytesIO
from pathlib import Path

import numpy as np

from protosphere.data.dataset import Dataset
from protosphere.data.registry import dataset

NUM_TEST = 500
BRIGHTEST = 16


@dataset(
    "digits", 10, summary="1,797 handwritten digits of 8 x 8 pixels, inside the package"
)
def read_digits(files: tuple[Path, ...] = ()) -> Dataset:
    """Return the dataset `digits`, with the original brightness from 0 to 16 scaled to bytes from 0 to 255.

    The 500 images of the test set are drawn at random with a fixed seed, so they are the same in every call. The
    argument `files` is ignored, because the digits are inside the package.

    >>> from protosphere.data.digits import read_digits
    >>> read_digits().x_train.shape
    (1297, 1, 8, 8)
    """
    del files  # it has none outside the package
    content = resources.files("protosphere.data").joinpath("digits.npz").read_bytes()
    with np.load(BytesIO(content), allow_pickle=False) as file:
        brightness = file["images"].astype(np.int64)
        labels = file["labels"].astype(np.int64)
    images = (brightness * 255 // BRIGHTEST).astype(np.uint8)
    order = np.random.default_rng(0).permutation(len(images))
    train = order[NUM_TEST:]
    test = order[:NUM_TEST]
    return Dataset(
        "digits",
        images[train],
        labels[train],
        images[test],
        labels[test],
        tuple(map(str, range(10))),
    )
