"""Vectors of classes from a table: word vectors, attributes, or whatever else is known of each class by its name."""

import csv
import re
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

    A name of several words that has no line of its own, such as "aquarium fish" or "aquarium_fish", gets the average
    of its words' vectors. A word that has no line as it is written is looked up in lower case.

    Args:
        path: A file with a line for each class, or for each word of the classes' names.
        class_names: Names of the K classes, in their order.

    Returns:
        The K x K matrix of cosines, as `similarity_from_embeddings` computes it.

    Raises:
        InvalidArgumentError: If a class has no line and one of its words has none either, or if the lines have no
            numbers.
        StorageError: If the file cannot be read.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "glove.txt"
        ...     _ = path.write_text("the 0.5 0.5\\ncat 1 0\\ndog 0 1\\ncar -1 -1\\n")
        ...     similarity_from_table(path, ["cat", "dog", "car"]).round(2).tolist()
        [[1.0, 0.0, -0.71], [0.0, 1.0, -0.71], [-0.71, -0.71, 1.0]]
    """
    wanted = {entry for name in class_names for entry in _entries(name)}
    rows = _rows(Path(path), wanted)
    rows_of_classes = [_rows_of(name, rows, path) for name in class_names]
    width = min((len(row) for found in rows_of_classes for row in found), default=0)
    columns: list[list[float]] = []
    for column in range(width):
        with suppress(ValueError):
            columns.append([_mean_of(found, column) for found in rows_of_classes])
    if not columns:
        raise InvalidArgumentError(
            f"'{path}' has no column of numbers; each class needs its vector"
        )
    return similarity_from_embeddings(np.array(columns).T)


def _words(name: str) -> list[str]:
    """The words of a class's name.

    >>> _words("aquarium_fish"), _words("T-shirt/top")
    (['aquarium', 'fish'], ['T', 'shirt', 'top'])
    """
    return re.findall(r"[^\s_/,-]+", name)


def _entries(name: str) -> list[str]:
    """Every entry of a table that may say something of a class: its name, its words, and these in lower case."""
    words = _words(name)
    return [name, name.lower(), *words, *(word.lower() for word in words)]


def _rows_of(
    name: str, rows: Mapping[str, list[str]], path: Path | str
) -> list[list[str]]:
    """The row of a class, or those of its words."""
    own = rows.get(name, rows.get(name.lower()))
    if own is not None:
        return [own]
    words = _words(name)
    absent = next(
        (word for word in words if word not in rows and word.lower() not in rows), None
    )
    if absent is None and words:
        return [rows.get(word, rows.get(word.lower(), [])) for word in words]
    where = f"the class {brief(name)}"
    if len(words) > 1:
        where += f", and none for its word {brief(absent)}"
    raise InvalidArgumentError(f"'{path}' has no line for {where}")


def _mean_of(rows: Sequence[Sequence[str]], column: int) -> float:
    return sum(float(row[column]) for row in rows) / len(rows)


def _rows(path: Path, wanted: Collection[str]) -> Mapping[str, list[str]]:
    """The cells of the wanted classes alone: files of word vectors have millions of lines."""
    rows: dict[str, list[str]] = {}
    try:
        with path.open(newline="", encoding="utf-8") as file:
            if path.suffix.lower() == ".csv":
                lines = csv.reader(file)
            else:
                lines = (line.split() for line in file)
            for cells in lines:
                if cells and cells[0] in wanted:
                    if cells[0] in rows:
                        raise InvalidArgumentError(
                            f"'{path}' has two lines for the class {brief(cells[0])}"
                        )
                    rows[cells[0]] = cells[1:]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StorageError(
            f"cannot read '{path}': {getattr(error, 'strerror', None) or error}"
        ) from error
    return rows
