"""MNIST and Fashion-MNIST: four IDX files each, packed or not.

Y. LeCun, C. Cortes, C. Burges, The MNIST database of handwritten digits, 1998; H. Xiao, K. Rasul, R. Vollgraf,
Fashion-MNIST, 2017.
"""

from pathlib import Path

from protosphere.data.dataset import Dataset, numbered_names
from protosphere.data.idx import read_idx
from protosphere.data.registry import dataset
from protosphere.data.sources import Source, remote_files

MNIST_URL = "https://ossci-datasets.s3.amazonaws.com/mnist/"
"""Where PyTorch fetches it: the authors' own page no longer serves the files."""
FASHION_URL = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"

MNIST_DIGESTS = {
    "train-images-idx3-ubyte.gz": "sha256:440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "train-labels-idx1-ubyte.gz": "sha256:3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "t10k-images-idx3-ubyte.gz": "sha256:8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "t10k-labels-idx1-ubyte.gz": "sha256:f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}
FASHION_DIGESTS = {
    "train-images-idx3-ubyte.gz": "md5:8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "train-labels-idx1-ubyte.gz": "md5:25c81989df183df01b3e8a0aad5dffbe",
    "t10k-images-idx3-ubyte.gz": "md5:bef4ecab320f06d8554ea6380940ec79",
    "t10k-labels-idx1-ubyte.gz": "md5:bb300cfdad3c16e7a12a480ee83cd310",
}
FASHION_NAMES = ("T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot")
DEBIAN_FOLDER = "/usr/share/datasets/fashion-mnist"
"""Of Debian's package dataset-fashion-mnist."""


@dataset(
    Source("mnist", remote_files(MNIST_URL, MNIST_DIGESTS)), 10, summary="70,000 handwritten digits of 28 x 28 pixels"
)
def read_mnist(files: tuple[Path, ...]) -> Dataset:
    """The handwritten digits."""
    return _of_idx("mnist", files, numbered_names(10))


@dataset(
    Source("fashion_mnist", remote_files(FASHION_URL, FASHION_DIGESTS), DEBIAN_FOLDER),
    10,
    summary="70,000 pieces of clothing of 28 x 28 pixels",
)
def read_fashion_mnist(files: tuple[Path, ...]) -> Dataset:
    """The pieces of clothing."""
    return _of_idx("fashion_mnist", files, FASHION_NAMES)


def _of_idx(name: str, files: tuple[Path, ...], class_names: tuple[str, ...]) -> Dataset:
    x_train, y_train, x_test, y_test = (read_idx(path, ndim) for path, ndim in zip(files, (3, 1, 3, 1), strict=True))
    labels = y_train.astype("int64"), y_test.astype("int64")
    return Dataset(name, x_train[:, None], labels[0], x_test[:, None], labels[1], class_names)
