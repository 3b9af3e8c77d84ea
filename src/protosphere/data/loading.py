"""From a name to images: found on this machine, or downloaded, or one sentence on what to put where."""

from __future__ import annotations

import difflib
from pathlib import Path

from protosphere.data.cifar import LAYOUTS, read_cifar
from protosphere.data.dataset import Dataset, numbered_names
from protosphere.data.digits import read_digits
from protosphere.data.download import UnreachableError, downloaded
from protosphere.data.folders import VARIABLE, data_roots, found_files
from protosphere.data.idx import read_idx
from protosphere.data.npz import read_npz
from protosphere.data.sources import SOURCES, Source
from protosphere.errors import InvalidArgumentError, StorageError, brief
from protosphere.types import Progress, ignore

DATASETS = ("digits", *SOURCES)
"""The names that `load_dataset` knows."""

NUM_CLASSES = {"digits": 10, "mnist": 10, "fashion_mnist": 10, "cifar10": 10, "cifar100": 100}

FASHION_NAMES = ("T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot")


def load_dataset(
    name: str, *, data_dir: str | Path | None = None, download: bool = True, progress: Progress = ignore
) -> Dataset:
    """The dataset of that name, or in the .npz file of that path.

    Args:
        name: `digits` (inside the package), one of `DATASETS`, or the path of an .npz file.
        data_dir: where to look first, and where a download goes; then come $PROTOSPHERE_DATA and the user's cache.
        download: whether to fetch what is nowhere on this machine.
        progress: called with the bytes that have come.

    >>> load_dataset("digits").num_classes
    10
    """
    if name == "digits":
        return read_digits()
    if name.endswith(".npz"):
        return _of_file(Path(name))
    if name not in SOURCES:
        near = difflib.get_close_matches(name, DATASETS, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"one of: {', '.join(DATASETS)}, or the path of an .npz file"
        raise InvalidArgumentError(f"'dataset' is not one we know, got {brief(name)}; {hint}")
    source = SOURCES[name]
    roots = data_roots(None if data_dir is None else Path(data_dir))
    files = found_files(source, roots) or _fetched(source, roots[0] / name if roots else None, download, progress)
    return read_cifar(files[0], name) if name in LAYOUTS else _of_idx(source, files)


def _of_file(path: Path) -> Dataset:
    if not path.is_file():
        raise StorageError(f"cannot read '{path}': there is no such file")
    return read_npz(path)


def _fetched(source: Source, folder: Path | None, download: bool, progress: Progress) -> tuple[Path, ...]:
    names = ", ".join(file.name for file in source.files)
    place = f"put {names} into '{folder}', or" if folder else "you have no home folder:"
    advice = f"{place} name their folder by --data-dir or ${VARIABLE}"
    if not download or folder is None:
        raise StorageError(f"'{source.name}' is not on this machine; {advice}")
    try:
        missing = [file for file in source.files if not (folder / file.name).is_file()]
        for file in missing:
            downloaded(file, folder, progress=progress)
    except UnreachableError as error:
        raise StorageError(
            f"'{source.name}' is not on this machine and could not be fetched ({error}); {advice}"
        ) from error
    return tuple(folder / file.name for file in source.files)


def _of_idx(source: Source, files: tuple[Path, ...]) -> Dataset:
    x_train, y_train, x_test, y_test = (
        read_idx(path, 3 if "images" in file.name else 1) for path, file in zip(files, source.files, strict=True)
    )
    names = FASHION_NAMES if source.name == "fashion_mnist" else numbered_names(10)
    labels = y_train.astype("int64"), y_test.astype("int64")
    return Dataset(source.name, x_train[:, None], labels[0], x_test[:, None], labels[1], names)
