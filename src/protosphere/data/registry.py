"""The registry of datasets: one frozen record each, created by decorating its reader."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from protosphere.data.dataset import Dataset
from protosphere.registry import Registry

Reader = Callable[[tuple[Path, ...]], Dataset]
"""From the files, in the order of the entry, to the dataset."""


@dataclass(frozen=True)
class RemoteFile:
    """A file to download: `url` is empty if there is none, `digest` begins with `md5:` or `sha256:`.

    The digest is that of the publisher and is checked for downloads only: a file in a folder of the user may be
        compressed differently.
    """

    name: str
    url: str
    digest: str


Files = tuple[RemoteFile, ...]


def remote_files(url: str, digests: Mapping[str, str]) -> Files:
    """Return files at one URL, by their names."""
    return tuple(
        RemoteFile(name, url + name, digest) for name, digest in digests.items()
    )


@dataclass(frozen=True)
class DatasetEntry:
    """A registered dataset.

    Attributes:
        name: Name for `load_dataset`.
        num_classes: Number K of classes, known before anything is read.
        features: Whether examples are feature vectors, not images.
        files: Files of the dataset; none if it is shipped with the package.
        read: Function from those files to the dataset.
        summary: Description in one line.
        folder: Folder of its files within the data folder; by default the name of the dataset.
        system_folder: Folder in which a system may have the files already.
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
