"""Similarity of classes from a table of vectors: word vectors, attributes, or other numbers for each class name."""

import csv
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from protosphere.assignment.similarity import similarity_from_embeddings
from protosphere.errors import InvalidArgumentError, StorageError, brief
from protosphere.types import Points


def similarity_from_table(path: Path | str, class_names: Sequence[str]) -> Points:
    r"""Return the cosines between class vectors that are read from a file, after the mean vector is subtracted.

    A .csv file has a line of headings. The first cell of each other line is the name of a class. The columns that hold
    numbers for all classes form the vectors. In other files, spaces separate a name and its numbers, as in the text
    files of GloVe and word2vec. Lines of names that are not needed are skipped.

    A class whose name has several words, such as "aquarium fish" or "aquarium_fish", may have no line of its own. The
    vector of this class is then the mean of the vectors of the words. If there is no line for a name or word as
    written, the line for its lower-case form is used.

    Args:
        path: A file with a line for each class, or for each word of the names of the classes.
        class_names: Names of the K classes, in their order.

    Returns:
        The K x K matrix of cosines, with ones on the diagonal.

    Raises:
        InvalidArgumentError: If a class has no line and a word of its name has no line either, if a name has two lines,
            or if the lines have no numbers.
        StorageError: If the file cannot be read.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "glove.txt"
        ...     _ = path.write_text("the 0.5 0.5\ncat 1 0\ndog 0 1\ncar -1 -1\n")
        ...     similarity_from_table(path, ["cat", "dog", "car"]).round(2).tolist()
        [[1.0, 0.0, -0.71], [0.0, 1.0, -0.71], [-0.71, -0.71, 1.0]]
    """
    wanted: set[str] = set()
    for name in class_names:
        wanted.update(_lookup_keys(name))
    rows = _read_rows(Path(path), wanted)
    class_rows = [_rows_of_class(name, rows, path) for name in class_names]
    width = min((len(row) for found in class_rows for row in found), default=0)
    columns: list[list[float]] = []
    for column in range(width):
        with suppress(ValueError):  # a column of text
            columns.append([_mean_of_column(found, column) for found in class_rows])
    if not columns:
        raise InvalidArgumentError(
            f"'{path}' has no column of numbers; each class needs its vector"
        )
    return similarity_from_embeddings(np.array(columns).T)


def _words_of_name(name: str) -> list[str]:
    # "T-shirt/top" has the words "T", "shirt" and "top"
    return re.findall(r"[^\s_/,-]+", name)


def _lookup_keys(name: str) -> list[str]:
    words = _words_of_name(name)
    lower_words = [word.lower() for word in words]
    return [name, name.lower(), *words, *lower_words]


def _rows_of_class(
    name: str, rows: Mapping[str, list[str]], path: Path | str
) -> list[list[str]]:
    own_row = _look_up(rows, name)
    if own_row is not None:
        return [own_row]
    words = _words_of_name(name)
    found: list[list[str]] = []
    missing: str | None = None
    for word in words:
        row = _look_up(rows, word)
        if row is None:
            missing = word
            break
        found.append(row)
    if found and missing is None:
        return found
    where = f"the class {brief(name)}"
    if len(words) > 1:
        where += f", and none for its word {brief(missing)}"
    raise InvalidArgumentError(f"'{path}' has no line for {where}")


def _look_up(rows: Mapping[str, list[str]], name: str) -> list[str] | None:
    if name in rows:
        return rows[name]
    # the line of the lower-case form serves a name that has no line as written
    return rows.get(name.lower())


def _mean_of_column(rows: Sequence[Sequence[str]], column: int) -> float:
    return sum(float(row[column]) for row in rows) / len(rows)


def _read_rows(path: Path, wanted: Collection[str]) -> Mapping[str, list[str]]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            if path.suffix.lower() == ".csv":
                lines = csv.reader(file)
            else:
                lines = (line.split() for line in file)
            return _wanted_rows(lines, wanted, path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise StorageError(f"cannot read '{path}': {reason}") from error


def _wanted_rows(
    lines: Iterable[list[str]], wanted: Collection[str], path: Path
) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for cells in lines:
        # other lines are not kept, because files of word vectors have millions of lines
        if not cells or cells[0] not in wanted:
            continue
        name = cells[0]
        if name in rows:
            raise InvalidArgumentError(
                f"'{path}' has two lines for the class {brief(name)}"
            )
        rows[name] = cells[1:]
    return rows
