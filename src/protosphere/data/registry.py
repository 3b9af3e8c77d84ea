"""The list of datasets: one frozen record each, made by decorating its reader."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from protosphere.data.dataset import Dataset
from protosphere.registry import Registry

Reader = Callable[[tuple[Path, ...]], Dataset]
"""From the files, in the order of the entry, to the dataset."""


@dataclass(frozen=True)
class RemoteFile:
    """One file to download: its `url` is empty where there is none, its `digest` begins with `md5:` or `sha256:`.

    The digest, its publishers', is of a download only: a folder of the user's may have it packed in another way.
    """

    name: str
    url: str
    digest: str


Files = tuple[RemoteFile, ...]


def remote_files(url: str, digests: Mapping[str, str]) -> Files:
    """Files of one place, by their names."""
    return tuple(
        RemoteFile(name, url + name, digest) for name, digest in digests.items()
    )


@dataclass(frozen=True)
class DatasetEntry:
    """One dataset.

    Attributes:
        name: what `load_dataset` calls it.
        num_classes: K, known before anything is read.
        features: whether examples are vectors of features, not images.
        files: what it is made of; none for data inside the package.
        read: from those files to the dataset.
        summary: in a line.
        folder: that its files are kept in, among the data; named like the dataset unless given.
        system_folder: where a system may have them already.
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
"""Every dataset by its name."""


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
    """Register the decorated reader as a dataset. A second registration of a name raises.

    Args:
        name: See `DatasetEntry`, as for all arguments.
        num_classes: K.
        summary: One line.
        files: The files that it is read from.
        features: Whether examples are feature vectors.
        folder: The folder of its files.
        system_folder: A folder where a system may have them.

    Returns:
        The decorator.
    """

    def entry(read: Reader) -> DatasetEntry:
        return DatasetEntry(
            name, num_classes, features, files, read, summary, folder, system_folder
        )

    return DATASETS.register(entry)
