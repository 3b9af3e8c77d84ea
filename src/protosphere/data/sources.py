"""Which files a public dataset is made of, where they officially are, and the digests of what a download must bring."""

from __future__ import annotations

from dataclasses import dataclass

MNIST_URL = "https://ossci-datasets.s3.amazonaws.com/mnist/"
"""Where PyTorch fetches it: the authors' own page no longer serves the files."""
FASHION_URL = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
CIFAR_URL = "https://www.cs.toronto.edu/~kriz/"


@dataclass(frozen=True)
class RemoteFile:
    """One file to download.

    Attributes:
        name: of the file.
        url: where it is.
        digest: `md5:` or `sha256:` and the hexadecimal digest its publishers give; of a download only, since a folder
            of the user's may hold the same content packed in another way.
    """

    name: str
    url: str
    digest: str


@dataclass(frozen=True)
class Source:
    """A public dataset: its files, the folder they are kept in, and where a system may have them already."""

    name: str
    files: tuple[RemoteFile, ...]
    system_folder: str | None = None


def _files(url: str, digests: dict[str, str]) -> tuple[RemoteFile, ...]:
    return tuple(RemoteFile(name, url + name, digest) for name, digest in digests.items())


IDX_NAMES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)

_MNIST = (
    "sha256:440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "sha256:3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "sha256:8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "sha256:f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
)
_FASHION = (
    "md5:8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "md5:25c81989df183df01b3e8a0aad5dffbe",
    "md5:bef4ecab320f06d8554ea6380940ec79",
    "md5:bb300cfdad3c16e7a12a480ee83cd310",
)

SOURCES = {
    "mnist": Source("mnist", _files(MNIST_URL, dict(zip(IDX_NAMES, _MNIST, strict=True)))),
    "fashion_mnist": Source(
        "fashion_mnist",
        _files(FASHION_URL, dict(zip(IDX_NAMES, _FASHION, strict=True))),
        "/usr/share/datasets/fashion-mnist",  # Debian's package dataset-fashion-mnist
    ),
    "cifar10": Source("cifar10", _files(CIFAR_URL, {"cifar-10-binary.tar.gz": "md5:c32a1d4ab5d03f1284b67883e8d87530"})),
    "cifar100": Source(
        "cifar100", _files(CIFAR_URL, {"cifar-100-binary.tar.gz": "md5:03b5dce01913d631647c71ecec9e9cb8"})
    ),
}
