"""Vectors of classes from a table: word vectors, attributes, or whatever else is known of each class by its name."""

import csv
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from protosphere.assignment.similarity import similarity_from_embeddings
from protosphere.errors import InvalidArgumentError, StorageError, brief
from protosphere.types import Points


def similarity_from_table(path: Path | str, class_names: Sequence[str]) -> Points:
    """Cosines of the classes' vectors in a file, after their mean is taken out.

    A .csv file has a line of headings, a class's name in the first cell of a line, and its vector in the columns that
    hold numbers throughout; a file of any other ending has blanks between a name and its numbers, as GloVe's and
    word2vec's text files have. Lines of other names are passed over.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "glove.txt"
    ...     _ = path.write_text("the 0.5 0.5\\ncat 1 0\\ndog 0 1\\ncar -1 -1\\n")
    ...     similarity_from_table(path, ["cat", "dog", "car"]).round(2).tolist()
    [[1.0, 0.0, -0.71], [0.0, 1.0, -0.71], [-0.71, -0.71, 1.0]]
    """
    rows = _rows(Path(path), set(class_names))
    absent = next((name for name in class_names if name not in rows), None)
    if absent is not None:
        raise InvalidArgumentError(f"'{path}' has no line for the class {brief(absent)}")
    numbers: list[list[float]] = []
    for column in zip(*(rows[name] for name in class_names), strict=False):
        with suppress(ValueError):
            numbers.append([float(cell) for cell in column])
    if not numbers:
        raise InvalidArgumentError(f"'{path}' has no column of numbers; each class needs its vector")
    return similarity_from_embeddings(np.array(numbers).T)


def _rows(path: Path, wanted: Collection[str]) -> Mapping[str, list[str]]:
    """The cells of the wanted classes alone: files of word vectors have millions of lines."""
    rows: dict[str, list[str]] = {}
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = csv.reader(file) if path.suffix.lower() == ".csv" else (line.split() for line in file)
            for cells in lines:
                if cells and cells[0] in wanted:
                    if cells[0] in rows:
                        raise InvalidArgumentError(f"'{path}' has two lines for the class {brief(cells[0])}")
                    rows[cells[0]] = cells[1:]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StorageError(f"cannot read '{path}': {getattr(error, 'strerror', None) or error}") from error
    return rows
