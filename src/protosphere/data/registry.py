"""The registry of datasets.

The digest of a file is a hash of its bytes.

Each function that reads a dataset is decorated with `dataset`, which adds a `DatasetEntry` to the registry.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from protosphere.data.dataset import Dataset
from protosphere.registry import Registry

Reader = Callable[[tuple[Path, ...]], Dataset]
"""Type of a function from the paths of a dataset's files, in the order of `DatasetEntry.files`, to the dataset."""


@dataclass(frozen=True)
class RemoteFile:
    """A file to download.

    Attributes:
        name: Name of the file.
        url: Address of the file. It is empty if the file cannot be downloaded.
        digest: Digest of the file as its publisher states it, which begins with `md5:` or `sha256:`. Only downloaded
            files are checked against the digest, because a user's own copy may be compressed differently.
    """

    name: str
    url: str
    digest: str


Files = tuple[RemoteFile, ...]


def remote_files(url: str, digests: Mapping[str, str]) -> Files:
    """Return one record for each file to download from a folder of a server.

    Args:
        url: Address of the folder, to which the name of each file is appended.
        digests: Mapping from the name of each file to its digest as the publisher states it, which begins with `md5:`
            or `sha256:`.
    """
    return tuple(
        RemoteFile(name, url + name, digest) for name, digest in digests.items()
    )


@dataclass(frozen=True)
class DatasetEntry:
    """A registered dataset.

    Attributes:
        name: Name by which `load_dataset` loads the dataset.
        num_classes: Number K of classes.
        features: True if the examples are feature vectors, False if they are images.
        files: Files of the dataset. The tuple is empty if the dataset is shipped with the package.
        read: Function from the paths of the files, in the order of `files`, to the dataset.
        summary: Description in one line.
        folder: Name of the dataset's folder within the folder in which protosphere keeps datasets. An empty string
            stands for the name of the dataset.
        system_folder: Folder in which a package of the operating system may have installed the files. None if there is
            no such package.
    """

    name: str
    num_classes: int
    features: bool
    files: Files
    read: Reader
    summary: str
    folder: str = ""
    system_folder: str | None = None


DATASETS: Registry[DatasetEntry] = Registry("dataset")
"""All datasets by name."""


def dataset(
    name: str,
    num_classes: int,
    *,
    summary: str,
    files: Files = (),
    features: bool = False,
    folder: str = "",
    system_folder: str | None = None,
) -> Callable[[Reader], Reader]:
    """Return a decorator that registers a dataset together with the function that reads it.

    A name can be registered only once.

    Args:
        name: Name by which `load_dataset` loads the dataset.
        num_classes: Number of classes.
        summary: Description in one line.
        files: Files of the dataset. By default there are none, because the dataset is shipped with the package.
        features: True if the examples are feature vectors, False if they are images.
        folder: Name of the dataset's folder within the folder in which protosphere keeps datasets. An empty string
            stands for the name of the dataset.
        system_folder: Folder in which a package of the operating system may have installed the files. None if there is
            no such package.

    Returns:
        The decorator, which returns the decorated function unchanged.
    """

    def entry(read: Reader) -> DatasetEntry:
        return DatasetEntry(
            name, num_classes, features, files, read, summary, folder, system_folder
        )

    return DATASETS.register(entry)
