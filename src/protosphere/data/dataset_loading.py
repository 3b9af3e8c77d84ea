"""Load a dataset by its name, from files on this machine or after downloading them.

The registry `DATASETS` maps names of datasets to what is needed to load them.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from protosphere.data.dataset import Dataset
from protosphere.data.download import UnreachableError, downloaded
from protosphere.data.npz_dataset import npz_facts, read_npz
from protosphere.data.registry import DATASETS, DatasetEntry
from protosphere.errors import StorageError
from protosphere.storage.files import cache_folder
from protosphere.types import Progress, ignore

FILE_ENDING = ".npz"
VARIABLE = "PROTOSPHERE_DATA"


@dataclass(frozen=True)
class Facts:
    """Properties of a dataset that are known before its examples are read.

    Attributes:
        num_classes: Number of classes.
        is_features: True if the examples are feature vectors, False if they are images.

    Example:
        >>> from protosphere.data import dataset_facts
        >>> dataset_facts("digits").num_classes
        10
    """

    num_classes: int
    is_features: bool


def load_dataset(
    name: str,
    *,
    data_dir: str | Path | None = None,
    download: bool = True,
    progress: Progress = ignore,
) -> Dataset:
    """Return the dataset with this name, or the dataset in an .npz file.

    The files of a named dataset are searched for in `data_dir`, in the folder $PROTOSPHERE_DATA (an environment
    variable) and in the user's cache, in this order. For some datasets, a folder of the operating system is searched
    last.

    Args:
        name: Name of a dataset in the registry `DATASETS`, or the path of an .npz file.
        data_dir: Folder to search first, and to download into. If it is None, downloads go into $PROTOSPHERE_DATA or,
            if this is not set, into the user's cache.
        download: Whether files that are not on this machine are downloaded. If False, missing files raise a
            StorageError.
        progress: Function that is called with three arguments: a description of the step, the number of downloaded
            bytes, and the number of all bytes.

    Returns:
        The dataset.

    Raises:
        InvalidArgumentError: If there is no dataset with this name.
        StorageError: If the files of the dataset are damaged, or are missing and cannot be downloaded.

    Example:
        >>> from protosphere.data import load_dataset
        >>> load_dataset("digits").num_classes
        10
    """
    if name.endswith(FILE_ENDING):
        return read_npz(Path(name))
    entry = DATASETS.named(name, otherwise=", or the path of an .npz file")
    roots = data_roots(None if data_dir is None else Path(data_dir))
    files = _complete_files(entry, roots) if entry.files else ()
    if files is None:
        folder = roots[0] / (entry.folder or entry.name) if roots else None
        files = _fetched(entry, folder, download, progress)
    return entry.read(files)


def dataset_facts(name: str) -> Facts:
    """Return properties of a dataset without reading its examples.

    Args:
        name: Name of a dataset in the registry `DATASETS`, or the path of an .npz file.

    Returns:
        The number of classes, and whether the examples are feature vectors.

    Raises:
        InvalidArgumentError: If there is no dataset with this name.
        StorageError: If the file cannot be read.

    Example:
        >>> from protosphere.data import dataset_facts
        >>> dataset_facts("cifar100-features")
        Facts(num_classes=100, is_features=True)
    """
    if name.endswith(FILE_ENDING):
        return Facts(*npz_facts(Path(name)))
    entry = DATASETS.named(name, otherwise=", or the path of an .npz file")
    return Facts(entry.num_classes, entry.features)


def data_roots(data_dir: Path | None) -> tuple[Path, ...]:
    """Return the folders in which datasets are searched for, in the order of the search.

    These are `data_dir` unless it is None, the folder in the environment variable $PROTOSPHERE_DATA if it is set, and
    the user's cache if the user has a home folder. Downloads go into the first folder.
    """
    chosen = os.environ.get(VARIABLE)
    return tuple(
        root
        for root in (data_dir, Path(chosen) if chosen else None, cache_folder())
        if root is not None
    )


def found_in_roots(path: Path) -> Path:
    """Return `path` if it is a file, otherwise the path of this file in one of the folders for datasets.

    The folders are the one in the environment variable $PROTOSPHERE_DATA, if it is set, and the user's cache. The
    result is the first path `folder / path` that is a file. If there is no such file, the result is `path`.
    """
    below = (root / path for root in data_roots(None))
    if path.is_file():
        return path
    return next((found for found in below if found.is_file()), path)


def _complete_files(
    entry: DatasetEntry, roots: tuple[Path, ...]
) -> tuple[Path, ...] | None:
    # a file without the ending .gz of its name is accepted, too
    folders = [
        place for root in roots for place in (root / (entry.folder or entry.name), root)
    ]
    if entry.system_folder is not None:
        folders.append(Path(entry.system_folder))
    for folder in folders:
        either = [
            (folder / file.name, folder / file.name.removesuffix(".gz"))
            for file in entry.files
        ]
        present = tuple(
            path
            for names in either
            if (path := next(filter(Path.is_file, names), None))
        )
        if len(present) == len(entry.files):
            return present
    return None


def _fetched(
    entry: DatasetEntry, folder: Path | None, download: bool, progress: Progress
) -> tuple[Path, ...]:
    names = ", ".join(file.name for file in entry.files)
    place = f"put {names} into '{folder}', or" if folder else "you have no home folder:"
    advice = f"{place} name their folder by --data-dir or ${VARIABLE}"
    absent = f"'{entry.name}' is not on this machine"
    if not download or folder is None or not all(file.url for file in entry.files):
        raise StorageError(f"{absent}; {advice}")
    try:
        for file in entry.files:
            if not (folder / file.name).is_file():
                downloaded(file, folder, progress=progress)
    except UnreachableError as error:
        raise StorageError(
            f"{absent} and could not be fetched ({error}); {advice}"
        ) from error
    return tuple(folder / file.name for file in entry.files)
