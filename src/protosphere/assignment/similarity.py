"""How similar classes are, as a K x K matrix: checked, or made of embeddings, confusions, or names."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protosphere.assignment.taxonomy import SHIPPED, taxonomy
from protosphere.errors import InvalidArgumentError, as_choice, brief
from protosphere.storage.files import reason
from protosphere.types import Points

ASYMMETRY = 1e-6
"""How much of its largest entry a similarity may differ from its transpose by and still be rounded symmetric."""

BLOCK = 1024

LARGEST_ENTRY = 1e100
"""Of a similarity: sums over all pairs of classes, and their squares, stay finite."""

TEXT = "upper triangle "
"""What a similarity written as text begins with."""


def as_similarity(given: Any, num_classes: int | None = None) -> Points:
    """`given` as a symmetric K x K float64 matrix; anything else gets one sentence.

    A `Taxonomy`, or whatever has a `similarity()` of its own, is asked for it; text is what `similarity_text` wrote, or
    the name of a tree that we ship. The diagonal may be anything.
    """
    if isinstance(given, str):
        given = _read_text(given)
    if callable(getattr(given, "similarity", None)):
        given = given.similarity()
    matrix = real_matrix(given, "similarity")
    if matrix.shape[0] != matrix.shape[1]:
        hint = "similarity_from_embeddings makes a similarity of one vector per class"
        raise InvalidArgumentError(
            f"'similarity' must be square, K x K, got {_shape(matrix)}; {hint}"
        )
    if num_classes is not None and len(matrix) != num_classes:
        raise InvalidArgumentError(
            f"'similarity' must be {num_classes} x {num_classes}, one row per class, got {_shape(matrix)}"
        )
    largest = float(max(matrix.max(), -matrix.min()))
    if largest > LARGEST_ENTRY:
        raise InvalidArgumentError(
            f"'similarity' must have entries up to {LARGEST_ENTRY:g}, got {largest:g}; divide by that"
        )
    row, column, difference = _largest_asymmetry(matrix)
    if difference > ASYMMETRY * max(largest, 1e-300):
        entries = f"{matrix[row, column]:.6g} at ({row}, {column}) and {matrix[column, row]:.6g} at ({column}, {row})"
        raise InvalidArgumentError(
            f"'similarity' must be symmetric, got {entries}; (S + S.T) / 2 is"
        )
    return matrix / 2 + matrix.T / 2 if difference else matrix


def similarity_text(given: Any) -> str:
    """A similarity as one word, which `as_similarity` reads: the entries above the diagonal, bit for bit."""
    if isinstance(given, str):
        return given
    matrix = as_similarity(given)
    return (
        TEXT
        + b64encode(
            matrix[np.triu_indices(len(matrix), 1)].astype("<f8").tobytes()
        ).decode()
    )


def _read_text(text: str) -> Any:
    if not text.startswith(TEXT):
        return taxonomy(as_choice("similarity", text, SHIPPED))
    try:
        entries = np.frombuffer(
            b64decode(text.removeprefix(TEXT), validate=True), dtype="<f8"
        )
        K = (1 + isqrt(1 + 8 * len(entries))) // 2
        matrix = np.eye(K)
        matrix[np.triu_indices(K, 1)] = entries.reshape(K * (K - 1) // 2)
    except ValueError as error:
        raise InvalidArgumentError(
            f"'similarity' must be what 'similarity_text' wrote, got {brief(text)}"
        ) from error
    return np.triu(matrix) + np.triu(matrix, 1).T


def as_array(given: Any) -> NDArray[Any]:
    """A numpy array of anything that holds numbers; of torch tensors on whatever device."""
    if not hasattr(given, "detach"):
        return np.asarray(given)
    tensor = given.detach().cpu()
    try:
        return np.asarray(tensor.numpy())
    except (
        TypeError
    ):  # bfloat16 and float8, which numpy does not have and float32 holds exactly
        return np.asarray(tensor.float().numpy())


def real_matrix(given: Any, name: str, least_rows: int = 2) -> Points:
    """`given` as a float64 matrix of finite numbers with at least so many rows."""
    try:
        matrix = as_array(given)
        if matrix.dtype.kind not in "biuf":
            raise ValueError(f"entries of type {matrix.dtype}")
        matrix = matrix.astype(np.float64)
    except ValueError as error:
        raise InvalidArgumentError(
            f"'{name}' must be a matrix of real numbers: {reason(error)}"
        ) from error
    if matrix.ndim != 2 or len(matrix) < least_rows or matrix.shape[1] < 1:
        if least_rows == 2:
            rows = "at least two rows, one per class"
        else:
            rows = "a row per image"
        raise InvalidArgumentError(
            f"'{name}' must be a matrix with {rows}, got {_shape(matrix)}"
        )
    finite = np.isfinite(matrix).all(axis=1)
    if not finite.all():
        raise InvalidArgumentError(
            f"'{name}' must be finite, got NaN or infinity in row {int(np.argmin(finite))}"
        )
    return matrix


def similarity_from_embeddings(embeddings: Any) -> Points:
    """Cosines of the rows, one vector per class, after their mean is taken out.

    >>> similarity_from_embeddings([[1, 0], [0, 1], [-1, -1]]).round(2).tolist()
    [[1.0, 0.0, -0.71], [0.0, 1.0, -0.71], [-0.71, -0.71, 1.0]]
    """
    vectors = _within_one(real_matrix(embeddings, "embeddings"))
    centred = vectors - vectors.mean(axis=0)
    norms = np.linalg.norm(centred, axis=1)
    units = (
        centred
        / np.where(norms > 1e-12 * max(1e-300, float(norms.max())), norms, np.inf)[
            :, None
        ]
    )
    cosines = units @ units.T
    np.fill_diagonal(cosines, 1.0)
    return cosines


def similarity_from_confusion(confusion: Any) -> Points:
    """Bhattacharyya coefficients of the rows of a confusion matrix, true classes in rows: 1 for two that are one.

    Counts or rates. Two classes are similar where their images are taken for the same classes, or for each other.

    >>> similarity_from_confusion([[8, 2, 0], [2, 8, 0], [0, 0, 10]]).round(2).tolist()
    [[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    counts = real_matrix(confusion, "confusion")
    if counts.shape[0] != counts.shape[1]:
        raise InvalidArgumentError(
            f"'confusion' must be square, K x K, got {_shape(counts)}"
        )
    if counts.min() < 0:
        raise InvalidArgumentError(
            f"'confusion' must not be negative, got {counts.min():g}"
        )
    counts = _within_one(counts)
    totals = counts.sum(axis=1)
    if not totals.all():
        raise InvalidArgumentError(
            f"'confusion' must have counts in every row, got none in row {int(np.argmin(totals))}"
        )
    roots = np.sqrt(counts / totals[:, None])
    return np.minimum(roots @ roots.T, 1.0)


def similarity_from_names(
    names: Sequence[str],
    *,
    embed: Callable[[str], Any] | None = None,
    compare: Callable[[str, str], float] | None = None,
) -> Points:
    """From class names by a function of yours: `embed` gives a name's vector, or `compare` how similar two names are.

    >>> similarity_from_names(["cat", "car", "dog"], compare=lambda a, b: len(set(a) & set(b))).tolist()
    [[3.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.0, 0.0, 3.0]]
    """
    if (embed is None) == (compare is None):
        raise InvalidArgumentError(
            "similarity_from_names needs either 'embed' or 'compare', got both or neither"
        )
    if embed is not None:
        return similarity_from_embeddings(
            np.stack([_vector(embed, name) for name in names])
        )
    assert compare is not None, "one of them is given"
    return as_similarity([[float(compare(a, b)) for b in names] for a in names])


def _vector(embed: Callable[[str], Any], name: str) -> Points:
    try:
        return np.asarray(embed(name), dtype=np.float64).ravel()
    except LookupError as error:
        raise InvalidArgumentError(
            f"'embed' has no vector for the class {brief(name)}"
        ) from error


def _within_one(matrix: Points) -> Points:
    """The matrix times a power of two by which no entry is above 1: no sum of squares of it overflows."""
    return np.ldexp(matrix, -np.frexp(np.abs(matrix).max())[1])


def _largest_asymmetry(matrix: Points) -> tuple[int, int, float]:
    """Where a square matrix differs most from its transpose, and by how much; a block of rows at a time."""
    largest = (0, 0, 0.0)
    for start in range(0, len(matrix), BLOCK):
        with np.errstate(over="ignore"):  # infinite is different
            difference = np.abs(
                matrix[start : start + BLOCK] - matrix[:, start : start + BLOCK].T
            )
        row, column = divmod(int(np.argmax(difference)), len(matrix))
        if difference[row, column] > largest[2]:
            largest = (start + row, column, float(difference[row, column]))
    return largest


def _shape(matrix: NDArray[Any]) -> str:
    return " x ".join(map(str, matrix.shape)) or "a single number"
