"""The list of datasets: one frozen record each, made by decorating its reader."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from protosphere.data.dataset import Dataset
from protosphere.data.sources import Source
from protosphere.registry import Registry

Reader = Callable[[tuple[Path, ...]], Dataset]
"""From the files, in the order of the source, to the dataset."""


@dataclass(frozen=True)
class DatasetEntry:
    """One dataset.

    Attributes:
        name: what `load_dataset` calls it.
        num_classes: K, known before anything is read.
        features: whether examples are vectors of features, not images.
        source: its files; none for data inside the package.
        read: from those files to the dataset.
        summary: in a line.
    """

    name: str
    num_classes: int
    features: bool
    source: Source
    read: Reader
    summary: str


DATASETS: Registry[DatasetEntry] = Registry("dataset")
"""Every dataset by its name."""


def dataset(source: Source, num_classes: int, *, summary: str, features: bool = False) -> Callable[[Reader], Reader]:
    """Register the decorated reader under the source's name; a second one of a name is an error."""

    def register(read: Reader) -> Reader:
        DATASETS.add(source.name, DatasetEntry(source.name, num_classes, features, source, read, summary))
        return read

    return register
