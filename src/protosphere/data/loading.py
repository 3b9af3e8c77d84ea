"""From a name to examples: found on this machine, or downloaded, or one sentence on what to put where."""

from dataclasses import dataclass
from pathlib import Path

from protosphere.data.dataset import Dataset
from protosphere.data.download import UnreachableError, downloaded
from protosphere.data.folders import VARIABLE, data_roots, found_files
from protosphere.data.npz import npz_facts, read_npz
from protosphere.data.registry import DATASETS
from protosphere.data.sources import Source
from protosphere.errors import StorageError
from protosphere.types import Progress, ignore

FILE_ENDING = ".npz"


@dataclass(frozen=True)
class Facts:
    """What is known of a dataset before its examples are read."""

    num_classes: int
    is_features: bool


def load_dataset(
    name: str, *, data_dir: str | Path | None = None, download: bool = True, progress: Progress = ignore
) -> Dataset:
    """The dataset of that name, or in the .npz file of that path.

    Args:
        name: one of `DATASETS`, or the path of an .npz file.
        data_dir: where to look first, and where a download goes; then come $PROTOSPHERE_DATA and the user's cache.
        download: whether to fetch what is nowhere on this machine.
        progress: called with the bytes that have come.

    >>> load_dataset("digits").num_classes
    10
    """
    if name.endswith(FILE_ENDING):
        return read_npz(Path(name))
    entry = DATASETS.named(name, otherwise=", or the path of an .npz file")
    roots = data_roots(None if data_dir is None else Path(data_dir))
    files = found_files(entry.source, roots) if entry.source.files else ()
    if files is None:
        folder = roots[0] / entry.source.kept_in if roots else None
        files = _fetched(entry.source, folder, download, progress)
    return entry.read(files)


def dataset_facts(name: str) -> Facts:
    """The number of classes, and whether examples are images or features; of a file, without reading them all.

    >>> dataset_facts("cifar100-features")
    Facts(num_classes=100, is_features=True)
    """
    if name.endswith(FILE_ENDING):
        return Facts(*npz_facts(Path(name)))
    entry = DATASETS.named(name, otherwise=", or the path of an .npz file")
    return Facts(entry.num_classes, entry.features)


def _fetched(source: Source, folder: Path | None, download: bool, progress: Progress) -> tuple[Path, ...]:
    names = ", ".join(file.name for file in source.files)
    place = f"put {names} into '{folder}', or" if folder else "you have no home folder:"
    advice = f"{place} name their folder by --data-dir or ${VARIABLE}"
    if not download or folder is None or not all(file.url for file in source.files):
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
